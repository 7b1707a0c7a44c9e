package import Expressions
package import RuleEngine
package import RuleInsight

/// The text of a config with everything that is found in it.
package struct ConfigText: Sendable {
  package let bytes: [UInt8]
  package let config: Config?
  package let ruleSet: RuleSet?
  /// Errors first, then warnings, each in the order of the text.
  package private(set) var diagnostics: [Diagnostic]
  /// Where they are in the text.
  package private(set) var places: DiagnosticPlaces
  /// How many questions about the rules were asked, once they have been checked.
  package private(set) var statistics: RuleAnalysis.Statistics?
  private let decoded: [Diagnostic]
  private let language: RuleLanguage
  private var witnesses: [Diagnostic: Value] = [:]

  /// Decodes and compiles a text.
  package init(_ bytes: [UInt8], language: RuleLanguage = .standard) {
    self.init(bytes, Config.decode(bytes), language: language)
  }

  /// Compiles a text that has been decoded.
  package init(_ bytes: [UInt8], _ decoded: Compilation<Config>, language: RuleLanguage) {
    self.bytes = bytes
    self.language = language
    self.decoded = decoded.diagnostics
    config = decoded.output
    diagnostics = decoded.diagnostics
    if let config {
      let compiled = RuleSet.compile(config, language: language)
      ruleSet = compiled.output
      diagnostics += compiled.diagnostics
    } else {
      ruleSet = nil
    }
    places = DiagnosticPlaces(diagnostics, in: bytes)
    diagnostics = places.sorted(diagnostics)
  }

  /// Adds what only callers want that check the config.
  ///
  /// - Parameters:
  ///   - schema: what is known of attributes besides what SDKs send.
  ///   - now: the time from which on audiences should match some user.
  ///   - versions: the versions of SDKs in the field, which are compared; none is of no matter.
  ///   - isForAll: whether to check for the SDKs of all platforms, and to compare them.
  ///   - tell: called with the count of steps that are done, and of all steps.
  package mutating func check(
    _ schema: ContextSchema = ContextSchema(), now: Instant, isForAll: Bool = false,
    versions: [VersionCheck.Range] = [], tell: (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) {
    if isForAll, let config, config.format == .superwall {
      let check = PlatformCheck(
        config, json: bytes, decoded: decoded, schema: schema, now: now, tell: tell)
      statistics = check.statistics
      diagnostics = check.diagnostics
      for diagnostic in diagnostics { witnesses[diagnostic] = check.witness(for: diagnostic) }
    } else {
      let check = ConfigCheck.everything(
        in: config, json: bytes, said: diagnostics, ruleSet: ruleSet, language: language,
        schema: schema, now: now)
      statistics = check.analysis?.statistics
      diagnostics = check.diagnostics
      for diagnostic in diagnostics {
        witnesses[diagnostic] = check.analysis?.witness(for: diagnostic)
      }
    }
    if !versions.isEmpty, let config, config.format == .superwall {
      let check = VersionCheck(config, versions, schema: schema, now: now)
      diagnostics += check.diagnostics
      for diagnostic in check.diagnostics { witnesses[diagnostic] = check.witness(for: diagnostic) }
    }
    places = DiagnosticPlaces(diagnostics, in: bytes)
    diagnostics = places.sorted(diagnostics)
  }

  /// How many findings there are of a severity.
  package func count(_ severity: Diagnostic.Severity) -> Int {
    diagnostics.count { $0.severity == severity }
  }

  /// A finding with its place, and with the user for whom it matters.
  package func finding(_ diagnostic: Diagnostic, file: String) -> Value {
    let isKnown = places.place(of: diagnostic) != nil
    let json = (isKnown ? places : DiagnosticPlaces([diagnostic], in: bytes))
      .json(diagnostic, file: file)
    guard let witness = witnesses[diagnostic] else { return json }
    return json.adding(.object(["witness": witness]))
  }

  package func findings(file: String) -> [Value] { diagnostics.map { finding($0, file: file) } }

  /// `{"error":3,"warning":0,"note":1}`
  package var counts: Value {
    .map(
      Diagnostic.Severity.allCases.map {
        .init(key: .string($0.rawValue), value: .int(Int64(count($0))))
      })
  }
}
