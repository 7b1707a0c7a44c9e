public import Expressions

/// The outcome of a placement, with the names that the SDKs use.
public enum TriggerResult: Hashable, Sendable {
  case paywall(Decision.Experiment)
  case holdout(Decision.Experiment)
  case noAudienceMatch
  case placementNotFound
  case error(String)
  /// Only the device can evaluate the condition. No SDK has this result.
  case undecidable(reason: String)

  public init(_ outcome: Decision.Outcome) {
    switch outcome {
    case .paywall(let experiment): self = .paywall(experiment)
    case .holdout(let experiment): self = .holdout(experiment)
    case .noAudienceMatch: self = .noAudienceMatch
    case .placementNotFound: self = .placementNotFound
    case .error(let failure): self = .error(failure.message)
    case .undecidable(let reason): self = .undecidable(reason: reason)
    }
  }

  /// The JSON of the SDK contract: `{"result": ...}`, and `experiment` or `error`.
  public var value: Value {
    switch self {
    case .paywall(let experiment):
      .object(["result": "paywall", "experiment": experiment.value])
    case .holdout(let experiment):
      .object(["result": "holdout", "experiment": experiment.value])
    case .noAudienceMatch: .object(["result": "noAudienceMatch"])
    case .placementNotFound: .object(["result": "placementNotFound"])
    case .error(let message): .object(["result": "error", "error": .string(message)])
    case .undecidable(let reason):
      .object(["result": "undecidable", "reason": .string(reason)])
    }
  }
}

/// The answers of `getPresentationResult`.
public enum PresentationResult: Hashable, Sendable {
  case paywall(Decision.Experiment)
  case holdout(Decision.Experiment)
  case noAudienceMatch
  case placementNotFound
  /// No paywall can be presented because of an error.
  case paywallNotAvailable

  public init(_ result: TriggerResult) {
    switch result {
    case .paywall(let experiment): self = .paywall(experiment)
    case .holdout(let experiment): self = .holdout(experiment)
    case .noAudienceMatch: self = .noAudienceMatch
    case .placementNotFound: self = .placementNotFound
    case .error, .undecidable: self = .paywallNotAvailable
    }
  }

  /// The name of the case in the SDK contract.
  public var type: String {
    switch self {
    case .paywall: "Paywall"
    case .holdout: "Holdout"
    case .noAudienceMatch: "NoAudienceMatch"
    case .placementNotFound: "PlacementNotFound"
    case .paywallNotAvailable: "PaywallNotAvailable"
    }
  }

  /// The JSON of the SDK contract: `{"type": ...}`, and `experiment` for a paywall or a holdout.
  public var value: Value {
    switch self {
    case .paywall(let experiment), .holdout(let experiment):
      .object(["type": .string(type), "experiment": experiment.value])
    default: .object(["type": .string(type)])
    }
  }
}

extension Decision.Experiment {
  /// The JSON of the SDK contract. If a holdout has no paywall, the paywall ID is an empty string.
  public var value: Value {
    .object([
      "id": .string(id), "groupId": .string(campaignID),
      "variant": .object([
        "id": .string(variant.id), "type": .string(variant.kind.rawValue),
        "paywallId": .string(variant.paywallID ?? ""),
      ]),
    ])
  }
}

extension Decision.Failure {
  /// A message for people. The SDK contract defines no codes for these failures.
  public var message: String {
    switch self {
    case .noVariants: "the experiment has no variants"
    case .variantWithoutPaywall(let id): "the treatment '\(id)' names no paywall"
    case .noExperiment: "the matching audience has no experiment"
    case .experimentNotRunning(let id, let status):
      "the matching audience's experiment '\(id)' is \(status.rawValue)"
    case .abortsApp: "evaluating the condition crashes the app"
    case .configRejected(let reason): "the SDK rejects the config: \(reason)"
    }
  }

  /// A stable name for a result that only some SDK versions have; nil for all others.
  package var code: String? {
    switch self {
    case .noVariants, .variantWithoutPaywall, .noExperiment, .experimentNotRunning: nil
    case .abortsApp: "aborts-app"
    case .configRejected: "config-rejected"
    }
  }
}

extension Decision {
  /// The decision as one line of an outcomes file.
  ///
  /// - Parameters:
  ///   - subjectID: the ID of the subject.
  ///   - errors: the rules that failed before the decision, from ``RuleSet/errors(_:frame:state:)``.
  public func outcomeLine(subjectID: String, errors: [RuleError] = []) -> Value {
    let line = outcome.line(subjectID: subjectID, placement: placement, audience: audience)
    guard !errors.isEmpty, case .map(let entries) = line else { return line }
    return .map(entries + [.init(key: "errors", value: .list(errors.map { $0.value }))])
  }
}

extension Decision.Outcome {
  /// The result, with the code of an error that only some SDK versions have.
  private var result: Value {
    let value = TriggerResult(self).value
    guard case .error(let failure) = self, let code = failure.code, case .map(let members) = value
    else { return value }
    return .map(members + [.init(key: "code", value: .string(code))])
  }

  package func line(subjectID: String, placement: String, audience: Int?) -> Value {
    let line: [Value.Entry] = [
      .init(key: "userId", value: .string(subjectID)),
      .init(key: "placement", value: .string(placement)),
      .init(key: "result", value: result),
    ]
    let values = OutcomeValues(self, audience: audience)
    return .map(line + values.members(OutcomeField.ofChoices.filter { !$0.isInResult }))
  }
}
