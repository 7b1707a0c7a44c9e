internal import Expressions

/// The results of a benchmark, for people and for programs.
struct Report {
  /// Lines for people.
  var text: String
  /// One JSON object.
  var value: Value
  /// False if a result was wrong. The measurements are then invalid.
  var isSound = true

  /// Prints the text and, if requested, the object on one line after it.
  func print(json: Bool) {
    Swift.print(text)
    if json { Swift.print(value.json) }
  }
}

extension Value {
  /// Nanoseconds with two decimals, or null if there is no number.
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
