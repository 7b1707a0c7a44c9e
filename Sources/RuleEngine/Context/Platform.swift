package import Expressions
public import Pricing

/// How the SDK of a platform evaluates a superscript rule: they hand values to the evaluator, answer
/// questions and take results in different ways.
extension Platform {
  /// What rules ask about the history of events, on any platform.
  static let historyFunctions = Set(
    HostFunction.allCases.filter(\.asksHistory).map(\.rawValue))

  /// The functions that the SDK registers, as members of `device` and of `computed`.
  package var hostFunctions: HostFunctions {
    let names = HostFunction.allCases.filter { $0.platforms.contains(self) }.map(\.rawValue)
    return HostFunctions(device: names, computed: names)
  }

  /// What the SDK does to attributes before it evaluates.
  package var binding: ValueBinding {
    var binding = ValueBinding()
    switch self {
    case .ios: binding.null = .emptyMap
    case .android:
      binding.longsAreUnsigned = true
      binding.dropsDollarSigns = true
    case .web:
      binding.null = .dropped
      binding.wholeDoublesAreInts = true
    }
    return binding
  }

  /// The environment in which the SDK evaluates rules. `user`, `device`, `params` and `computed`
  /// are always there.
  ///
  /// - Parameter behavior: the generation of the evaluator inside the SDK.
  package func environment(
    limits: Limits = Limits(), behavior: EvaluatorBehavior = .text
  ) -> ExpressionEnvironment {
    var environment = ExpressionEnvironment.superscript(
      hostFunctions: hostFunctions, binding: binding, behavior: behavior, limits: limits)
    environment.takesTruthForTrue = self == .web
    return environment
  }

  /// An attribute as the SDK hands it to the evaluator, or nil when it leaves it out.
  package func passed(_ value: Value) -> Value? { binding.passed(value) }
}

/// Which language the rules of a config are in.
///
/// ```swift
/// let audience = Audience(index: 0, experimentID: "e", expression: "user.visits < 3")
/// let config = Config(placements: [Placement(name: "p", audiences: [audience])])
/// let state = DecisionState(subjectID: "u1", now: 0)
/// var reasons: [String] = []
/// for language in [RuleLanguage.cel, .superscript(.ios)] {
///   let rules = try RuleSet.compile(config, language: language).get()
///   var frame = Frame(for: rules.program)
///   try frame.fill(["user": ["plan": "free"]])
///   reasons.append(rules.steps("p", frame: &frame, state: state)[0].reason.code)
/// }
/// reasons  // ["expressionError", "matched"]
/// ```
public enum RuleLanguage: Hashable, Sendable {
  /// The Common Expression Language as specified.
  case cel
  /// What Superwall's SDK for a platform evaluates.
  case superscript(Platform)

  /// Superwall's own configs are written for the SDKs, of which iOS's is the oldest.
  public static let standard = RuleLanguage.superscript(.ios)

  /// The platform whose SDK is followed, or nil.
  public var platform: Platform? {
    if case .superscript(let platform) = self { platform } else { nil }
  }

  /// A short name for reports: `cel`, or the platform's.
  public var name: String {
    switch self {
    case .cel: "cel"
    case .superscript(let platform): platform.rawValue
    }
  }

  /// The environment in which rules of the language are compiled.
  ///
  /// - Parameter behavior: the generation of Superwall's evaluator; CEL has only one.
  package func environment(
    limits: Limits = Limits(), behavior: EvaluatorBehavior = .text
  ) -> ExpressionEnvironment {
    switch self {
    case .cel:
      var environment = ExpressionEnvironment(limits: limits)
      environment.unsupportedFunctions = Platform.historyFunctions
      return environment
    case .superscript(let platform): return platform.environment(limits: limits, behavior: behavior)
    }
  }
}
