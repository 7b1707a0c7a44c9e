internal import Expressions
internal import RuleEngine

/// An AgentWallie campaign names a placement twice. Superwall triggers with the same name are
/// reported while decoding; the last one is used.
enum DuplicateTriggers: Lint {
  static let page = CodePage(
    .duplicateTrigger, .warning,
    what:
      "A config has two triggers with the same name, or a campaign has two placements with the same name.",
    why: """
      Tollgate uses the last of the two, and Superwall's SDKs use either. The audiences of the unused trigger \
      are never tried.
      """,
    example: .config(
      """
      {"trigger_options": [
        {"event_name": "upgrade", "rules": []},
        {"event_name": "upgrade", "rules": []}]}
      """),
    advice: "Keep one, and give it the audiences of both, in order.",
    better: .config(#"{"trigger_options": [{"event_name": "upgrade", "rules": []}]}"#))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    guard subject.config.format == .agentWallie else { return [] }
    return subject.root.list("campaigns").flatMap { campaign in
      var known: [[UInt8]: String] = [:]
      return campaign.list("placements").compactMap { placement -> Diagnostic? in
        guard let name = placement.member("name"), let text = name.text else { return nil }
        guard let first = known.updateValue(name.path, forKey: Array(text.utf8)) else { return nil }
        return finding(
          "the campaign has the placement '\(text)' twice", at: name.path,
          related: [Diagnostic.Related(path: first, message: "the other one")],
          suggestion: "remove one of them")
      }
    }
  }
}
