internal import Expressions
internal import RuleEngine

/// Pages of diagnostic codes from decoding and compiling a config.
extension CodePage {
  static let ofConfigs: [CodePage] = [
    CodePage(
      .decodeFailure, .error,
      what: "A value has the wrong type or is out of range.",
      why:
        "Tollgate ignores the value and uses the rest of the config. Shipped SDKs reject the whole config.",
      example: .audience(#""occurrence": {"key": "k", "max_count": "often"}"#),
      advice:
        "Change the value as the message suggests. For invalid JSON, the message says what was expected.",
      better: .audience(
        #""occurrence": {"key": "k", "max_count": 3, "interval": {"type": "INFINITY"}}"#)),
    CodePage(
      .wouldReject, .error,
      what: "A value makes a shipped SDK reject the whole config.",
      why: """
        Tollgate uses the value, or the value that the message names. Users of that SDK get no paywall at \
        all. With --elsewhere off, the finding is a note.
        """,
      example: .audience(
        #""variants": [{"variant_id": "v", "variant_type": "HOLDOUT", "percentage": 33.3}]"#),
      advice: "Write a value that all SDKs accept.",
      better: .audience(
        #""variants": [{"variant_id": "v", "variant_type": "HOLDOUT", "percentage": 33}]"#)),
    CodePage(
      .notAnExport, .warning,
      what: "Keys that SDKs require are missing.",
      why: """
        SDKs reject a config without these keys, but Tollgate does not need them. All missing keys of a \
        config are reported in one warning. With --elsewhere strict, the warning is an error, and with \
        --elsewhere off, a note.
        """,
      example: .config(#"{"trigger_options": []}"#),
      advice:
        "Ignore the finding for offline use. For SDKs, start from an export of the dashboard.",
      better: .config(
        """
        {"build_id": "b", "trigger_options": [], "paywall_responses": [], "log_level": 10,
         "app_session_timeout_ms": 3600000, "toggles": [], "products": [], "postback": {},
         "disable_preload": {"all": false, "triggers": []}, "localization": {"locales": []}}
        """)),
    CodePage(
      .unknownKey, .note,
      what: "A file has a key that Tollgate does not know.",
      why:
        "Tollgate ignores unknown keys. A key that resembles a known one is a warning, because "
        + "the known key is probably missing. "
        + "In user records, an unknown key is a warning only if every user has it.",
      example: .audience(#""expresion_cel": "user.plan == 'free'""#),
      advice: "Write the known key, or remove the unknown one.",
      better: .audience(#""expression_cel": "user.plan == 'free'""#)),
    CodePage(
      .variantWithoutPaywall, .error,
      what: "A treatment names no paywall.",
      why: "Users with this variant get an error.",
      example: .audience(
        #""variants": [{"variant_id": "v", "variant_type": "TREATMENT", "percentage": 100}]"#),
      advice: "Name a paywall, or make the variant a HOLDOUT.",
      better: .audience(
        #""variants": [{"variant_id": "v", "variant_type": "HOLDOUT", "percentage": 100}]"#)),
    CodePage(
      .unknownPaywall, .error,
      what: "A variant names a paywall that the config does not have.",
      why:
        "SDKs find no paywall to show. For a holdout, this is only a warning, because a holdout shows no paywall.",
      example: .config(
        """
        {"paywall_responses": [{"identifier": "winter", "name": "Winter", "url": "https://x.example"}],
         "trigger_options": [{"event_name": "p", "rules": [
          {"experiment_id": "e", "experiment_group_id": "g", "variants": [
           {"variant_id": "v", "variant_type": "TREATMENT", "percentage": 100,
            "paywall_identifier": "wintre"}]}]}]}
        """),
      advice: "Write the identifier of a paywall of the config.",
      better: .config(
        """
        {"paywall_responses": [{"identifier": "winter", "name": "Winter", "url": "https://x.example"}],
         "trigger_options": [{"event_name": "p", "rules": [
          {"experiment_id": "e", "experiment_group_id": "g", "variants": [
           {"variant_id": "v", "variant_type": "TREATMENT", "percentage": 100,
            "paywall_identifier": "winter"}]}]}]}
        """)),
    CodePage(
      .weightsNot100, .note,
      what: "The weights of variants do not sum to 100.",
      why:
        "Weights are relative: with 30 and 30, each variant gets half of the users. In "
        + "AgentWallie's configs, the remaining users are held out.",
      example: .audience(
        """
        "variants": [
          {"variant_id": "a", "variant_type": "HOLDOUT", "percentage": 30},
          {"variant_id": "b", "variant_type": "HOLDOUT", "percentage": 30}]
        """),
      advice: "Ignore the finding if these weights are intended.",
      better: .audience(
        """
        "variants": [
          {"variant_id": "a", "variant_type": "HOLDOUT", "percentage": 50},
          {"variant_id": "b", "variant_type": "HOLDOUT", "percentage": 50}]
        """)),
    CodePage(
      .legacyExpression, .warning,
      what: "A condition has a form that SDKs no longer evaluate.",
      why: "SDKs evaluate only 'expression_cel'. An audience without this key matches every user.",
      example: .audience(#""expression": "user.plan == 'free'""#),
      advice: "Write the condition under 'expression_cel'.",
      better: .audience(#""expression_cel": "user.plan == 'free'""#)),
  ]

  static let ofRules: [CodePage] = [
    CodePage(
      .occurrenceKeyConflict, .warning,
      what: "An occurrence key is used with different limits.",
      why:
        "Occurrences are counted by key, so one audience can use up the occurrences that another audience allows.",
      example: .config(occurrences("k", "k")),
      advice: "Give each audience its own key, or use the same limit for both.",
      better: .config(occurrences("k1", "k2"))),
    CodePage(
      .unreachableAudience, .warning,
      what: "No user reaches an audience.",
      why: "Earlier audiences take every user that this audience would take.",
      example: .config(
        """
        {"trigger_options": [{"event_name": "p", "rules": [
          {"experiment_id": "all", "experiment_group_id": "g",
           "variants": [{"variant_id": "v", "variant_type": "HOLDOUT", "percentage": 100}]},
          {"experiment_id": "some", "experiment_group_id": "g", "expression_cel": "user.age > 18",
           "variants": [{"variant_id": "w", "variant_type": "HOLDOUT", "percentage": 100}]}]}]}
        """),
      advice: "Move the audience before those that take its users, or remove it.",
      better: .config(
        """
        {"trigger_options": [{"event_name": "p", "rules": [
          {"experiment_id": "some", "experiment_group_id": "g", "expression_cel": "user.age > 18",
           "variants": [{"variant_id": "w", "variant_type": "HOLDOUT", "percentage": 100}]},
          {"experiment_id": "all", "experiment_group_id": "g",
           "variants": [{"variant_id": "v", "variant_type": "HOLDOUT", "percentage": 100}]}]}]}
        """)),
    CodePage(
      Diagnostic.Code(rawValue: "contradictory-clauses"), .warning,
      what: "The clauses of a condition cannot all be true.",
      why: "The audience never matches.",
      example: .other("user.age < 18 && user.age > 21"),
      advice: "Correct the condition; often '||' is intended.",
      better: .other("user.age > 21 || user.age == 18")),
    CodePage(
      Diagnostic.Code(rawValue: "expired-audience"), .warning,
      what: "An audience can no longer match any user.",
      why: "The condition compares the current time with dates in the past.",
      example: .other(#"device.utcDate < "2020-01-01""#),
      advice: "Remove the audience, or write another date."),
    CodePage(
      .djb2Correlated, .warning,
      what: "The assignments of two experiments depend on each other.",
      why: """
        If the IDs of two experiments have the same length, AgentWallie's hash puts each user into buckets \
        that differ by a constant. Users with one variant of the first experiment nearly always have the \
        same variant of the second, so the effects of the experiments cannot be separated.
        """,
      example: .config(campaigns("exp-a", "exp-b")),
      advice: "Assign by hash (--assigner hash), or give the experiments IDs of different lengths.",
      better: .config(campaigns("exp-a", "experiment-b"))),
  ]

  private static func occurrences(_ first: String, _ second: String) -> String {
    """
    {"trigger_options": [{"event_name": "p", "rules": [
      {"experiment_id": "1", "experiment_group_id": "g", "expression_cel": "user.age > 18",
       "occurrence": {"key": "\(first)", "max_count": 1, "interval": {"type": "INFINITY"}},
       "variants": [{"variant_id": "v", "variant_type": "HOLDOUT", "percentage": 100}]},
      {"experiment_id": "2", "experiment_group_id": "g",
       "occurrence": {"key": "\(second)", "max_count": 3, "interval": {"type": "INFINITY"}},
       "variants": [{"variant_id": "w", "variant_type": "HOLDOUT", "percentage": 100}]}]}]}
    """
  }

  private static func campaigns(_ first: String, _ second: String) -> String {
    """
    {"paywalls": {}, "campaigns": [{"id": "c", "name": "C", "status": "active",
      "placements": [{"id": "p", "name": "p", "type": "custom", "status": "active"}],
      "audiences": [
        {"id": "a", "name": "A", "priority_order": 1, "filters": [],
         "experiment": {"id": "\(first)", "status": "running", "holdout_percentage": 0,
           "variants": [{"id": "v", "paywall_id": "pw", "traffic_percentage": 100}]}},
        {"id": "b", "name": "B", "priority_order": 2, "filters": [],
         "experiment": {"id": "\(second)", "status": "running", "holdout_percentage": 0,
           "variants": [{"id": "v", "paywall_id": "pw", "traffic_percentage": 100}]}}]}]}
    """
  }
}
