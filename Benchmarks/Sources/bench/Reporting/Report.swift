internal import Expressions

/// What a benchmark found, for a person and for a machine.
struct Report {
  /// Lines for a person.
  var text: String
  /// One JSON object.
  var value: Value
  /// False when a result was wrong: the figures count for nothing then.
  var isSound = true

  /// Prints the text and, when asked, the object on one line behind it.
  func print(json: Bool) {
    Swift.print(text)
    if json { Swift.print(value.json) }
  }
}

extension Value {
  /// Nanoseconds, which nobody needs to more than two decimals; null for none.
  static func figure(_ number: Double?) -> Value {
    guard let number, number.isFinite else { return .null }
    return .double((number * 100).rounded() / 100)
  }

  static func count(_ number: Int) -> Value { .int(Int64(number)) }

  /// A map in the order of the pairs.
  static func map(_ pairs: [(String, Value)]) -> Value {
    .map(pairs.map { Entry(key: .string($0.0), value: $0.1) })
  }
}
