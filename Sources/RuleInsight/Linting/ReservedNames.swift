internal import Expressions
internal import RuleEngine

/// A name that an SDK or the language reserves.
///
/// `user["$plan"]`: SDKs drop attributes whose names begin with `$`.
enum ReservedNames: Lint {
  static let page = CodePage(
    .reservedName, .warning,
    what: "An attribute, a variable or a slot has a reserved name.",
    why: """
      SDKs drop attributes and parameters whose names start with '$', so conditions never see them. A \
      loop variable 'user' hides the user. A slot 'selected' of a paywall hides the selected product.
      """,
    example: .condition(#"user["$plan"] == "pro""#),
    advice: "Choose another name, in the app and here.",
    better: .condition(#"user.plan == "pro""#))

  /// Parameters that SDKs add themselves.
  private static let added: Set<String> = [
    "$is_standard_event", "$event_name", "$app_session_id", "$is_feature_gatable",
  ]

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    guard subject.config.format == .superwall else { return [] }
    return subject.conditions.flatMap { condition -> [Diagnostic] in
      let expression = condition.expression
      var found: [Diagnostic] = []
      for (id, path) in expression.attributes {
        guard ["user", "params"].contains(path[0]), path[1].hasPrefix("$"),
          path[0] == "user" || !added.contains(path[1])
        else { continue }
        found += findings(
          "SDKs drop names that begin with '$': '\(path[1])' is always missing", in: condition,
          range: expression[id].range,
          suggestion: "choose another name, in the app and here")
      }
      expression.visit { id, _ in
        guard let (variable, name) = hidingVariable(id, expression) else { return }
        found += findings(
          "the variable '\(name)' hides the attributes of that name", in: condition,
          range: expression[variable].range, suggestion: "give the variable another name")
      }
      return found
    }
  }

  /// Reports a loop variable that has the name of a root.
  private static func hidingVariable(_ id: ParsedExpression.ID, _ expression: ParsedExpression)
    -> (id: ParsedExpression.ID, name: String)?
  {
    guard let call = expression.call(id), call.target != nil,
      ParsedExpression.loops.contains(call.name),
      call.arguments.count > 1, let variable = call.arguments.first,
      expression[variable].kind == .identifier
    else { return nil }
    let name = expression.text(variable)
    return ["user", "device", "params", "computed"].contains(name) ? (variable, name) : nil
  }
}
