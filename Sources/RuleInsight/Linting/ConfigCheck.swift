package import CivilTime
package import Expressions
package import RuleEngine

/// Where everything that can be said of a config without users comes together: what decoding and
/// compiling said, what lints find, and whoever else looks at it.
package struct ConfigCheck {
  private var found: [Diagnostic] = []
  private var known: Set<Key> = []

  /// What makes two findings one: who says the same of one place says it once.
  private struct Key: Hashable {
    var code: Diagnostic.Code
    var path: String
    var range: SourceRange?
  }

  /// - Parameter diagnostics: of decoding and compiling.
  package init(_ diagnostics: [Diagnostic]) { add(diagnostics) }

  /// Adds what somebody found. What was said before, of the same place, is left out.
  package mutating func add(_ diagnostics: [Diagnostic]) {
    for diagnostic in diagnostics {
      let key = Key(code: diagnostic.code, path: diagnostic.path, range: diagnostic.range)
      // Decoding may say several things of one element.
      guard
        known.insert(key).inserted || diagnostic.code == .decodeFailure
          || diagnostic.code == .wouldReject || diagnostic.code == .notAnExport
      else { continue }
      found.append(diagnostic)
    }
  }

  /// Adds what lints find.
  ///
  /// - Parameters:
  ///   - json: the text that the config was decoded from.
  ///   - schema: what is known of attributes beside what SDKs send.
  package mutating func lint(
    _ config: Config, json: [UInt8], language: RuleLanguage,
    schema: ContextSchema = ContextSchema()
  ) {
    guard let value = try? Value.parse(json: json) else { return }
    add(
      Lints.findings(
        in: LintSubject(config, json: value, language: language, schema: schema)))
  }

  /// What was found, with the severities of a check. Differences between languages and platforms that
  /// are the same in many places are told once, and so is what is found of one attribute in many places
  /// of an expression.
  package var diagnostics: [Diagnostic] {
    var result: [Diagnostic] = []
    var numbers: [[String]: Int] = [:]
    let causes = found.filter { !Consequences.contain($0, of: found) }
    for var diagnostic in RepeatedFindings.joined(causes) {
      // A rule that calls what is not there compiles in superscript, and never comes to true.
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
  /// Everything that is found in a config for one language, and the analysis of its rules.
  ///
  /// - Parameters:
  ///   - json: the text that the config was decoded from.
  ///   - said: what decoding and compiling said.
  ///   - ruleSet: the config compiled, where that was possible.
  ///   - schema: what is known of attributes beside what SDKs send.
  ///   - now: the time from which on audiences should match somebody.
  package static func everything(
    in config: Config?, json: [UInt8], said: [Diagnostic], ruleSet: RuleSet?,
    language: RuleLanguage, schema: ContextSchema, now: Instant
  ) -> (diagnostics: [Diagnostic], analysis: RuleAnalysis?) {
    var check = ConfigCheck(said)
    if let config { check.lint(config, json: json, language: language, schema: schema) }
    let analysis = ruleSet.map { RuleAnalysis($0, now: now) }
    let said = check.diagnostics
    let answers = analysis?.findings.map(\.diagnostic) ?? []
    return (said + answers.filter { !Consequences.contain($0, of: said) }, analysis)
  }
}
