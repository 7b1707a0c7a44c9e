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
      "Remove the white space. Most editors do not show non-breaking spaces and tabs.",
    better: .condition(#"user.plan == "pro""#))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    subject.conditions.flatMap { literals(in: $0, subject) } + names(in: subject)
      + filters(in: subject)
  }

  private static func literals(in condition: LintSubject.Condition, _ subject: LintSubject)
    -> [Diagnostic]
  {
    let expression = condition.expression
    var found: [Diagnostic] = []
    func check(_ literal: ParsedExpression.ID, _ what: String, _ ends: Ends) {
      guard case .string(let text)? = expression.literal(literal),
        let place = place(text, ends)
      else { return }
      let trimmed = Value.string(trimmed(text)).json
      found += findings(
        "the string \(place): \(what)", in: condition, range: expression[literal].range,
        suggestion: "write \(trimmed)",
        fix: Diagnostic.Fix(
          [Diagnostic.Fix.Edit(expression[literal].range, trimmed)], isSafe: false))
    }
    expression.visit { id, _ in
      if let relation = Relation(id, in: expression), !relation.isOrder {
        if let (attribute, literals) = relation.attributeWithLiterals(in: expression) {
          let what = "'\(expression.text(attribute))' hardly ever does"
          for literal in literals { check(literal, what, .both) }
        } else if relation.kind == .in, expression.path(relation.right) != nil {
          check(relation.left, "no element of '\(expression.text(relation.right))' does", .both)
        }
      }
      if let call = expression.call(id) { strings(of: call, in: expression, subject, check) }
      if expression[id].kind == .index, expression.path(id) != nil {
        check(Int(expression[id].b), "names of attributes hardly ever do", .both)
      }
    }
    return found
  }

  private enum Ends {
    case first, last, both
  }

  /// The strings that a call compares with a whole value, its beginning or its end.
  private static func strings(
    of call: (name: String, target: ParsedExpression.ID?, arguments: [ParsedExpression.ID]),
    in expression: ParsedExpression, _ subject: LintSubject,
    _ check: (ParsedExpression.ID, String, Ends) -> Void
  ) {
    guard let argument = call.arguments.first else { return }
    if subject.isSuperscript, HostFunction(rawValue: call.name) != nil {
      return check(argument, "no event has such a name", .both)
    }
    guard let target = call.target else { return }
    let name = expression.text(target)
    switch call.name {
    case "startsWith": check(argument, "'\(name)' hardly ever does", .first)
    case "endsWith": check(argument, "'\(name)' hardly ever does", .last)
    case "contains":
      if expression[target].kind == .list {
        for element in expression.tree.list(expression[target].c) {
          check(Int(element), "'\(expression.text(argument))' hardly ever does", .both)
        }
      } else if let path = expression.path(target),
        case .list? = subject.schema.attribute(path)?.kind
      {
        check(argument, "no element of '\(name)' does", .both)
      }
    default: return
    }
  }

  private static func filters(in subject: LintSubject) -> [Diagnostic] {
    subject.filters.flatMap { placed -> [Diagnostic] in
      guard placed.filter.operator != .contains else { return [] }
      return placed.values.compactMap { value, path -> Diagnostic? in
        guard let text = value.text, let place = place(text, .both) else { return nil }
        return finding(
          "the string \(place): '\(placed.filter.field)' hardly ever does", at: path,
          suggestion: "write \(Value.string(trimmed(text)).json)", subject: placed.filter.field)
      }
    }
  }

  /// Names of the config.
  private static func names(in subject: LintSubject) -> [Diagnostic] {
    let isSuperwall = subject.config.format == .superwall
    var found: [Diagnostic] = []
    func check(_ text: String?, _ path: String) {
      guard let text, let place = place(text, .both) else { return }
      found.append(
        finding(
          "'\(DiagnosticText.visible(text))' \(place)", at: path,
          suggestion: "write \(Value.string(trimmed(text)).json)"))
    }
    for placement in subject.root.list("trigger_options") where isSuperwall {
      check(placement.member("event_name")?.text, "\(placement.path).event_name")
    }
    for user in subject.root.list("test_mode_user_ids") where isSuperwall {
      check(user.member("value")?.text, "\(user.path).value")
    }
    for audience in subject.audiences where isSuperwall {
      check(audience.experimentID, "\(audience.path).experiment_id")
      let group = "\(audience.path).experiment_group_id"
      check(subject.root.value(at: group)?.text, group)
      for (number, property) in audience.computedProperties.enumerated() {
        check(property.eventName, "\(audience.path).computed_properties[\(number)].event_name")
      }
      check(audience.occurrenceLimit?.key, "\(audience.path).occurrence.key")
      for (number, variant) in audience.variants.enumerated() {
        let path = "\(subject.variantsPath(of: audience))[\(number)]"
        check(variant.id, "\(path).variant_id")
        check(variant.paywallID, "\(path).paywall_identifier")
      }
    }
    return found
  }

  /// The position of white space at the ends of a string, in words; nil if there is none.
  private static func place(_ text: String, _ ends: Ends) -> String? {
    guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last else {
      return nil
    }
    return switch (ends != .last && isSpace(first), ends != .first && isSpace(last)) {
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
