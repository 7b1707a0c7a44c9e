internal import Expressions

/// The rules of one config for several SDK versions, compiled on demand. SDKs with the same ``SDKProfile/CompileKey``
/// share compiled conditions.
package final class RuleSetFamily: Sendable {
  package let config: Config
  /// The functions that occur in conditions. Other functions of an SDK do not matter.
  private let functions: Set<String>
  private let state = Locked(State())

  private struct State: Sendable {
    var compiled: [SDKProfile.CompileKey: RuleSet] = [:]
    var ruleSets: [SDKProfile: RuleSet] = [:]
  }

  package init(_ config: Config) {
    self.config = config
    let texts = config.placements.flatMap { $0.audiences.compactMap { $0.expression } }
    functions = Set(
      HostFunction.allCases.map { $0.rawValue }.filter { name in
        texts.contains { $0.contains(name) }
      })
  }

  /// The number of times that conditions were compiled.
  package var compileCount: Int { state.withLock { $0.compiled.count } }

  /// The rules as an SDK decides them.
  package func ruleSet(for profile: SDKProfile) -> RuleSet {
    state.withLock { state in
      if let known = state.ruleSets[profile] { return known }
      let key = compileKey(of: profile)
      let compiled =
        state.compiled[key] ?? RuleSet.compiled(config, language: .superscript(profile))
      state.compiled[key] = compiled
      let ruleSet = compiled.following(profile, config)
      state.ruleSets[profile] = ruleSet
      return ruleSet
    }
  }

  /// The properties of an SDK that compiling the config depends on.
  package func compileKey(of profile: SDKProfile) -> SDKProfile.CompileKey {
    profile.compileKey(for: config, calling: functions)
  }

  /// Whether a condition may call functions about times that always return null in this SDK.
  package func hasNullTimes(_ profile: SDKProfile) -> Bool {
    profile.has(.nullTimes) && !functions.isEmpty
  }
}
