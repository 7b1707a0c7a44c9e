package import Expressions
internal import RuleEngine

/// A name or a compared string begins or ends with white space.
///
/// `user.plan == "pro "`
enum OuterSpaces: Lint {
  static let page = CodePage(
    .outerSpace, .warning,
    what: "A name, an ID or a string in a comparison begins or ends with white space.",
    why: """
      Strings are compared character by character, and no SDK sends such values: SDKs trim user IDs. A \
      placement whose name ends with a space is never found.
      """,
    example: .condition(#"user.plan == "pro ""#),
    advice:
      "Remove the white space. Non-breaking spaces and tabs look like nothing in most editors.",
    better: .condition(#"user.plan == "pro""#))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    subject.conditions.flatMap { literals(in: $0) } + names(in: subject)
  }

  private static func literals(in condition: LintSubject.Condition) -> [Diagnostic] {
    let expression = condition.expression
    return expression.relations.flatMap { relation -> [Diagnostic] in
      guard !relation.isOrder,
        let (attribute, literals) = relation.attributeWithLiterals(in: expression)
      else { return [] }
      return literals.flatMap { literal -> [Diagnostic] in
        guard case .string(let text)? = expression.literal(literal), let place = place(text) else {
          return []
        }
        let trimmed = Value.string(trimmed(text)).json
        return findings(
          "the string \(place): '\(expression.text(attribute))' hardly ever does", in: condition,
          range: expression[literal].range, suggestion: "write \(trimmed)",
          fix: Diagnostic.Fix(
            [Diagnostic.Fix.Edit(expression[literal].range, trimmed)], isSafe: false))
      }
    }
  }

  /// Names of the config.
  private static func names(in subject: LintSubject) -> [Diagnostic] {
    let isSuperwall = subject.config.format == .superwall
    var found: [Diagnostic] = []
    func check(_ text: String?, _ path: String) {
      guard let text, let place = place(text) else { return }
      found.append(
        finding(
          "'\(DiagnosticText.visible(text))' \(place)", at: path,
          suggestion: "write \(Value.string(trimmed(text)).json)"))
    }
    for placement in subject.root.list("trigger_options") where isSuperwall {
      check(placement.member("event_name")?.text, "\(placement.path).event_name")
    }
    for audience in subject.audiences where isSuperwall {
      check(audience.experimentID, "\(audience.path).experiment_id")
      check(audience.occurrenceLimit?.key, "\(audience.path).occurrence.key")
      for (number, variant) in audience.variants.enumerated() {
        let path = "\(subject.variantsPath(of: audience))[\(number)]"
        check(variant.id, "\(path).variant_id")
        check(variant.paywallID, "\(path).paywall_identifier")
      }
    }
    return found
  }

  /// The place of white space outside strings; nil without any.
  private static func place(_ text: String) -> String? {
    guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last else {
      return nil
    }
    return switch (isSpace(first), isSpace(last)) {
    case (true, true): "begins and ends with \(name(first))"
    case (true, false): "begins with \(name(first))"
    case (false, true): "ends with \(name(last))"
    case (false, false): nil
    }
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar.value < 0x20
      || (0x200B...0x200D).contains(scalar.value)
      || scalar.value == 0xFEFF || scalar.value == 0x2060
  }

  private static func name(_ scalar: Unicode.Scalar) -> String {
    switch scalar.value {
    case 0x20: "a space"
    case 0x09: "a tab"
    case 0x0A, 0x0D: "a line break"
    case 0xA0: "a non-breaking space"
    case let code: "the invisible character U+" + hex(code)
    }
  }

  private static func hex(_ code: UInt32) -> String {
    let digits = String(code, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  private static func trimmed(_ text: String) -> String {
    var scalars = Substring(text).unicodeScalars
    while let first = scalars.first, isSpace(first) { scalars.removeFirst() }
    while let last = scalars.last, isSpace(last) { scalars.removeLast() }
    return String(scalars)
  }
}

extension Diagnostic.Code {
  /// White space at the beginning or the end of a name or a compared string.
  package static let outerSpace = Self(rawValue: "outer-space")
}
