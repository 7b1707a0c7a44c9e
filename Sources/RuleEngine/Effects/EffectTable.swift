/// The purpose of deciding a placement.
package enum RequestKind: String, Hashable, Sendable, CaseIterable {
  /// The outcome is presented.
  case presentation
  /// The paywall is passed to the app, which presents it.
  case getPaywall
  /// The outcome that a registration would have is reported, without presenting it.
  case getPresentationResult
  /// The SDK determines whether one of its events starts a paywall.
  case handleImplicitTrigger
  /// The SDK determines whether another paywall follows when a paywall is declined.
  case paywallDeclineCheck
  /// The assignments that every placement would make are confirmed.
  case confirmAllAssignments
  /// Paywalls are loaded in advance.
  case preload
}

/// The table of the effects that each kind of request applies.
///
/// ``tollgate`` is the behavior of Tollgate's SDK. The tables of the native SDKs exist to replay the native SDKs, in
/// which a request for a result consumes an occurrence of a holdout.
package struct EffectTable: Hashable, Sendable {
  /// The effects to apply.
  package struct Effects: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The assignment is stored, and confirmed with the server unless it is already confirmed.
    package static let confirmAssignment = Effects(rawValue: 1)
    package static let recordOccurrence = Effects(rawValue: 2)
    /// `trigger_fire` is tracked.
    package static let fireTrigger = Effects(rawValue: 4)
  }

  /// The outcomes of a placement that effects distinguish.
  package enum OutcomeKind: Int, Hashable, Sendable, CaseIterable {
    case paywall, holdout, noAudienceMatch, placementNotFound, error
    /// Only the device can decide, so there are no effects.
    case undecidable
  }

  private let rows: [RequestKind: [Effects]]

  private init(_ rows: [RequestKind: [Effects]]) { self.rows = rows }

  /// The effects of a kind of request for an outcome.
  package subscript(kind: RequestKind, outcome: OutcomeKind) -> Effects {
    outcome == .undecidable ? [] : rows[kind]?[outcome.rawValue] ?? []
  }

  private static let all: Effects = [.confirmAssignment, .recordOccurrence, .fireTrigger]

  /// Columns: paywall, holdout, noAudienceMatch, placementNotFound, error.
  package static let tollgate = EffectTable([
    .presentation: [all, all, .fireTrigger, [], []],
    .getPaywall: [all, all, .fireTrigger, [], []],
    .getPresentationResult: [.confirmAssignment, .confirmAssignment, [], [], []],
    .handleImplicitTrigger: [.confirmAssignment, .confirmAssignment, [], [], []],
    .paywallDeclineCheck: [[], [], [], [], []],
    .confirmAllAssignments: [.confirmAssignment, .confirmAssignment, [], [], []],
    .preload: [[], [], [], [], []],
  ])

  package static let ios = EffectTable([
    .presentation: [all, all, .fireTrigger, [], []],
    .getPaywall: [all, all, .fireTrigger, [], []],
    .getPresentationResult: [.confirmAssignment, all, .fireTrigger, [], []],
    .handleImplicitTrigger: [
      .confirmAssignment, [.confirmAssignment, .recordOccurrence], [], [], [],
    ],
    .paywallDeclineCheck: [[], .recordOccurrence, [], [], []],
    .confirmAllAssignments: [.confirmAssignment, .confirmAssignment, [], [], []],
    .preload: [[], [], [], [], []],
  ])

  package static let android = EffectTable([
    .presentation: [all, all, .fireTrigger, [], []],
    .getPaywall: [all, all, .fireTrigger, [], []],
    .getPresentationResult: [
      .confirmAssignment, [.confirmAssignment, .recordOccurrence], [], [], [],
    ],
    .handleImplicitTrigger: [[], .recordOccurrence, [], [], []],
    .paywallDeclineCheck: [[], .recordOccurrence, [], [], []],
    .confirmAllAssignments: [.confirmAssignment, .confirmAssignment, [], [], []],
    .preload: [[], [], [], [], []],
  ])

  /// The effects of a decision that a kind of request applies, in order of application.
  ///
  /// - Parameter effects: the effects of the decision with this outcome.
  package func applied(
    of effects: [Decision.Effect], _ outcome: Decision.Outcome, for kind: RequestKind
  ) -> [AppliedEffect] {
    let column = OutcomeKind(outcome)
    let row = self[kind, column]
    let isPaywall = column == .paywall
    var stored: [AppliedEffect] = []
    var others: [AppliedEffect] = []
    if row.contains(.fireTrigger) {
      others.append(AppliedEffect(.fireTrigger, isPaywall ? .whenAvailable : .atOnce))
    }
    for effect in effects {
      switch effect {
      case .storeAssignment(let experiment, let variant),
        .confirmAssignment(let experiment, let variant):
        guard row.contains(.confirmAssignment) else { continue }
        if case .storeAssignment = effect { stored.append(AppliedEffect(effect)) }
        others.append(
          AppliedEffect(
            .confirmAssignment(experimentID: experiment, variantID: variant),
            isPaywall ? .whenAvailable : .atOnce))
      case .recordOccurrence:
        guard row.contains(.recordOccurrence) else { continue }
        others.append(AppliedEffect(effect, isPaywall ? .whenPresented : .atOnce))
      case .fireTrigger: break
      }
    }
    return stored + others
  }
}

extension EffectTable.OutcomeKind {
  package init(_ outcome: Decision.Outcome) {
    switch outcome {
    case .paywall: self = .paywall
    case .holdout: self = .holdout
    case .noAudienceMatch: self = .noAudienceMatch
    case .placementNotFound: self = .placementNotFound
    case .error: self = .error
    case .undecidable: self = .undecidable
    }
  }
}

/// An effect, and the time at which the caller applies it.
package struct AppliedEffect: Hashable, Sendable {
  package enum Time: String, Hashable, Sendable {
    case atOnce
    /// The effect applies when the paywall is loaded and, for a presentation, the app can present it.
    case whenAvailable
    /// The effect applies when the paywall is on the screen.
    case whenPresented
  }

  package var effect: Decision.Effect
  package var time: Time

  package init(_ effect: Decision.Effect, _ time: Time = .atOnce) {
    self.effect = effect
    self.time = time
  }
}

extension Decision {
  /// The effects that a kind of request applies, in order of application.
  package func effects(for kind: RequestKind, table: EffectTable = .tollgate) -> [AppliedEffect] {
    table.applied(of: effects, outcome, for: kind)
  }
}
