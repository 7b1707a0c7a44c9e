/// The languages that an expression can be written in. They differ in what they accept and in
/// what the same text means; all of them become the same instructions.
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
  /// What Superwall's SDKs evaluate (superscript 1.0.13, on cel-interpreter 0.8.1; earlier ones differ
  /// as ``EvaluatorBehavior`` says): values are true
  /// or false by what they hold, a missing attribute is the zero of what it is compared with, `&&`
  /// evaluates both sides, integers wrap. Where the original panics, this is an evaluation error.
  case superscript

  /// The tree of an expression. It is usable when there is no diagnostic.
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
  /// An environment for superscript expressions: `user`, `device` and `params` are always there.
  ///
  /// - Parameters:
  ///   - roots: maps that are always there. `device` and `computed` always are.
  ///   - variables: names that may be bound to values of any type; reading one that is not bound
  ///     makes the whole expression null.
  ///   - limits: how much an expression may take.
  public static func superscript(
    roots: [String] = ["user", "device", "params"], variables: [String] = [],
    limits: Limits = Limits()
  ) -> ExpressionEnvironment {
    superscript(
      roots: roots, variables: variables, hostFunctions: HostFunctions(), limits: limits)
  }

  /// - Parameters:
  ///   - hostFunctions: what the host answers.
  ///   - binding: what happens to values on their way in, beside what the dialect does.
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
    // In `skip` the expression says which strings become numbers.
    environment.readsNumbersInGraph = behavior == .skip
    environment.binding.readsNumberTexts = behavior == .numeric
    environment.binding.isLenient = true
    return environment
  }
}
