internal import ArgumentParser
internal import Expressions
internal import RuleEngine

/// A config file on its way to a rule set, with everything there is to say about it.
struct ConfigFile {
  /// The file as it was read.
  let content: FileContent
  var path: String { content.path }
  /// The file as people call it.
  var name: String { path == "-" ? "standard input" : path }
  var bytes: [UInt8] { content.bytes }
  var config: Config?
  var ruleSet: RuleSet?
  var diagnostics: [Diagnostic]
  private let places: DiagnosticPlaces
  /// By path of an expression: its text.
  private let expressions: [String: String]

  /// - Parameter format: nil to tell by the keys.
  init(_ path: String, format: Config.Format? = nil, language: RuleLanguage = .standard) throws {
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
    places = DiagnosticPlaces(diagnostics, in: bytes)
    diagnostics = places.sorted(diagnostics)
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
    let language = ruleSet?.language ?? .standard
    let errors = diagnostics.filter { $0.severity == .error && $0.leavesOut(in: language) }
    guard let ruleSet else {
      throw CommandError(errors.map { render($0) }.joined(separator: "\n"))
    }
    for error in errors.prefix(5) { FileText.printError(render(error)) }
    let more = errors.count > 5 ? " (\(errors.count) in all)" : ""
    for name in placements ?? [] where ruleSet.placement(named: name) == nil {
      throw CommandError(hint(forPlacement: name))
    }
    if ruleSet.placementNames.isEmpty, !errors.isEmpty {
      throw CommandError("\(path) has no placements")
    }
    let broken = (placements ?? ruleSet.placementNames).reduce(0) {
      $0 + ruleSet.brokenRules(of: $1)
    }
    if broken > 0, !keepsGoing {
      let (verb, those) = broken == 1 ? ("does", "it") : ("do", "them")
      throw CommandError(
        "\(counted(broken, "rule")) of \(path) \(verb) not compile, and nothing was decided; "
          + "'tollgate check' shows them all, and --keep-going decides without \(those)",
        exitCode: Ending.findings)
    }
    if !errors.isEmpty {
      FileText.printError(
        "Continuing without what is wrong\(more); 'tollgate check' shows them all.\n")
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
      place: name + (position.map { ":\($0.line):\($0.column)" } ?? ""), isExact: true)
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
  fileprivate func leavesOut(in language: RuleLanguage) -> Bool {
    switch code {
    // SDKs reject the config, and deciding goes on; the outcome is an error or a paywall by its name.
    case .wouldReject, .unknownPaywall, .variantWithoutPaywall: false
    // Only an evaluation that comes to the pattern fails.
    case .badRegex: language == .cel
    default: true
    }
  }
}

extension RuleSet {
  /// How many rules of a placement do not compile.
  func brokenRules(of placement: String) -> Int {
    guard let number = self.placement(named: placement) else { return 0 }
    return rules[placements[number].rules].filter(\.isBroken).count
  }
}

extension ConfigFile {
  /// Throws when the config has no such placement.
  func checkPlacement(_ placement: String) throws {
    guard ruleSet?.placement(named: placement) != nil else {
      throw CommandError(hint(forPlacement: placement))
    }
  }

  /// Throws when what was said of a placement is not what the config's author means: there is no such
  /// placement, or rules of it do not compile, which were told already.
  func checkAnswer(for placement: String) throws {
    try checkPlacement(placement)
    if ruleSet?.brokenRules(of: placement) ?? 0 > 0 { throw ExitCode(Ending.findings) }
  }
}
