internal import ArgumentParser
internal import Expressions
internal import RuleEngine

/// A config file on its way to a rule set, with everything there is to say about it.
struct ConfigFile {
  var path: String
  /// The file as it was read.
  let content: FileContent
  var config: Config?
  var ruleSet: RuleSet?
  var diagnostics: [Diagnostic]
  /// By path of a diagnostic: its line in the file.
  private let lines: [String: Int]
  /// By path of an expression: its text.
  private let expressions: [String: String]

  var bytes: [UInt8] { content.bytes }

  /// - Parameter format: nil to tell by the keys.
  init(_ path: String, format: Config.Format? = nil, language: RuleLanguage = .standard) throws {
    self.path = path
    content = try FileContent(path)
    let bytes = content.bytes
    let decoded = Config.decode(bytes, format: format)
    config = decoded.output
    diagnostics = decoded.diagnostics
    if let config {
      let compiled = RuleSet.compile(config, language: language)
      ruleSet = compiled.output
      diagnostics += compiled.diagnostics
    }
    lines = JSONLocation.lines(of: diagnostics.map(\.path), in: bytes)
    var expressions: [String: String] = [:]
    for audience in config?.placements.flatMap(\.audiences) ?? [] {
      expressions[audience.path + ".expression_cel"] = audience.expression
    }
    self.expressions = expressions
  }

  /// The rule set, or the reason why there is none. What is wrong with single elements is told on
  /// standard error.
  ///
  /// - Parameters:
  ///   - placements: the placements that are asked for; nil for all.
  ///   - keepsGoing: whether rules of theirs that do not compile are left out.
  func requireRuleSet(for placements: [String]? = nil, keepsGoing: Bool = true) throws -> RuleSet {
    let errors = diagnostics.filter { $0.severity == .error }
    guard let ruleSet else {
      throw CommandError(errors.map { render($0) }.joined(separator: "\n"))
    }
    for error in errors.prefix(5) { FileText.printError(render(error)) }
    let more = errors.count > 5 ? " (\(errors.count) in all)" : ""
    for name in placements ?? [] where ruleSet.placement(named: name) == nil {
      throw CommandError(ruleSet.hint(forPlacement: name))
    }
    let broken = (placements ?? ruleSet.placementNames).reduce(0) {
      $0 + ruleSet.brokenRules(of: $1)
    }
    if broken > 0, !keepsGoing {
      throw CommandError(
        "\(counted(broken, "rule")) of \(path) \(broken == 1 ? "does" : "do") not compile\(more), and "
          + "nothing was decided; --keep-going decides without",
        exitCode: Ending.findings)
    }
    if !errors.isEmpty {
      FileText.printError("Continuing without what is wrong\(more); 'tollgate check' tells all.\n")
    }
    return ruleSet
  }

  /// The line of an element of the config, by its path.
  func line(of path: String) -> Int? { JSONLocation.lines(of: [path], in: bytes)[path] }

  /// A diagnostic with the file, the line and the source it is about.
  func render(_ diagnostic: Diagnostic) -> String {
    if diagnostic.path.isEmpty, let range = diagnostic.range {
      let position = SourcePosition(offset: range.from, in: bytes)
      return DiagnosticText.render(
        diagnostic, source: String(decoding: bytes, as: UTF8.self),
        place: "\(path):\(position.line)")
    }
    return DiagnosticText.render(
      diagnostic, source: expressions[diagnostic.path],
      place: path + (lines[diagnostic.path].map { ":\($0)" } ?? ""))
  }
}

extension RuleSet {
  /// How many rules of a placement do not compile.
  func brokenRules(of placement: String) -> Int {
    guard let number = self.placement(named: placement) else { return 0 }
    return rules[placements[number].rules].filter(\.isBroken).count
  }

  /// Throws when what was said of a placement is not what the config's author means: there is no such
  /// placement, or rules of it do not compile, which were told already.
  func checkAnswer(for placement: String) throws {
    guard self.placement(named: placement) != nil else {
      throw CommandError(hint(forPlacement: placement))
    }
    if brokenRules(of: placement) > 0 { throw ExitCode(Ending.findings) }
  }
}
