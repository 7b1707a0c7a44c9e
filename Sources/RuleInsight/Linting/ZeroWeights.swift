internal import Expressions
internal import RuleEngine

/// An AgentWallie experiment gives its variants no users, because all percentages are 0. In
/// Superwall's configs, weights of 0 mean equal chances, and decoding reports them.
enum ZeroWeights: Lint {
  static let page = CodePage(
    .weightsZero, .warning,
    what: "All variants of an experiment have the weight 0.",
    why: """
      In Superwall's configs, all variants are then equally likely. In AgentWallie's configs, every user \
      is held out, so no user gets a paywall.
      """,
    example: .audience(
      """
      "variants": [
        {"variant_id": "a", "variant_type": "TREATMENT", "percentage": 0, "paywall_identifier": "pw"},
        {"variant_id": "b", "variant_type": "HOLDOUT", "percentage": 0}]
      """),
    advice: "Write the share of each variant. To stop an experiment, pause it.",
    better: .audience(
      """
      "variants": [
        {"variant_id": "a", "variant_type": "TREATMENT", "percentage": 90, "paywall_identifier": "pw"},
        {"variant_id": "b", "variant_type": "HOLDOUT", "percentage": 10}]
      """))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    guard subject.config.format == .agentWallie else { return [] }
    return subject.audiences.compactMap { audience -> Diagnostic? in
      let written = audience.variants.filter { !$0.isGap }
      guard audience.experimentStatus == .running, !written.isEmpty,
        written.allSatisfy({ $0.weight == 0 })
      else { return nil }
      return finding(
        "all percentages are 0: every user is held out", at: subject.variantsPath(of: audience),
        suggestion: "write the share of each variant, or pause the experiment")
    }
  }
}
