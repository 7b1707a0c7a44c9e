/// How one generation of superscript, the evaluator inside Superwall's SDKs, treats values.
///
/// Each SDK version pins one evaluator, and shipped evaluators fall into four behaviors. The behaviors share the
/// language and the engine, but differ in their treatment of literals, values and missing attributes.
package enum EvaluatorBehavior: String, Hashable, Sendable, CaseIterable {
  /// superscript 0.1.16 to 0.2.8: nothing is rewritten, and a missing attribute is an error.
  case raw
  /// superscript 1.0.1 to 1.0.10: strings that look like numbers become numbers.
  case numeric
  /// superscript 1.0.11 and 1.0.12: like `numeric`, but strings at a path that is compared with a string
  /// literal stay strings.
  case skip
  /// superscript 1.0.13 and newer: strings stay strings.
  case text

  /// Whether numeric strings become numbers, at least where the expression does not prevent it.
  package var readsNumbers: Bool { self == .numeric || self == .skip }
}
