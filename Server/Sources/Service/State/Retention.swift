package import Expressions

/// The limits of what remains stored.
package struct Retention: Sendable {
  /// Answers before this are deleted.
  package var oldestAnswer: Instant
  /// By application: how many occurrences of one user and key remain. Other applications keep all they have.
  package var mostOccurrences: [String: Int]

  package init(oldestAnswer: Instant, mostOccurrences: [String: Int]) {
    self.oldestAnswer = oldestAnswer
    self.mostOccurrences = mostOccurrences
  }

  /// Occurrences of one user and key that remain stored if the largest limit counts this many.
  package static func mostOccurrences(for largestLimit: Int) -> Int { max(100, largestLimit) }

  /// Answers and users of one batch, so that others wait for a moment only.
  static let answersAtOnce = 1_000
  static let usersAtOnce = 500
}

/// The size of a table, with its indices.
package struct TableSize: Hashable, Sendable {
  package var table: String
  package var bytes: Int
  /// As the database estimates it; nil if it does not.
  package var rows: Int?
}
