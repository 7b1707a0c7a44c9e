public import CivilTime

/// A subject's state other than its attributes: its identity, the time, its assignments and entitlements, and how often
/// rules have applied to it.
public struct DecisionState: Hashable, Sendable {
  /// The occurrences that are stored under one key.
  public struct Occurrences: Hashable, Sendable {
    public var key: String
    public var times: [Instant]

    public init(key: String, times: [Instant]) {
      self.key = key
      self.times = times
    }
  }

  /// The ID that assignments depend on: a user ID or an alias.
  public var subjectID: String
  /// The time of the decision.
  public var now: Instant
  public var assignments: [Assignment]
  public var occurrences: [Occurrences]
  /// The entitlements that the subject owns. Audiences can skip the owners of an entitlement.
  public var entitlements: [String]
  /// When the current session began. With nil, a session begins now.
  public var sessionStart: Instant?

  public init(
    subjectID: String, now: Instant, assignments: [Assignment] = [],
    occurrences: [Occurrences] = [], entitlements: [String] = [], sessionStart: Instant? = nil
  ) {
    self.subjectID = subjectID
    self.now = now
    self.assignments = assignments
    self.occurrences = occurrences
    self.entitlements = entitlements
    self.sessionStart = sessionStart
  }

  /// The number of occurrences that now count towards a limit.
  package func count(for limit: OccurrenceLimit) -> Int {
    guard !occurrences.isEmpty else { return 0 }
    var count = 0
    // Strings with equal bytes are equal, and comparing bytes is faster.
    for stored in occurrences
    where stored.key == limit.key && stored.key.utf8.elementsEqual(limit.key.utf8) {
      count += limit.count(stored.times, now: now, sessionStart: sessionStart)
    }
    return count
  }

  /// The occurrences that now count towards a limit, in order.
  func counted(for limit: OccurrenceLimit) -> [Instant] {
    occurrences.filter { $0.key.utf8.elementsEqual(limit.key.utf8) }.flatMap { $0.times }
      .filter { limit.count([$0], now: now, sessionStart: sessionStart) == 1 }.sorted()
  }

  /// The index of an experiment's assignment. If there are several, the last one counts.
  package func assignment(in experiment: UnsafeBufferPointer<UInt8>) -> Int? {
    // SAFETY: The view is only compared. Tests: UserRecordTests, DecideTests.
    assignments.lastIndex { $0.experimentID.utf8.elementsEqual(experiment) }
  }

  /// The stored assignment of an experiment.
  public func assignment(in experimentID: String) -> Assignment? {
    assignments.last { $0.experimentID.utf8.elementsEqual(experimentID.utf8) }
  }

  /// Whether the subject owns an entitlement. Names are compared byte by byte.
  public func owns(_ entitlement: String) -> Bool {
    entitlements.contains { $0.utf8.elementsEqual(entitlement.utf8) }
  }
}
