internal import Expressions
internal import RuleEngine

/// Two elements have the same ID: two variants of an experiment, or two experiments, paywalls,
/// campaigns or products.
///
/// Audiences of several placements may be the same audience of one campaign, so an experiment that
/// is identical in all of them is not a duplicate.
enum DuplicateIDs: Lint {
  static let page = CodePage(
    .duplicateID, .warning,
    what: "Two elements have the same ID, or an object has a key twice.",
    why: """
      Assignments are stored by the IDs of experiment and variant, and paywalls are found by ID. If two \
      elements have the same ID, one of them is never used, or they share data by mistake. If a key is \
      repeated, the first value is lost.
      """,
    example: .audience(
      """
      "variants": [
        {"variant_id": "v", "variant_type": "TREATMENT", "percentage": 50, "paywall_identifier": "a"},
        {"variant_id": "v", "variant_type": "TREATMENT", "percentage": 50, "paywall_identifier": "b"}]
      """),
    advice: "Give one of the elements another ID.",
    better: .audience(
      """
      "variants": [
        {"variant_id": "v1", "variant_type": "TREATMENT", "percentage": 50, "paywall_identifier": "a"},
        {"variant_id": "v2", "variant_type": "TREATMENT", "percentage": 50, "paywall_identifier": "b"}]
      """))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    subject.config.format == .superwall
      ? superwall(subject) : agentWallie(subject.root)
  }

  // MARK: Superwall

  private static func superwall(_ subject: LintSubject) -> [Diagnostic] {
    let root = subject.root
    var found = repeated("paywall", root.list("paywall_responses"), key: "identifier")
    var experiments = Experiments()
    for trigger in root.list("trigger_options") {
      experiments.beginPlacement()
      for rule in trigger.list("rules") {
        found += repeated("variant", rule.list("variants"), key: "variant_id")
        if let diagnostic = experiments.add(
          rule, id: rule.member("experiment_id"), keys: ("variant_id", "paywall_identifier"))
        {
          found.append(diagnostic)
        }
      }
    }
    return found
  }

  // MARK: AgentWallie

  private static func agentWallie(_ root: ConfigElement) -> [Diagnostic] {
    let campaigns = root.list("campaigns")
    var found = repeated("campaign", campaigns, key: "id")
    found += repeated("product", root.list("products"), key: "id")
    var experiments = Experiments()
    for campaign in campaigns {
      found += repeated("audience", campaign.list("audiences"), key: "id")
      for audience in campaign.list("audiences") {
        guard let experiment = audience.member("experiment") else { continue }
        found += repeated("variant", experiment.list("variants"), key: "id")
        // Audiences may share an experiment.
        experiments.beginPlacement()
        if let diagnostic = experiments.add(
          experiment, id: experiment.member("id"), keys: ("id", "paywall_id"))
        {
          found.append(diagnostic)
        }
      }
    }
    if case .map(let paywalls)? = root.member("paywalls")?.value {
      for entry in paywalls {
        guard case .string(let name) = entry.key else { continue }
        let paywall = ConfigElement(value: entry.value, path: "paywalls.\(name)")
        found += repeated("slot", paywall.list("products"), key: "slot")
      }
    }
    return found
  }

  // MARK: Finding

  /// Elements of a list whose ID an earlier element has.
  private static func repeated(_ what: String, _ elements: [ConfigElement], key: String)
    -> [Diagnostic]
  {
    // IDs are compared by their bytes, because comparing strings would normalize them.
    var known: [[UInt8]: String] = [:]
    var found: [Diagnostic] = []
    for element in elements {
      guard let id = element.member(key), let text = id.text else { continue }
      if let first = known[Array(text.utf8)] {
        found.append(
          finding(
            "there are two \(what)s with the ID '\(text)'", at: id.path,
            related: [Diagnostic.Related(path: first, message: "the other one")],
            suggestion: "give one of them another ID"))
      } else {
        known[Array(text.utf8)] = id.path
      }
    }
    return found
  }

  /// The experiments of a config so far.
  private struct Experiments {
    private struct Known {
      var path: String
      var arms: Set<[String?]>
      var place: Int
    }

    private var known: [[UInt8]: Known] = [:]
    private var place = 0

    mutating func beginPlacement() { place += 1 }

    /// Adds an experiment. Returns a finding if the experiment differs from an earlier experiment
    /// with the same ID.
    mutating func add(
      _ element: ConfigElement, id: ConfigElement?, keys: (id: String, paywall: String)
    ) -> Diagnostic? {
      guard let id, let text = id.text else { return nil }
      let arms = element.list("variants").map { variant in
        [variant.member(keys.id)?.text, variant.member(keys.paywall)?.text]
      }
      guard let first = known[Array(text.utf8)] else {
        known[Array(text.utf8)] = Known(path: id.path, arms: Set(arms), place: place)
        return nil
      }
      let isSame = first.arms == Set(arms)
      if isSame, first.place != place { return nil }
      return DuplicateIDs.finding(
        isSame
          ? "two audiences of one placement have the experiment '\(text)'"
          : "the experiment '\(text)' appears twice, with different variants",
        at: id.path, related: [Diagnostic.Related(path: first.path, message: "the other one")],
        notes: ["users with a variant in one audience have it in the other, too"],
        suggestion: "give one of them another ID")
    }
  }
}
