package import CivilTime
package import Expressions
package import RuleEngine

/// Collects all diagnostics about a config that need no users: those of decoding and compiling, of
/// lints, and of other checks.
package struct ConfigCheck {
  private var found: [Diagnostic] = []
  private var known: Set<Key> = []

  /// The identity of a finding. Findings with equal keys are reported once.
  private struct Key: Hashable {
    var code: Diagnostic.Code
    var path: String
    var range: SourceRange?
  }

  /// - Parameter diagnostics: the diagnostics of decoding and compiling.
  package init(_ diagnostics: [Diagnostic]) { add(diagnostics) }

  /// Adds diagnostics. Diagnostics that are already reported for the same place are dropped.
  package mutating func add(_ diagnostics: [Diagnostic]) {
    for diagnostic in diagnostics {
      let key = Key(code: diagnostic.code, path: diagnostic.path, range: diagnostic.range)
      // Decoding may report several problems of one element.
      guard
        known.insert(key).inserted || diagnostic.code == .decodeFailure
          || diagnostic.code == .wouldReject || diagnostic.code == .notAnExport
      else { continue }
      found.append(diagnostic)
    }
  }

  /// Adds the findings of lints.
  ///
  /// - Parameters:
  ///   - json: the text that the config was decoded from.
  ///   - schema: known attributes in addition to those that SDKs send.
  package mutating func lint(
    _ config: Config, json: [UInt8], language: RuleLanguage,
    schema: ContextSchema = ContextSchema()
  ) {
    guard let value = try? Value.parse(json: json) else { return }
    add(
      Lints.findings(
        in: LintSubject(config, json: value, language: language, schema: schema)))
  }

  /// The findings, with the severities of a check. Differences between languages and platforms that
  /// are the same in many places are reported once. So are problems of one attribute in many places
  /// of an expression.
  package var diagnostics: [Diagnostic] {
    var result: [Diagnostic] = []
    var numbers: [[String]: Int] = [:]
    let consequences = Consequences(of: found)
    let causes = found.filter { !consequences.contain($0) }
    for var diagnostic in RepeatedFindings.joined(causes) {
      // In superscript, a rule that calls an unknown function compiles, but is never true.
      if diagnostic.code == .unknownFunction { diagnostic.severity = .error }
      let isDifference =
        diagnostic.code == .platformDifference || diagnostic.code == .dialectDifference
      guard isDifference, diagnostic.severity == .note else {
        result.append(diagnostic)
        continue
      }
      let key = [diagnostic.code.rawValue, diagnostic.message]
      if let number = numbers[key] {
        result[number].related.append(
          Diagnostic.Related(path: diagnostic.path, message: "here too"))
      } else {
        numbers[key] = result.count
        result.append(diagnostic)
      }
    }
    return result
  }
}

extension ConfigCheck {
  /// All findings about a config for one language, and the analysis of its rules.
  ///
  /// - Parameters:
  ///   - json: the text that the config was decoded from.
  ///   - said: the diagnostics of decoding and compiling.
  ///   - ruleSet: the compiled config, if it compiles.
  ///   - schema: known attributes in addition to those that SDKs send.
  ///   - now: the time from which audiences should match some user.
  package static func everything(
    in config: Config?, json: [UInt8], said: [Diagnostic], ruleSet: RuleSet?,
    language: RuleLanguage, schema: ContextSchema, now: Instant
  ) -> (diagnostics: [Diagnostic], analysis: RuleAnalysis?) {
    var check = ConfigCheck(said)
    if let config { check.lint(config, json: json, language: language, schema: schema) }
    let analysis = ruleSet.map { RuleAnalysis($0, now: now) }
    let said = check.diagnostics
    let answers = analysis?.findings.map { $0.diagnostic } ?? []
    let consequences = Consequences(of: said)
    return (said + answers.filter { !consequences.contain($0) }, analysis)
  }
}
