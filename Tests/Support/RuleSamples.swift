package import Expressions
package import Foundation
package import RuleEngine

/// A config with one placement `p`, as wire JSON, from the JSON of its rules.
package func wireConfig(rules: String) -> [UInt8] {
  Array(
    """
    {"build_id":"b","log_level":10,"app_session_timeout_ms":1,"toggles":[],"products":[],
     "postback":{},"disable_preload":{"all":false,"triggers":[]},"localization":{"locales":[]},
     "paywall_responses":[],"trigger_options":[{"event_name":"p","rules":[\(rules)]}]}
    """.utf8)
}

/// A rule's wire JSON.
package func wireRule(
  _ id: String = "e", expression: String? = nil, occurrence: String = "null",
  variants: String =
    #"{"variant_id":"v","variant_type":"TREATMENT","percentage":100,"paywall_identifier":"pw"}"#
) -> String {
  let text = expression.map { Value.string($0).json } ?? "null"
  return """
    {"experiment_id":"\(id)","experiment_group_id":"g","expression_cel":\(text),
     "occurrence":\(occurrence),"computed_properties":[],"preload":{"behavior":"ALWAYS"},
     "variants":[\(variants)]}
    """
}

/// The rule set of some rules. Throws if one of them is unusable.
package func ruleSet(_ rules: String..., language: RuleLanguage = .standard) throws -> RuleSet {
  let decoded = Config.decode(superwall: wireConfig(rules: rules.joined(separator: ",")))
  guard let config = decoded.output else { throw UnusableSample(diagnostics: decoded.diagnostics) }
  let compiled = RuleSet.compile(config, language: language)
  let errors = (decoded.diagnostics + compiled.diagnostics).filter { $0.severity == .error }
  guard let ruleSet = compiled.output,
    errors.allSatisfy({ $0.code == .variantWithoutPaywall || $0.code == .wouldReject })
  else { throw UnusableSample(diagnostics: errors) }
  return ruleSet
}

/// What `p` gives a subject.
package func decide(
  _ ruleSet: RuleSet, _ context: Value = .map([]), subject: String = "u", now: Instant = 0,
  assignments: [(String, String)] = [], occurrences: [String: [Instant]] = [:]
) throws -> Decision {
  var frame = Frame(for: ruleSet.program)
  try frame.fill(context)
  let state = DecisionState(
    subjectID: subject, now: now,
    assignments: assignments.map { .init(experimentID: $0.0, variantID: $0.1) },
    occurrences: occurrences.map { .init(key: $0.key, times: $0.value) })
  return ruleSet.decide("p", frame: &frame, state: state, assigner: .hash(salt: "s"))
}

/// Why each audience of `p` matches or does not.
package func reasons(
  _ ruleSet: RuleSet, _ context: Value = .map([]), now: Instant = 0,
  occurrences: [String: [Instant]] = [:], entitlements: [String] = []
) throws -> [Decision.Reason] {
  var frame = Frame(for: ruleSet.program)
  try frame.fill(context)
  let state = DecisionState(
    subjectID: "u", now: now, occurrences: occurrences.map { .init(key: $0.key, times: $0.value) },
    entitlements: entitlements)
  return ruleSet.steps("p", frame: &frame, state: state).map(\.reason)
}

/// Rules that a test wrote and that do not compile.
package struct UnusableSample: Error {
  package let diagnostics: [Diagnostic]
}

/// The repository's corpus folder.
package let corpus = URL(filePath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  .appending(path: "corpus")

package func bytes(_ path: String) throws -> [UInt8] {
  Array(try Data(contentsOf: corpus.appending(path: path)))
}
