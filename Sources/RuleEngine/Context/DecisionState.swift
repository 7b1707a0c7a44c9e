/// What is known of a subject beside its attributes, as plain values: who it is, when it is, what
/// it was assigned and how often rules have applied to it.
public struct DecisionState: Hashable, Sendable {
  /// A stored assignment of the subject to a variant.
  public struct Assignment: Hashable, Sendable {
    public var experimentID: String
    public var variantID: String

    public init(experimentID: String, variantID: String) {
      self.experimentID = experimentID
      self.variantID = variantID
    }
  }

  /// Occurrences that are stored under one key.
  public struct Occurrences: Hashable, Sendable {
    public var key: String
    /// Milliseconds since 1970.
    public var times: [Int64]

    public init(key: String, times: [Int64]) {
      self.key = key
      self.times = times
    }
  }

  /// The identity that assignments go by: a user ID, or an alias.
  public var subjectID: String
  /// The time of the decision, in milliseconds since 1970.
  public var now: Int64
  public var assignments: [Assignment]
  public var occurrences: [Occurrences]

  public init(
    subjectID: String, now: Int64, assignments: [Assignment] = [],
    occurrences: [Occurrences] = []
  ) {
    self.subjectID = subjectID
    self.now = now
    self.assignments = assignments
    self.occurrences = occurrences
  }

  /// How many occurrences count for a limit now.
  package func count(for limit: OccurrenceLimit) -> Int {
    var count = 0
    for stored in occurrences where stored.key.utf8.elementsEqual(limit.key.utf8) {
      count += limit.count(stored.times, now: now)
    }
    return count
  }

  /// The stored variant of an experiment.
  package func variantID(in experimentID: String) -> String? {
    assignments.last { $0.experimentID.utf8.elementsEqual(experimentID.utf8) }?.variantID
  }
}
