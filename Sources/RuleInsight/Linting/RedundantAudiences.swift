package import Expressions
internal import RuleEngine

/// An audience has the same outcome as the next audience, which matches every user.
enum RedundantAudiences: Lint {
  static let page = CodePage(
    .redundantAudience, .note,
    what: "An audience shows the same paywall as the next audience, which matches every user.",
    why: "If you remove the audience, the same users see the same paywall. Only statistics differ.",
    example: .config(
      """
      {"trigger_options": [{"event_name": "p", "rules": [
        {"experiment_id": "1", "experiment_group_id": "g", "expression_cel": "user.plan == 'free'",
         "variants": [{"variant_id": "a", "variant_type": "TREATMENT", "percentage": 100,
                       "paywall_identifier": "pw"}]},
        {"experiment_id": "2", "experiment_group_id": "g",
         "variants": [{"variant_id": "b", "variant_type": "TREATMENT", "percentage": 100,
                       "paywall_identifier": "pw"}]}]}]}
      """),
    advice: "Remove the audience, unless you need its statistics.",
    better: .config(
      """
      {"trigger_options": [{"event_name": "p", "rules": [
        {"experiment_id": "2", "experiment_group_id": "g",
         "variants": [{"variant_id": "b", "variant_type": "TREATMENT", "percentage": 100,
                       "paywall_identifier": "pw"}]}]}]}
      """))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    var paths: Set<String> = []
    return subject.config.placements.flatMap { placement in
      zip(placement.audiences, placement.audiences.dropFirst()).compactMap {
        audience, next -> Diagnostic? in
        guard next.isEverybody, !audience.isEverybody, let paywall = onlyPaywall(audience),
          paywall == onlyPaywall(next), paths.insert(audience.path).inserted
        else { return nil }
        return finding(
          "users of this audience would get the paywall '\(paywall)' from the next audience, too",
          at: audience.path,
          related: [
            Diagnostic.Related(path: next.path, message: "this audience matches every user")
          ])
      }
    }
  }

  /// The paywall that all users of an audience get. Nil if there are several paywalls, or if the
  /// audience may hold users back.
  private static func onlyPaywall(_ audience: Audience) -> String? {
    guard audience.occurrenceLimit == nil, audience.entitlementGuard == nil,
      audience.experimentStatus == .running, audience.variants.count == 1,
      audience.variants[0].kind == .treatment
    else { return nil }
    return audience.variants[0].paywallID
  }
}

extension Diagnostic.Code {
  /// An audience that could be removed without changing any user's paywall.
  package static let redundantAudience = Self(rawValue: "redundant-audience")
}
