/// The languages that an expression can be written in. They differ in what they accept and in
/// what the same text means; all of them become the same instructions.
///
/// ```swift
/// let rule = "user.seats < 5"
/// let cel = Environment().compile(rule).output!
/// try cel.evaluate(["user": ["plan": "free"]])  // throws no-such-attribute
/// let superscript = Environment.superscript()
/// superscript.dialect  // .superscript
/// try superscript.compile(rule).output!.evaluate(["user": ["plan": "free"]])  // true
/// ```
public enum Dialect: String, Hashable, Sendable, CaseIterable {
  /// The Common Expression Language as its specification defines it.
  case cel
  /// What Superwall's SDKs evaluate (superscript 1.0.13, on cel-interpreter 0.8.1): values are true
  /// or false by what they hold, a missing attribute is the zero of what it is compared with, `&&`
  /// evaluates both sides, integers wrap. Where the original panics, this is an evaluation error.
  case superscript

  /// The tree of an expression. It is usable when there is no diagnostic.
  func parse(_ source: String, limits: Limits) -> (tree: SyntaxTree, diagnostics: [Diagnostic]) {
    var text = source
    return text.withUTF8 {
      self == .superscript
        ? SuperscriptParser.parse($0, limits: limits) : Parser.parse($0, limits: limits)
    }
  }
}

/// Functions that the host of a superscript expression answers, such as `daysSince`.
///
/// They can be called as `device.f(...)`, as `computed.f(...)` and as `f(...)`. A call becomes a
/// ``HostQuestion`` that is answered before the evaluation.
///
/// ```swift
/// let functions = HostFunctions(device: ["daysSince"], computed: ["daysSince"])
/// let environment = Environment.superscript(hostFunctions: functions)
/// let program = environment.compile(#"device.daysSince("paywall_open") > 3"#).output!
/// program.questions  // [HostQuestion(function: "daysSince", argument: .text("paywall_open"))]
/// ```
public struct HostFunctions: Hashable, Sendable {
  /// Names that are members of `device`.
  public var device: [String]
  /// Names that are members of `computed`.
  public var computed: [String]

  public init(device: [String] = [], computed: [String] = []) {
    self.device = device
    self.computed = computed
  }

  func contains(_ name: String) -> Bool { device.contains(name) || computed.contains(name) }
}

/// What an expression wants to know from its host, as `daysSince("paywall_open")`. The answers are
/// put into the frame beside the attributes; nothing is called while evaluating.
///
/// ```swift
/// let environment = Environment.superscript(hostFunctions: HostFunctions(device: ["daysSince"]))
/// let program = environment.compile(#"device.daysSince("app_open") > 3"#).output!
/// program.questions.map(\.description)  // ["daysSince(\"app_open\")"]
/// var frame = Frame(for: program)
/// try frame.fill(["user": ["plan": "free"]])
/// try frame.answer(0, with: 5)
/// try program.evaluate(in: &frame)  // true
/// ```
public struct HostQuestion: Hashable, Sendable {
  /// The first argument of the call.
  public enum Argument: Hashable, Sendable {
    /// A text in the expression; empty when the call has no argument.
    case text(String)
    /// Known only while evaluating. The answer is a map from texts to replies.
    case anyKnown
    /// The reply for a text that the map of ``anyKnown`` does not hold, and for what is not a text.
    case anyOther
  }

  public var function: String
  public var argument: Argument

  public init(function: String, argument: Argument) {
    self.function = function
    self.argument = argument
  }
}

extension HostQuestion: CustomStringConvertible {
  public var description: String {
    switch argument {
    case .text(""): "\(function)()"
    case .text(let text): "\(function)(\"\(text)\")"
    case .anyKnown, .anyOther: "\(function)(...)"
    }
  }
}

extension Environment {
  /// An environment for superscript expressions: `user`, `device` and `params` are always there.
  ///
  /// - Parameters:
  ///   - roots: maps that are always there. `device` and `computed` always are.
  ///   - variables: names that may be bound to values of any type; reading one that is not bound
  ///     makes the whole expression null.
  public static func superscript(
    roots: [String] = ["user", "device", "params"], variables: [String] = [],
    hostFunctions: HostFunctions = HostFunctions(), limits: Limits = Limits()
  ) -> Environment {
    superscript(
      roots: roots, variables: variables, hostFunctions: hostFunctions, binding: ValueBinding(),
      limits: limits)
  }

  /// - Parameter binding: what happens to values on their way in, beside what the dialect does.
  package static func superscript(
    roots: [String] = ["user", "device", "params"], variables: [String] = [],
    hostFunctions: HostFunctions = HostFunctions(), binding: ValueBinding,
    limits: Limits = Limits()
  ) -> Environment {
    var environment = Environment(roots: roots, variables: variables, limits: limits)
    environment.dialect = .superscript
    environment.hostFunctions = hostFunctions
    environment.binding = binding
    environment.binding.readsBooleanTexts = true
    environment.binding.isLenient = true
    return environment
  }
}
