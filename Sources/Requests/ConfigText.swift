package import Expressions
package import RuleEngine
package import RuleInsight

/// The source of a config, with all findings about it.
package struct ConfigText: Sendable {
  package let bytes: [UInt8]
  package let config: Config?
  package let ruleSet: RuleSet?
  /// All findings: errors first, then warnings, each in source order.
  package private(set) var diagnostics: [Diagnostic]
  /// The places of ``diagnostics`` in the source.
  package private(set) var places: DiagnosticPlaces
  /// The number of questions about the rules, after a check.
  package private(set) var statistics: RuleAnalysis.Statistics?
  private let decoded: [Diagnostic]
  private let language: RuleLanguage
  private var witnesses: [Diagnostic: Value] = [:]

  /// Decodes and compiles a source.
  package init(_ bytes: [UInt8], language: RuleLanguage = .standard) {
    self.init(bytes, Config.decode(bytes), language: language)
  }

  /// Compiles a source that has been decoded.
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

  /// Adds findings that are only for callers that check the config.
  ///
  /// - Parameters:
  ///   - schema: the known attributes in addition to those of SDKs.
  ///   - now: the time from which audiences should match some user.
  ///   - versions: the versions of SDKs in the field, which are compared with each other. If empty, no versions are
  ///     compared.
  ///   - isForAll: whether to check for the SDKs of all platforms, and to compare them.
  ///   - tell: called with the number of completed steps and the number of all steps.
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

  /// The number of findings with a severity.
  package func count(_ severity: Diagnostic.Severity) -> Int {
    diagnostics.count { $0.severity == severity }
  }

  /// A finding with its place, and with the affected user.
  package func finding(_ diagnostic: Diagnostic, file: String) -> Value {
    let isKnown = places.place(of: diagnostic) != nil
    let json = (isKnown ? places : DiagnosticPlaces([diagnostic], in: bytes))
      .json(diagnostic, file: file)
    guard let witness = witnesses[diagnostic] else { return json }
    return json.adding(.object(["witness": witness]))
  }

  package func findings(file: String) -> [Value] { diagnostics.map { finding($0, file: file) } }

  /// The number of findings by severity: `{"error":3,"warning":0,"note":1}`.
  package var counts: Value {
    .map(
      Diagnostic.Severity.allCases.map {
        .init(key: .string($0.rawValue), value: .int(Int64(count($0))))
      })
  }
}
