/// The result of a compilation: the output, unless the input is unusable, and all diagnostics.
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
  /// The output, or nil if the input is unusable. In that case, a diagnostic of severity error explains why.
  public var output: Output?
  public var diagnostics: [Diagnostic]
  /// The source, to show the place of a diagnostic, or nil if there is no source.
  var source: String?

  package init(output: Output?, diagnostics: [Diagnostic], source: String? = nil) {
    self.output = output
    self.diagnostics = diagnostics
    self.source = source
  }

  /// Returns the output, or throws if there is no output. An output can have diagnostics too, such as a rule set in
  /// which one audience does not compile. These diagnostics stay in ``diagnostics``.
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

/// The error for a source that does not compile, with all diagnostics.
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
  /// The source, or nil.
  let source: String?

  init(diagnostics: [Diagnostic], source: String?) {
    self.diagnostics = diagnostics
    self.source = source
  }

  /// All diagnostics as readable text, one after the other.
  public var description: String {
    if diagnostics.isEmpty { return "nothing was compiled" }
    return diagnostics.map { diagnostic in
      // With a path, the range counts in a string of the config, and not in the source.
      diagnostic.text(in: diagnostic.path.isEmpty ? source : nil)
    }.joined(separator: "\n")
  }
}
