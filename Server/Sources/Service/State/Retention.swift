package import Expressions

/// The limits for stored data.
package struct Retention: Sendable {
  /// Answers before this time are deleted.
  package var oldestAnswer: Instant
  /// The maximum number of stored occurrences of one user and key, by application. Other applications keep all
  /// occurrences.
  package var mostOccurrences: [String: Int]

  package init(oldestAnswer: Instant, mostOccurrences: [String: Int]) {
    self.oldestAnswer = oldestAnswer
    self.mostOccurrences = mostOccurrences
  }

  /// The maximum number of stored occurrences of one user and key, if the config's largest limit counts this many.
  package static func mostOccurrences(for largestLimit: Int) -> Int { max(100, largestLimit) }

  /// The maximum number of answers in a batch, so that other transactions wait only briefly.
  static let answersAtOnce = 1_000
  static let usersAtOnce = 500
}

/// The size of a table, with its indices.
package struct TableSize: Hashable, Sendable {
  package var table: String
  package var bytes: Int
  /// The number of rows, as the database estimates it; nil without an estimate.
  package var rows: Int?
}
