/// Kinds of evaluation errors, as bits.
package struct FaultSet: OptionSet, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  init(_ kinds: EvaluationError.Kind...) {
    rawValue = kinds.reduce(0) { $0 | 1 << UInt32($1.rawValue) }
  }

  /// An attribute, a key or a field is missing.
  package static let missing = FaultSet(.noSuchAttribute)

  /// The errors that a program may recover from. Division by zero, overflow and limits end every evaluation.
  static let recoverable = FaultSet(
    .noSuchAttribute, .noSuchOverload, .indexOutOfRange, .conversion, .badMapKey, .badRegex,
    .undeclaredName, .nullComparison, .badArgument)

  /// Whether an error, in the form that the machine stores, has one of these kinds.
  @inline(__always)
  func contains(fault: UInt64) -> Bool {
    rawValue >> (UInt32(truncatingIfNeeded: fault >> 8) & 0x1F) & 1 == 1
  }
}
