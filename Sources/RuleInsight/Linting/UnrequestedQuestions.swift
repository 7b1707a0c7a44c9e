package import Expressions
internal import RuleEngine

/// A condition reads a computed property that its audience does not request.
///
/// `device.daysSince_paywall_open > 3`, if `computed_properties` does not contain it
enum UnrequestedQuestions: Lint {
  static let page = CodePage(
    .questionNotRequested, .warning,
    what: "A condition reads a computed property that its audience does not list.",
    why: """
      SDKs compute only the properties that an audience lists under 'computed_properties'. Other \
      properties are missing, and count as 0 in a comparison.
      """,
    example: .audience(#""expression_cel": "device.daysSince_app_open > 3""#),
    advice: "List the property, or call the function: device.daysSince(\"app_open\").",
    better: .audience(
      """
      "expression_cel": "device.daysSince_app_open > 3",
      "computed_properties": [{"type": "DAYS_SINCE", "event_name": "app_open"}]
      """))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    guard subject.config.format == .superwall else { return [] }
    return subject.conditions.flatMap { condition -> [Diagnostic] in
      let expression = condition.expression
      var found: [Diagnostic] = []
      for (id, path) in expression.attributes {
        guard let property = property(path) else { continue }
        for audience in condition.audiences where !audience.computedProperties.contains(property) {
          found.append(
            finding(
              "the audience does not list '\(path[1])', so SDKs do not compute it",
              at: audience.expressionPath, range: expression[id].range,
              suggestion: "add {\"type\": \"\(property.kind.rawValue)\", \"event_name\": "
                + "\"\(property.eventName)\"} to its 'computed_properties', or write "
                + "device.\(property.kind.functionName)(\"\(property.eventName)\")"))
        }
      }
      return found
    }
  }

  /// The computed property that a path reads.
  static func property(_ path: [String]) -> ComputedProperty? {
    guard path.count == 2, path[0] == "device" else { return nil }
    for kind in ComputedProperty.Kind.allCases {
      let prefix = kind.functionName + "_"
      if path[1].hasPrefix(prefix), path[1].utf8.count > prefix.utf8.count {
        return ComputedProperty(kind: kind, eventName: String(path[1].dropFirst(prefix.count)))
      }
    }
    return nil
  }
}

extension Diagnostic.Code {
  /// A computed property that a condition reads without its audience requesting it.
  package static let questionNotRequested = Self(rawValue: "question-not-requested")
}
