package import Expressions
package import RuleEngine
package import RuleInsight

/// The text of a config with everything there is to say about it.
package struct ConfigText: Sendable {
  package let bytes: [UInt8]
  package let config: Config?
  package let ruleSet: RuleSet?
  package private(set) var diagnostics: [Diagnostic]
  private let language: RuleLanguage
  private var witnesses: [Diagnostic: Value] = [:]

  /// Decodes and compiles a text.
  package init(_ bytes: [UInt8], language: RuleLanguage = .standard) {
    self.bytes = bytes
    self.language = language
    let decoded = Config.decode(bytes)
    config = decoded.output
    diagnostics = decoded.diagnostics
    if let config {
      let compiled = RuleSet.compile(config, language: language)
      ruleSet = compiled.output
      diagnostics += compiled.diagnostics
    } else {
      ruleSet = nil
    }
  }

  /// Adds what `tollgate check` says.
  package mutating func check(_ schema: ContextSchema = ContextSchema(), now: Instant) {
    let check = ConfigCheck.everything(
      in: config, json: bytes, said: diagnostics, ruleSet: ruleSet, language: language,
      schema: schema, now: now)
    diagnostics = check.diagnostics
    guard let analysis = check.analysis else { return }
    for diagnostic in diagnostics { witnesses[diagnostic] = analysis.witness(for: diagnostic) }
  }

  /// How many findings there are of a severity.
  package func count(_ severity: Diagnostic.Severity) -> Int {
    diagnostics.count { $0.severity == severity }
  }

  /// The findings as `tollgate check --json` writes them, errors first.
  package func findings(file: String) -> [Value] {
    let places = DiagnosticPlaces(diagnostics, in: bytes)
    return places.sorted(diagnostics).map { diagnostic in
      let json = places.json(diagnostic, file: file)
      guard let witness = witnesses[diagnostic], case .map(let members) = json else { return json }
      return .map(members + [.init(key: "witness", value: witness)])
    }
  }

  /// `{"error":3,"warning":0,"note":1}`
  package var counts: Value {
    .map(
      Diagnostic.Severity.allCases.map {
        .init(key: .string($0.rawValue), value: .int(Int64(count($0))))
      })
  }
}
