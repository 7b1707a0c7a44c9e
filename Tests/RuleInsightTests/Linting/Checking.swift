import Expressions
import Foundation
import RuleEngine
import RuleInsight
import Testing

/// Everything that a check says of a config.
func checked(_ json: String, language: RuleLanguage = .standard) -> [Diagnostic] {
  let bytes = Array(json.utf8)
  let decoded = Config.decode(bytes)
  guard let config = decoded.output else { return decoded.diagnostics }
  var check = ConfigCheck(
    decoded.diagnostics + RuleSet.compile(config, language: language).diagnostics)
  check.lint(config, json: bytes, language: language)
  return check.diagnostics
}

/// A complete config with these rules at the placement `p`.
func superwall(_ rules: String..., more: String = "") -> String {
  """
  {"build_id":"b","log_level":10,"app_session_timeout_ms":1,"toggles":[],"products":[],
   "postback":{},"disable_preload":{"all":false,"triggers":[]},"localization":{"locales":[]},
   "paywall_responses":[],\(more)"trigger_options":[{"event_name":"p","rules":[
   \(rules.joined(separator: ",\n"))]}]}
  """
}

/// A complete rule with these members in place of its own.
func rule(_ members: String = "", id: String = "e") -> String {
  let defaults = [
    ("experiment_id", "\"\(id)\""), ("experiment_group_id", #""g""#),
    ("preload", #"{"behavior":"ALWAYS"}"#),
    (
      "variants",
      #"[{"variant_id":"v","variant_type":"TREATMENT","percentage":100,"paywall_identifier":"pw"}]"#
    ),
  ]
  let own = defaults.filter { !members.contains("\"\($0.0)\":") }
    .map { "\"\($0.0)\":\($0.1)" }
  return "{" + ((members.isEmpty ? [] : [members]) + own).joined(separator: ",") + "}"
}

/// A rule with a condition.
func rule(when condition: String, more: String = "", id: String = "e") -> String {
  rule(
    #""expression_cel":"# + Value.string(condition).json + (more.isEmpty ? "" : "," + more), id: id)
}

/// A complete config of AgentWallie's, with these audiences at the placement `p`.
func agentWallie(_ audiences: String..., more: String = "") -> String {
  """
  {\(more)"paywalls":{},"campaigns":[{"id":"c","name":"C","status":"active",
   "placements":[{"id":"p1","name":"p","type":"custom","status":"active"}],
   "audiences":[\(audiences.joined(separator: ","))]}]}
  """
}

func wallieAudience(
  _ id: String = "a", filters: String = "", variants: String? = nil, experiment: String = "exp",
  more: String = ""
) -> String {
  let variants = variants ?? #"{"id":"v","paywall_id":"pw","traffic_percentage":100}"#
  return """
    {"id":"\(id)","name":"A","priority_order":1,"filters":[\(filters)],\(more)
     "experiment":{"id":"\(experiment)","status":"running","holdout_percentage":0,
     "variants":[\(variants)]}}
    """
}

extension CodePage.Example {
  /// A config with the example in it; nil when it is about something else.
  var config: String? {
    switch self {
    case .condition(let text): superwall(rule(when: text))
    case .audience(let members): superwall(rule(members))
    case .config(let text): text
    case .other: nil
    }
  }
}
