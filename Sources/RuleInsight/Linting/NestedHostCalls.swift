package import Expressions
internal import RuleEngine

/// A function of the SDK is called inside the arguments of another SDK function.
///
/// `device.daysSince(string(device.placementsInDay("x")))`
enum NestedHostCalls: Lint {
  static let page = CodePage(
    .nestedHostCall, .error,
    what: "An SDK function is called inside the arguments of another SDK function.",
    why: """
      In every SDK, the inner call waits until the outer call has finished, so evaluating the condition \
      never ends. Tollgate evaluates both calls.
      """,
    example: .condition(#"device.daysSince(string(device.placementsInDay("x"))) > 3"#),
    advice: "Pass the event's name as a string, and compare the results of two calls.",
    better: .condition(#"device.daysSince("x") > 3 && device.placementsInDay("x") > 1"#))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    guard subject.isSuperscript else { return [] }
    return subject.conditions.flatMap { condition -> [Diagnostic] in
      let expression = condition.expression
      var found: [Diagnostic] = []
      expression.visit { id, _ in
        guard expression.isHostCall(id, subject.language), let call = expression.call(id),
          let inner = call.arguments.lazy.compactMap({
            innerCall($0, in: expression, subject.language)
          }).first
        else { return }
        found += findings(
          "\(inner)() is called in the arguments of \(call.name)(): every SDK hangs here",
          in: condition, range: expression[id].range,
          suggestion: "write the event's name in quotes, or compare the calls separately")
      }
      return found
    }
  }

  private static func innerCall(
    _ id: ParsedExpression.ID, in expression: ParsedExpression, _ language: RuleLanguage
  ) -> String? {
    if expression.isHostCall(id, language) { return expression.call(id)?.name }
    return expression.tree.operands(of: expression[id]).lazy
      .compactMap { innerCall($0, in: expression, language) }.first
  }
}

extension Diagnostic.Code {
  /// A call of an SDK function inside the arguments of another SDK function.
  package static let nestedHostCall = Self(rawValue: "nested-host-call")
}
