/// The languages that an expression can be written in. The languages differ in the expressions that they accept and in
/// the meaning of the same source. All languages compile to the same instructions.
///
/// ```swift
/// let rule = "user.seats < 5"
/// let cel = try ExpressionEnvironment().compile(rule).get()
/// try cel.evaluate(["user": ["plan": "free"]])  // throws no-such-attribute
/// let superscript = ExpressionEnvironment.superscript()
/// superscript.dialect  // .superscript
/// try superscript.compile(rule).get().evaluate(["user": ["plan": "free"]])  // true
/// ```
package enum Dialect: String, Hashable, Sendable, CaseIterable {
  /// The Common Expression Language as its specification defines it.
  case cel
  /// The language of Superwall's SDKs (superscript 1.0.13, based on cel-interpreter 0.8.1). ``EvaluatorBehavior``
  /// describes earlier versions. Any value can be used as a condition, a missing attribute equals the zero value of the
  /// type that it is compared with, `&&` evaluates both sides, and integers wrap around. Where the original panics, the
  /// result is an evaluation error.
  case superscript

  /// Parses an expression. The tree is only usable if there are no diagnostics.
  package func parse(_ source: String, limits: Limits) -> (
    tree: SyntaxTree, diagnostics: [Diagnostic]
  ) {
    // SAFETY: The view of the source stays in the closure, and the tree copies the text.
    // Tests: SuperscriptProgramTests, fuzz parser.
    var text = source
    return text.withUTF8 {
      self == .superscript
        ? SuperscriptParser.parse($0, limits: limits) : Parser.parse($0, limits: limits)
    }
  }
}

extension ExpressionEnvironment {
  /// An environment for superscript expressions: `user`, `device` and `params` always exist.
  ///
  /// - Parameters:
  ///   - roots: the names of maps that always exist. `device` and `computed` are always added.
  ///   - variables: names that may be bound to values of any type. Reading an unbound name makes the whole expression
  ///     null.
  ///   - limits: the resources that an expression may use.
  public static func superscript(
    roots: [String] = ["user", "device", "params"], variables: [String] = [],
    limits: Limits = Limits()
  ) -> ExpressionEnvironment {
    superscript(
      roots: roots, variables: variables, hostFunctions: HostFunctions(), limits: limits)
  }

  /// - Parameters:
  ///   - hostFunctions: the functions that the host answers.
  ///   - binding: conversions of values in addition to those of the dialect.
  ///   - behavior: the generation of the evaluator.
  package static func superscript(
    roots: [String] = ["user", "device", "params"], variables: [String] = [],
    hostFunctions: HostFunctions, binding: ValueBinding = ValueBinding(),
    behavior: EvaluatorBehavior = .text, limits: Limits = Limits()
  ) -> ExpressionEnvironment {
    var environment = ExpressionEnvironment(roots: roots, variables: variables, limits: limits)
    environment.dialect = .superscript
    environment.behavior = behavior
    environment.hostFunctions = hostFunctions
    environment.binding = binding
    environment.binding.readsBooleanTexts = behavior != .raw
    // In `skip` the expression determines which strings become numbers.
    environment.readsNumbersInGraph = behavior == .skip
    environment.binding.readsNumberTexts = behavior == .numeric
    environment.binding.isLenient = true
    return environment
  }
}
