internal import Expressions
internal import RuleEngine

/// Pages of codes that decoding and compiling a config give.
extension CodePage {
  static let ofConfigs: [CodePage] = [
    CodePage(
      .decodeFailure, .error,
      what: "A part of a config is not what it must be.",
      why: "It is left out, and its siblings work. SDKs in the field reject the whole config.",
      example: .audience(#""occurrence": {"key": "k", "max_count": "often"}"#),
      advice:
        "Write what the message says. A text that is not JSON is told with what was expected.",
      better: .audience(
        #""occurrence": {"key": "k", "max_count": 3, "interval": {"type": "INFINITY"}}"#)),
    CodePage(
      .wouldReject, .error,
      what: "A value of which an SDK in the field rejects the whole config.",
      why: """
        Here it is used, or what the message says; there, nobody gets any paywall. With \
        --elsewhere off it is a note.
        """,
      example: .audience(
        #""variants": [{"variant_id": "v", "variant_type": "HOLDOUT", "percentage": 33.3}]"#),
      advice: "Write what all SDKs take.",
      better: .audience(
        #""variants": [{"variant_id": "v", "variant_type": "HOLDOUT", "percentage": 33}]"#)),
    CodePage(
      .notAnExport, .warning,
      what: "Keys that SDKs require are not there.",
      why: """
        SDKs reject a config without them; deciding here needs none of them. A config that was \
        written by hand lacks many, which is one warning. With --elsewhere strict it is an error, \
        with --elsewhere off a note.
        """,
      example: .config(#"{"trigger_options": []}"#),
      advice: "Nothing, for offline use. For SDKs, start from an export of the dashboard.",
      better: .config(
        """
        {"build_id": "b", "trigger_options": [], "paywall_responses": [], "log_level": 10,
         "app_session_timeout_ms": 3600000, "toggles": [], "products": [], "postback": {},
         "disable_preload": {"all": false, "triggers": []}, "localization": {"locales": []}}
        """)),
    CodePage(
      .unknownKey, .note,
      what: "A key that nobody reads.",
      why:
        "It is left alone. Where a known key is near, it is a warning: what was meant is missing. In records "
        + "of users it is one where all users have it.",
      example: .audience(#""expresion_cel": "user.plan == 'free'""#),
      advice: "Write the known key, or take it out.",
      better: .audience(#""expression_cel": "user.plan == 'free'""#)),
    CodePage(
      .variantWithoutPaywall, .error,
      what: "A treatment names no paywall.",
      why: "The outcome of everybody who is assigned it is an error.",
      example: .audience(
        #""variants": [{"variant_id": "v", "variant_type": "TREATMENT", "percentage": 100}]"#),
      advice: "Name a paywall, or make it a HOLDOUT.",
      better: .audience(
        #""variants": [{"variant_id": "v", "variant_type": "HOLDOUT", "percentage": 100}]"#)),
    CodePage(
      .unknownPaywall, .error,
      what: "A variant names a paywall that the config does not hold.",
      why: "SDKs find no paywall to show. For a holdout, which shows none, it is a warning.",
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
        "They are weights: of 30 and 30, each gets half. In AgentWallie's configs the rest is held out.",
      example: .audience(
        """
        "variants": [
          {"variant_id": "a", "variant_type": "HOLDOUT", "percentage": 30},
          {"variant_id": "b", "variant_type": "HOLDOUT", "percentage": 30}]
        """),
      advice: "Nothing, if it is meant so.",
      better: .audience(
        """
        "variants": [
          {"variant_id": "a", "variant_type": "HOLDOUT", "percentage": 50},
          {"variant_id": "b", "variant_type": "HOLDOUT", "percentage": 50}]
        """)),
    CodePage(
      .legacyExpression, .warning,
      what: "A condition in a form that nothing evaluates any more.",
      why: "SDKs evaluate 'expression_cel' alone; without it the audience is everybody.",
      example: .audience(#""expression": "user.plan == 'free'""#),
      advice: "Write the condition under 'expression_cel'.",
      better: .audience(#""expression_cel": "user.plan == 'free'""#)),
  ]

  static let ofRules: [CodePage] = [
    CodePage(
      .occurrenceKeyConflict, .warning,
      what: "One occurrence key has different limits.",
      why: "Occurrences are counted by their key: what one audience allows the other has used up.",
      example: .config(occurrences("k", "k")),
      advice: "Give each limit a key of its own, or both the same limit.",
      better: .config(occurrences("k1", "k2"))),
    CodePage(
      .unreachableAudience, .warning,
      what: "Nobody gets to an audience.",
      why: "Audiences before it take everybody whom it would take.",
      example: .config(
        """
        {"trigger_options": [{"event_name": "p", "rules": [
          {"experiment_id": "all", "experiment_group_id": "g",
           "variants": [{"variant_id": "v", "variant_type": "HOLDOUT", "percentage": 100}]},
          {"experiment_id": "some", "experiment_group_id": "g", "expression_cel": "user.age > 18",
           "variants": [{"variant_id": "w", "variant_type": "HOLDOUT", "percentage": 100}]}]}]}
        """),
      advice: "Put it before those that take its users, or take it out.",
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
      what: "Clauses that cannot all be true.",
      why: "The audience takes nobody.",
      example: .other("user.age < 18 && user.age > 21"),
      advice: "Write what is meant; often '||' was meant.",
      better: .other("user.age > 21 || user.age == 18")),
    CodePage(
      Diagnostic.Code(rawValue: "expired-audience"), .warning,
      what: "An audience that could only match before now.",
      why: "Its time is over, and nobody gets it any more.",
      example: .other(#"device.utcDate < "2020-01-01""#),
      advice: "Take it out, or write another date."),
    CodePage(
      .djb2Correlated, .warning,
      what: "Experiments whose assignments depend on each other.",
      why: """
        AgentWallie's hash puts a user into buckets that differ by a constant when the IDs of two \
        experiments are equally long. Who is in one variant here is nearly always in one variant \
        there, so the experiments measure each other.
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
