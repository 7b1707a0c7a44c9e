package import Expressions
package import RuleEngine

/// The outcomes for one user at a placement by every version of an SDK. Each stretch has
/// consecutive versions with the same outcome.
package struct VersionSweep {
  /// Consecutive versions with the same outcome.
  package struct Stretch {
    package var from: SDKVersion
    /// The first version after the stretch; nil if the stretch includes the newest version.
    package var until: SDKVersion?
    package var decision: Decision

    /// The stretch in words: `4.7.0 and newer`, or `4.0.0 to before 4.7.0`.
    package var versions: String {
      until.map { "\(from) to before \($0)" } ?? "\(from) and newer"
    }
  }

  package let sdk: SDKName
  package private(set) var stretches: [Stretch] = []

  /// - Parameters:
  ///   - family: the rules of the config.
  ///   - profile: the SDK whose other versions are compared.
  ///   - versions: the versions to compare; nil for all that the table distinguishes.
  package init(
    _ family: RuleSetFamily, around profile: SDKProfile, versions: [SDKVersion]? = nil,
    of placement: String, for record: Value, at clock: HistoryClock, assigner: Assigner
  ) {
    sdk = profile.sdk
    let json = Array(record.json.utf8)
    var shown: ComparedOutcome?
    for version in versions ?? SDKProfile.changes(of: profile.sdk, profile.packaging) {
      let ruleSet = family.ruleSet(for: SDKProfile(profile.sdk, version, profile.packaging))
      guard
        let decision = Self.decision(ruleSet, placement, json, clock, assigner)
      else { continue }
      let outcome = ComparedOutcome(decision.outcome, audience: nil)
      if let shown, shown.isSame(as: outcome), shown.isError == outcome.isError { continue }
      shown = outcome
      if !stretches.isEmpty { stretches[stretches.count - 1].until = version }
      stretches.append(Stretch(from: version, until: nil, decision: decision))
    }
  }

  private static func decision(
    _ ruleSet: RuleSet, _ placement: String, _ record: [UInt8], _ clock: HistoryClock,
    _ assigner: Assigner
  ) -> Decision? {
    var frame = Frame(for: ruleSet.program)
    var reader = UserRecordReader(ruleSet, at: clock)
    do throws(UserRecordReader.Rejection) {
      try reader.read(json: record, into: &frame)
    } catch {
      return nil
    }
    return ruleSet.decide(
      placement, frame: &frame, state: reader.state(now: clock.now), assigner: assigner)
  }

  /// The index of the stretch that contains a version.
  package func stretch(of version: SDKVersion) -> Int? {
    stretches.lastIndex { $0.from <= version }
  }

  /// A line for each stretch, except that of the SDK that decided; empty if all versions have the
  /// same outcome.
  package func lines(besides profile: SDKProfile) -> [String] {
    let own = stretch(of: profile.known)
    return stretches.indices.filter { $0 != own }.map { number in
      "\(sdk.title) \(stretches[number].versions): \(stretches[number].text)"
    }
  }

  /// The stretches as JSON: `[{"from", "until"?, "result", "paywall"?, "variant"?}]`.
  package var value: Value {
    .list(
      stretches.map { stretch in
        let outcome = ComparedOutcome(stretch.decision.outcome, audience: nil)
        return .members([
          "from": .string("\(stretch.from)"), "until": stretch.until.map { .string("\($0)") },
          "result": .string(outcome.result), "variant": outcome.variant.map { .string($0) },
          "paywall": outcome.paywall.map { .string($0) },
        ])
      })
  }
}

extension VersionSweep.Stretch {
  /// The outcome of the versions in words.
  package var text: String {
    switch decision.outcome {
    case .error(let failure): failure.message
    case .undecidable(let reason): "undecidable: \(reason)"
    default: ComparedOutcome(decision.outcome, audience: nil).text
    }
  }
}

extension ComparedOutcome {
  /// Whether no paywall is shown because of an error.
  fileprivate var isError: Bool { result == "error" }
}
