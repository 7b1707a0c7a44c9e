internal import Expressions
internal import RuleEngine

/// A config file on its way to a rule set, with everything there is to say about it.
struct ConfigFile {
  var path: String
  var bytes: [UInt8]
  var config: Config?
  var ruleSet: RuleSet?
  var diagnostics: [Diagnostic]
  private let places: DiagnosticPlaces
  /// By path of an expression: its text.
  private let expressions: [String: String]

  /// - Parameter format: nil to tell by the keys.
  init(_ path: String, format: Config.Format? = nil, language: RuleLanguage = .standard) throws {
    self.path = path
    bytes = try FileText.read(path)
    let decoded = Config.decode(bytes, format: format)
    config = decoded.output
    diagnostics = decoded.diagnostics
    if let config {
      let compiled = RuleSet.compile(config, language: language)
      ruleSet = compiled.output
      diagnostics += compiled.diagnostics
    }
    places = DiagnosticPlaces(diagnostics, in: bytes)
    diagnostics = places.sorted(diagnostics)
    var expressions: [String: String] = [:]
    for audience in config?.placements.flatMap(\.audiences) ?? [] {
      expressions[audience.path + ".expression_cel"] = audience.expression
    }
    self.expressions = expressions
  }

  /// The rule set, or the reason why there is none. What is wrong with single elements is told on
  /// standard error and does not stop anything.
  func requireRuleSet() throws -> RuleSet {
    let errors = diagnostics.filter { $0.severity == .error && $0.leavesOut }
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
    let position = places.place(of: diagnostic)?.position
    let isAboutFile = diagnostic.path.isEmpty && diagnostic.range != nil
    return DiagnosticText.render(
      diagnostic,
      source: isAboutFile
        ? String(decoding: bytes, as: UTF8.self) : expressions[diagnostic.path],
      place: path + (position.map { ":\($0.line):\($0.column)" } ?? ""), isExact: true)
  }

  /// A diagnostic as one JSON object, with the file and the place in it.
  func json(_ diagnostic: Diagnostic) -> Value {
    diagnostic.json(
      file: path,
      places.place(of: diagnostic)
        ?? DiagnosticPlaces([diagnostic], in: bytes).place(of: diagnostic))
  }
}

extension Diagnostic {
  /// Whether an error means that its element cannot be used here.
  fileprivate var leavesOut: Bool {
    switch code {
    // SDKs reject the config, and deciding goes on; the outcome is an error or a paywall by its name.
    case .wouldReject, .unknownPaywall, .variantWithoutPaywall: false
    default: true
    }
  }
}
