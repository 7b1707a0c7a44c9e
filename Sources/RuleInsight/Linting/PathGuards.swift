package import Expressions
internal import RuleEngine

/// `has()` with a path only tests the path's last name.
///
/// `has(user.address.city)` is an error in CEL for users without an address.
enum PathGuards: Lint {
  static let page = CodePage(
    .pathGuard, .warning,
    what: "has() tests a path whose inner part may be missing.",
    why: """
      In CEL, has(user.address.city) is an error for a user without an address, so the condition does not \
      match. In superscript, has(user.address.city) is false for such a user.
      """,
    example: .other("has(user.address.city) && user.address.city == 'Berlin'"),
    advice: "Test each part of the path.",
    better: .other(
      "has(user.address) && has(user.address.city) && user.address.city == 'Berlin'"))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    guard !subject.isSuperscript else { return [] }
    return subject.conditions.flatMap { condition -> [Diagnostic] in
      let expression = condition.expression
      var found: [Diagnostic] = []
      GuardWalk(expression, isSuperscript: false).visit { id, place in
        guard let call = expression.call(id), call.name == "has",
          let argument = call.arguments.first, let path = expression.path(argument),
          path.count > 2
        else { return }
        let unguarded = (2..<path.count).map { Array(path.prefix($0)) }.filter {
          let isSent = $0.count == 2 && !subject.schema.mayBeMissing($0)
          return !isSent && !place.guards.contains($0)
        }
        guard let first = unguarded.first else { return }
        let guards = unguarded.map { "has(\($0.joined(separator: ".")))" }
        found += findings(
          "has() tests only '\(path[path.count - 1])': if '\(first.joined(separator: "."))' is "
            + "missing, has() is an error",
          in: condition, range: expression[id].range,
          suggestion: "write \(guards.joined(separator: " && ")) && \(expression.text(id))",
          subject: path.joined(separator: "."))
      }
      return found
    }
  }
}

extension Diagnostic.Code {
  /// `has()` of a path whose inner part may be missing.
  package static let pathGuard = Self(rawValue: "path-guard")
}
