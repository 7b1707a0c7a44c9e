internal import Expressions
internal import RuleEngine

/// The columns of tables of outcomes.
package struct OutcomeColumns: Sendable {
  /// A column with the same text for every outcome: it tells of the run.
  package struct OfRun: Hashable, Sendable {
    package var name: String
    package var text: String

    package init(_ name: String, _ text: String) {
      self.name = name
      self.text = text
    }
  }

  /// What a column is called that tells why.
  package static let reason = OutcomeField.reason.rawValue

  /// What is said of an outcome.
  package let fields: [String]
  /// Whether one of them tells why.
  package let hasReasons: Bool

  /// Of the user's identity. Names of columns are in small letters: several databases make them so.
  package static let user = "user_id"

  package let ofRun: [OfRun]
  /// By placement: what the names of its columns begin with, where a row is a user's.
  package let prefixes: [String]
  /// Placements whose columns have a number, because the columns of another one have the name.
  package let numbered: [(placement: String, prefix: String)]

  package init(_ placements: [String], ofRun: [OfRun], hasReasons: Bool) {
    self.ofRun = ofRun
    self.hasReasons = hasReasons
    fields =
      OutcomeField.ofChoices.map(\.rawValue) + ["errors"]
      + (hasReasons ? [OutcomeColumns.reason] : [])
    // What is a name already keeps it.
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

  /// How many columns a table has in which a row is a user's.
  package var wideCount: Int {
    1 + prefixes.count * fields.count + ofRun.count
  }

  /// A placement as a name that SQL takes without quotes, once something follows it. Small letters,
  /// because SQL does not tell them from capitals.
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
