package import Expressions
internal import RuleEngine

/// A summary of an attribute's values in user records.
package struct AttributeSummary: Sendable {
  package var path: AttributePath
  /// The number of users that have the attribute.
  package var present: Int
  /// The number of values of each type.
  package var kinds: [String: Int]
  /// The range of the numbers among the values.
  package var least: Double?
  package var greatest: Double?
  /// The number of occurrences of each word, for a string with few distinct values.
  package var words: [String: Int]
  /// The first distinct values.
  package var examples: [Value]

  /// Whether values have several types that rules distinguish. Null is not counted, and all numbers
  /// have the same type.
  package var hasSeveralKinds: Bool {
    Set(kinds.keys.filter { $0 != "null" }.map { $0 == "double" ? "int" : $0 }).count > 1
  }

  /// The types in words, with counts: `3,997 string, 3 int`.
  package var kindText: String {
    kinds.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }

  /// The types without counts: `string`, `int or string`.
  package var kind: String {
    kinds.keys.sorted().joined(separator: " or ")
  }

  /// The values in words: a range, a list of words, or examples.
  package var valueText: String {
    if let least, let greatest, !hasSeveralKinds {
      return "\(Self.text(least)) to \(Self.text(greatest))"
    }
    if !words.isEmpty, kinds.keys.filter({ $0 != "null" }) == ["string"] {
      return words.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { $0.key }
        .joined(separator: ", ")
    }
    return examples.map { $0.json }.joined(separator: ", ")
  }

  private static func text(_ number: Double) -> String {
    Int64(exactly: number).map(String.init) ?? "\(number)"
  }

  /// The number of values that have another type than the expected one.
  func count(notLike expected: ContextSchema.Kind) -> Int {
    kinds.reduce(0) { sum, kind in
      let own: ContextSchema.Kind =
        switch kind.key {
        case "bool": .bool
        case "int", "double": .number
        case "string": .anyText
        case "list": .list(.any)
        case "map": .map
        case "null": .null
        default: .any
        }
      // Times and durations are strings in JSON.
      let isText = expected == .time || expected == .span
      return sum + (own.isLike(isText ? .anyText : expected) ? 0 : kind.value)
    }
  }

  func value(users: Int) -> Value {
    .members([
      "present": .int(Int64(present)),
      "share": .double((Double(present) / Double(max(users, 1)) * 1e4).rounded() / 1e4),
      "kinds": .map(
        kinds.sorted { $0.key < $1.key }.map {
          .init(key: .string($0.key), value: .int(Int64($0.value)))
        }),
      "min": least.map { .double($0) }, "max": greatest.map { .double($0) },
      "words": words.isEmpty
        ? nil
        : .map(
          words.sorted { $0.key < $1.key }.map {
            .init(key: .string($0.key), value: .int(Int64($0.value)))
          }), "examples": .list(examples),
    ])
  }
}
