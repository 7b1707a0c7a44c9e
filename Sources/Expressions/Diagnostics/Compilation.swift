/// What compiling gives: the result if there is one, and everything there is to say about it.
///
/// ```swift
/// let compiled = ExpressionEnvironment().compile("(user.age >= 18")
/// if let program = compiled.output {
///   print(program.requirements)
/// } else {
///   compiled.diagnostics.map(\.message)  // ["'(' is not closed"]
/// }
/// ```
public struct Compilation<Output> {
  /// Nil when nothing can be used; a diagnostic of severity error says why then.
  public var output: Output?
  public var diagnostics: [Diagnostic]
  /// The text that was compiled, for showing where a diagnostic is; nil when there is none.
  var source: String?

  package init(output: Output?, diagnostics: [Diagnostic], source: String? = nil) {
    self.output = output
    self.diagnostics = diagnostics
    self.source = source
  }

  /// The output, for those who cannot continue without it. What there is to say about an output that
  /// is there, such as a rule set in which one audience does not compile, stays in ``diagnostics``.
  ///
  /// ```swift
  /// let program = try ExpressionEnvironment().compile("user.age >= 18").get()
  /// try program.evaluate(["user": ["age": 29]])  // true
  /// ```
  public func get() throws(CompilationError) -> Output {
    guard let output else { throw CompilationError(diagnostics: diagnostics, source: source) }
    return output
  }
}

extension Compilation: Sendable where Output: Sendable {}

/// A text that does not compile, with everything that there is to say about it.
///
/// ```swift
/// do {
///   _ = try ExpressionEnvironment().compile("user.plan = 'pro'").get()
/// } catch {
///   error.diagnostics.map(\.code)  // [.syntaxError]
///   let lines = "\(error)".split(separator: "\n")
///   lines[2]  // "   | user.plan = 'pro'"
///   lines[3]  // "   |           ^"
/// }
/// ```
public struct CompilationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Errors and warnings, in the order in which they were found.
  public var diagnostics: [Diagnostic]
  /// The text that was compiled, or nil.
  let source: String?

  init(diagnostics: [Diagnostic], source: String?) {
    self.diagnostics = diagnostics
    self.source = source
  }

  /// All diagnostics for people, one below the other.
  public var description: String {
    if diagnostics.isEmpty { return "nothing was compiled" }
    return diagnostics.map { diagnostic in
      // A path leads into a config, and the range counts in the text there.
      diagnostic.text(in: diagnostic.path.isEmpty ? source : nil)
    }.joined(separator: "\n")
  }
}
