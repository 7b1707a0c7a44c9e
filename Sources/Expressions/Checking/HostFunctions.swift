/// Functions that the host of a superscript expression answers, such as `daysSince`.
///
/// The functions can be called as `device.f(...)`, as `computed.f(...)` and as `f(...)`. A call becomes a
/// ``HostQuestion`` that is answered before the evaluation.
///
/// ```swift
/// let functions = HostFunctions(device: ["daysSince"], computed: ["daysSince"])
/// let environment = ExpressionEnvironment.superscript(hostFunctions: functions)
/// let program = try environment.compile(#"device.daysSince("paywall_open") > 3"#).get()
/// program.questions  // [HostQuestion(function: "daysSince", argument: .text("paywall_open"))]
/// ```
package struct HostFunctions: Hashable, Sendable {
  /// Names that are members of `device`.
  package var device: [String]
  /// Names that are members of `computed`.
  package var computed: [String]

  package init(device: [String] = [], computed: [String] = []) {
    self.device = device
    self.computed = computed
  }

  func contains(_ name: String) -> Bool { device.contains(name) || computed.contains(name) }
}

/// A question that an expression asks its host, such as `daysSince("paywall_open")`. The answers are put into the frame
/// beside the attributes. Evaluation calls no host function.
///
/// ```swift
/// let environment = ExpressionEnvironment.superscript(hostFunctions: HostFunctions(device: ["daysSince"]))
/// let program = try environment.compile(#"device.daysSince("app_open") > 3"#).get()
/// program.questions.map(\.description)  // ["daysSince(\"app_open\")"]
/// var frame = Frame(for: program)
/// try frame.fill(["user": ["plan": "free"]])
/// try frame.answer(0, with: 5)
/// try program.evaluate(in: &frame)  // true
/// ```
package struct HostQuestion: Hashable, Sendable {
  /// The first argument of the call.
  package enum Argument: Hashable, Sendable {
    /// A string in the expression, or the empty string if the call has no argument.
    case text(String)
    /// Any string, known only during the evaluation. The answer is a map from strings to replies.
    case anyKnown
    /// Strings that the map of ``anyKnown`` does not contain, and other values.
    case anyOther
  }

  package var function: String
  package var argument: Argument

  package init(function: String, argument: Argument) {
    self.function = function
    self.argument = argument
  }
}

extension HostQuestion: CustomStringConvertible {
  package var description: String {
    switch argument {
    case .text(""): "\(function)()"
    case .text(let text): "\(function)(\"\(text)\")"
    case .anyKnown, .anyOther: "\(function)(...)"
    }
  }
}
