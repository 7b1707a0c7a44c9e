package import Expressions
public import Pricing

/// How the SDK of a platform evaluates a superscript rule. SDKs pass values to the evaluator,
/// answer questions and use results in different ways.
extension Platform {
  /// The functions about the event history that rules may call, on any platform.
  static let historyFunctions = Set(
    HostFunction.allCases.filter { $0.asksHistory }.map { $0.rawValue })

  /// The functions that the SDK registers, as members of `device` and of `computed`.
  package var hostFunctions: HostFunctions {
    let names = HostFunction.allCases.filter { $0.platforms.contains(self) }.map { $0.rawValue }
    return HostFunctions(device: names, computed: names)
  }

  /// How the SDK changes attributes before it evaluates a rule.
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

  /// The environment in which the platform's newest SDK evaluates rules.
  package func environment(limits: Limits = Limits()) -> ExpressionEnvironment {
    SDKProfile(self).environment(limits: limits)
  }

  /// An attribute as the SDK passes it to the evaluator, or nil if the SDK omits it.
  package func passed(_ value: Value) -> Value? { binding.passed(value) }
}

/// The language of the rules in a config.
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
  /// The dialect of a Superwall SDK, in any version.
  case superscript(SDKProfile)

  /// The default language for Superwall's configs, which are written for the SDKs: the dialect of the iOS SDK.
  public static let standard = RuleLanguage.superscript(.ios)

  /// The platform of the SDK that defines the dialect; nil for CEL.
  public var platform: Platform? {
    profile?.platform
  }

  /// The SDK whose behavior the language follows, or nil.
  package var profile: SDKProfile? {
    if case .superscript(let profile) = self { profile } else { nil }
  }

  /// A short name for reports: `cel`, or the name of the SDK, such as `ios` or `ios 4.12.5`.
  public var name: String {
    switch self {
    case .cel: "cel"
    case .superscript(let profile): profile.name
    }
  }

  /// The environment in which rules of the language are compiled.
  ///
  /// - Parameters:
  ///   - requested: the computed properties of the config.
  ///   - behavior: the generation of Superwall's evaluator, instead of the SDK's. CEL has only one generation.
  package func environment(
    requested: [ComputedProperty] = [], limits: Limits = Limits(),
    behavior: EvaluatorBehavior? = nil
  ) -> ExpressionEnvironment {
    switch self {
    case .cel:
      var environment = ExpressionEnvironment(limits: limits)
      environment.unsupportedFunctions = Platform.historyFunctions
      return environment
    case .superscript(let profile):
      return profile.environment(requested: requested, limits: limits, behavior: behavior)
    }
  }
}
