package import CivilTime
package import Expressions
package import RuleEngine

/// Checks a config for the SDKs of all platforms at once. Common findings are reported once, and
/// differences between platforms are reported separately.
package struct PlatformCheck {
  /// The findings, in the order of ``ConfigCheck``.
  package private(set) var diagnostics: [Diagnostic] = []
  package private(set) var statistics = RuleAnalysis.Statistics()
  private var witnesses: [Diagnostic: Value] = [:]

  /// The identity of a finding across platforms.
  private struct Key: Hashable {
    var code: Diagnostic.Code
    var path: String
    var range: SourceRange?

    init(_ diagnostic: Diagnostic) {
      code = diagnostic.code
      path = diagnostic.path
      range = diagnostic.range
    }
  }

  /// - Parameters:
  ///   - json: the text that the config was decoded from.
  ///   - decoded: the diagnostics of decoding the config.
  ///   - schema: known attributes in addition to those that SDKs send.
  ///   - now: the time from which audiences should match some user.
  ///   - tell: called with the number of finished placements and the total. A placement counts once
  ///     per platform, and once for the comparison.
  package init(
    _ config: Config, json: [UInt8], decoded: [Diagnostic], schema: ContextSchema, now: Instant,
    tell: (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) {
    let all = (Platform.allCases.count + 1) * config.placements.count
    var done = 0
    func next() {
      tell(done, all)
      done += 1
    }
    var found: [[Diagnostic]] = []
    var analyses: [(platform: Platform, ruleSet: RuleSet, analysis: RuleAnalysis)] = []
    for platform in Platform.allCases {
      let language = RuleLanguage.superscript(SDKProfile(platform))
      let compiled = RuleSet.compile(config, language: language)
      var check = ConfigCheck(decoded + compiled.diagnostics)
      check.lint(config, json: json, language: language, schema: schema)
      found.append(check.diagnostics)
      guard let ruleSet = compiled.output else { continue }
      let analysis = RuleAnalysis(ruleSet, now: now, keepsUsers: true, tell: next)
      statistics += analysis.statistics
      analyses.append((platform, ruleSet, analysis))
    }
    add(found)
    add(analyses)
    let known = ContextSchema.superwall(.standard).overridden(by: schema)
    let comparison = PlatformComparison(analyses, schema: known, now: now, tell: next)
    for finding in comparison.findings { add(finding) }
  }

  /// The example user of a finding.
  package func witness(for diagnostic: Diagnostic) -> Value? { witnesses[diagnostic] }

  private mutating func add(_ finding: RuleAnalysis.Finding) {
    diagnostics.append(finding.diagnostic)
    if let witness = finding.witness { witnesses[finding.diagnostic] = witness }
  }

  /// For each key, the platforms that report it.
  private static func platforms(
    _ found: [(platform: Platform, diagnostics: [Diagnostic])]
  ) -> [Key: [Platform]] {
    var platforms: [Key: [Platform]] = [:]
    for (platform, diagnostics) in found {
      for key in Set(diagnostics.map(Key.init)) { platforms[key, default: []].append(platform) }
    }
    return platforms
  }

  private static func names(_ platforms: [Platform]) -> String {
    platforms.map { $0.rawValue }.joined(separator: " and ")
  }

  /// Adds the findings of decoding, compiling and lints.
  private mutating func add(_ found: [[Diagnostic]]) {
    let platforms = Self.platforms(
      zip(Platform.allCases, found).map { (platform: $0, diagnostics: $1) })
    var known: Set<Key> = []
    for diagnostics in found {
      // One platform may report several problems at one place.
      let new = diagnostics.filter { !known.contains(Key($0)) }
      for var diagnostic in new {
        let saying = platforms[Key(diagnostic)] ?? []
        if saying.count < found.count {
          diagnostic.notes.append("only on \(Self.names(saying))")
          // A rule that checks the platform is probably aware of it.
          if diagnostic.severity == .warning { diagnostic.severity = .note }
        }
        self.diagnostics.append(diagnostic)
      }
      known.formUnion(diagnostics.map(Key.init))
    }
  }

  /// Adds answers that are the same on all platforms. Other answers are added as differences.
  private mutating func add(
    _ analyses: [(platform: Platform, ruleSet: RuleSet, analysis: RuleAnalysis)]
  ) {
    let platforms = Self.platforms(
      analyses.map { ($0.platform, $0.analysis.findings.map { $0.diagnostic }) })
    var known: Set<Key> = []
    let consequences = Consequences(of: diagnostics)
    for finding in analyses.flatMap({ $0.analysis.findings }) {
      let key = Key(finding.diagnostic)
      guard known.insert(key).inserted, let saying = platforms[key],
        !consequences.contain(finding.diagnostic)
      else { continue }
      guard saying.count < analyses.count else {
        add(finding)
        continue
      }
      var different = finding
      different.diagnostic.code = .platformDifference
      different.diagnostic.severity = .note
      different.diagnostic.message =
        "on \(Self.names(saying)) alone, \(finding.diagnostic.message)"
      add(different)
    }
  }
}
