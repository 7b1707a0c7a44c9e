internal import Expressions

/// The rules of one config as SDKs of several versions decide them, compiled when they are asked for. SDKs with
/// the same ``SDKProfile/CompileKey`` share their conditions.
package final class RuleSetFamily: Sendable {
  package let config: Config
  private let state = Locked(State())

  private struct State: Sendable {
    var compiled: [SDKProfile.CompileKey: RuleSet] = [:]
    var ruleSets: [SDKProfile: RuleSet] = [:]
  }

  package init(_ config: Config) { self.config = config }

  /// How many times conditions were compiled.
  package var compileCount: Int { state.withLock { $0.compiled.count } }

  /// The rules as an SDK decides them.
  package func ruleSet(for profile: SDKProfile) -> RuleSet {
    state.withLock { state in
      if let known = state.ruleSets[profile] { return known }
      let key = profile.compileKey(for: config)
      let compiled =
        state.compiled[key] ?? RuleSet.compiled(config, language: .superscript(profile))
      state.compiled[key] = compiled
      let ruleSet = compiled.following(profile, config)
      state.ruleSets[profile] = ruleSet
      return ruleSet
    }
  }
}
