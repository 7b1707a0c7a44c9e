internal import Expressions
internal import RuleEngine

/// A config file on its way to a rule set, with everything there is to say about it.
struct ConfigFile {
  var path: String
  var bytes: [UInt8]
  var config: Config?
  var ruleSet: RuleSet?
  var diagnostics: [Diagnostic]

  init(_ path: String) throws {
    self.path = path
    bytes = try FileText.read(path)
    let decoded = Config.decode(superwall: bytes)
    config = decoded.output
    diagnostics = decoded.diagnostics
    if let config {
      let compiled = RuleSet.compile(config)
      ruleSet = compiled.output
      diagnostics += compiled.diagnostics
    }
  }

  /// The rule set, or the reason why there is none. What is wrong with single elements is told on
  /// standard error and does not stop anything.
  func requireRuleSet() throws -> RuleSet {
    let errors = diagnostics.filter { $0.severity == .error }
    guard let ruleSet else {
      throw CommandError(errors.map { render($0) }.joined(separator: "\n"))
    }
    if !errors.isEmpty {
      for error in errors.prefix(5) { FileText.printError(render(error)) }
      let more = errors.count > 5 ? " (\(errors.count) in all)" : ""
      FileText.printError("Going on without what is wrong\(more); 'tollgate check' tells all.\n")
    }
    return ruleSet
  }

  /// A diagnostic with the file, the line and the source it is about.
  func render(_ diagnostic: Diagnostic) -> String {
    if diagnostic.path.isEmpty, let range = diagnostic.range {
      let position = SourcePosition(offset: range.from, in: bytes)
      return DiagnosticText.render(
        diagnostic, source: String(decoding: bytes, as: UTF8.self),
        place: "\(path):\(position.line)")
    }
    let line = JSONLocation.line(of: diagnostic.path, in: bytes)
    return DiagnosticText.render(
      diagnostic, source: expression(at: diagnostic.path),
      place: path + (line.map { ":\($0)" } ?? ""))
  }

  private func expression(at path: String) -> String? {
    guard path.hasSuffix(".expression_cel") else { return nil }
    let rule = String(path.dropLast(".expression_cel".count))
    return config?.placements.flatMap(\.audiences).first { $0.path == rule }?.expression
  }
}
