package import Expressions
internal import RuleEngine

/// An audience or a running experiment has no variants, so that matching users get an error.
///
/// `"variants": []`
enum NoVariants: Lint {
  static let page = CodePage(
    .noVariants, .error,
    what: "An audience has no variants.",
    why: """
      Users that match it get neither a paywall nor a holdout. Their outcome is an error, and later \
      audiences are not tried.
      """,
    example: .audience(#""variants": []"#),
    advice: "Add a variant with a paywall, or remove the audience.",
    better: .audience(
      #""variants": [{"variant_id": "v", "variant_type": "TREATMENT", "percentage": 100, "paywall_identifier": "pw"}]"#
    ))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    subject.audiences.compactMap { audience -> Diagnostic? in
      if audience.experimentStatus == .absent {
        return finding(
          "the audience has no experiment: users who match get an error",
          at: audience.path,
          suggestion: "add an experiment with a variant, or remove the audience")
      }
      let path = subject.variantsPath(of: audience)
      // A value that is not a list is already reported.
      guard audience.experimentStatus == .running, !audience.unreadVariants.contains(path),
        !audience.variants.contains(where: { !$0.isGap })
      else { return nil }
      // If no element of a list can be decoded, the elements are already reported.
      if case .list(let elements)? = subject.root.value(at: path), !elements.isEmpty { return nil }
      return finding(
        subject.config.format == .agentWallie
          ? "the experiment has no variants: every user is held out"
          : "the audience has no variants: users who match get an error",
        at: path, suggestion: "add a variant with a paywall, or remove the audience")
    }
  }
}

extension Diagnostic.Code {
  /// An audience or an experiment without variants.
  package static let noVariants = Self(rawValue: "no-variants")
}
