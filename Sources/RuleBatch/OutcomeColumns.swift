internal import Expressions
internal import RuleEngine

/// The columns of tables of outcomes.
package struct OutcomeColumns: Sendable {
  /// A column about the run, with the same string in every outcome.
  package struct OfRun: Hashable, Sendable {
    package var name: String
    package var text: String

    package init(_ name: String, _ text: String) {
      self.name = name
      self.text = text
    }
  }

  /// The name of the column with reasons.
  package static let reason = OutcomeField.reason.rawValue

  /// The columns of an outcome.
  package let fields: [String]
  /// Whether one of the columns contains reasons.
  package let hasReasons: Bool

  /// The name of the column with the user's identity. Column names are in lower case, because
  /// several databases convert them.
  package static let user = "user_id"

  package let ofRun: [OfRun]
  /// For each placement, the prefix of its columns' names in a table with one row per user.
  package let prefixes: [String]
  /// The placements whose prefix is numbered, because another placement has the same one.
  package let numbered: [(placement: String, prefix: String)]

  package init(_ placements: [String], ofRun: [OfRun], hasReasons: Bool) {
    self.ofRun = ofRun
    self.hasReasons = hasReasons
    fields =
      OutcomeField.ofChoices.map { $0.rawValue } + ["errors"]
      + (hasReasons ? [OutcomeColumns.reason] : [])
    // A placement whose name is already a valid prefix keeps it.
    var taken = Set(placements.filter { OutcomeColumns.prefix($0) == $0 })
    var numbered: [(placement: String, prefix: String)] = []
    prefixes = placements.map { placement in
      let prefix = OutcomeColumns.prefix(placement)
      if prefix == placement || taken.insert(prefix).inserted { return prefix }
      var number = 2
      while !taken.insert("\(prefix)_\(number)").inserted { number += 1 }
      numbered.append((placement, "\(prefix)_\(number)"))
      return "\(prefix)_\(number)"
    }
    self.numbered = numbered
  }

  /// The number of columns of a table with one row per user.
  package var wideCount: Int {
    1 + prefixes.count * fields.count + ofRun.count
  }

  /// A prefix for a placement's columns, which SQL accepts without quotes once a suffix follows.
  /// The prefix is in lower case, because SQL ignores case.
  private static func prefix(_ placement: String) -> String {
    let name = placement.unicodeScalars.map { scalar -> Character in
      switch scalar {
      case "a"..."z", "0"..."9": Character(scalar)
      case "A"..."Z": Character(UnicodeScalar(UInt8(ascii: scalar) | 0x20))
      default: "_"
      }
    }
    return (name.first?.isNumber == true ? "p_" : "") + String(name)
  }
}
