package import Expressions
public import Pricing

/// The behavior of one SDK version: how it evaluates conditions, which attributes it sends, and how it decides.
///
/// ```swift
/// let audience = Audience(index: 0, experimentID: "e", expression: "user.visits < 3")
/// let config = Config(placements: [Placement(name: "p", audiences: [audience])])
/// let rules = try RuleSet.compile(config, language: .superscript(.android)).get()
/// rules.language.platform  // .android
/// SDKProfile.ios.platform  // .ios
/// ```
public struct SDKProfile: Hashable, Sendable {
  /// The package manager that adds an SDK to an app.
  package enum Packaging: String, Hashable, Sendable, CaseIterable {
    case swiftPM = "SwiftPM"
    /// CocoaPods, as used by wrappers such as Expo, React Native and Flutter.
    case pods = "CocoaPods"
  }

  package let sdk: SDKName
  /// The version of the SDK. Nil means the newest version.
  package let version: SDKVersion?
  package let packaging: Packaging

  /// The newest SDK for iOS.
  public static let ios = SDKProfile(.ios)
  /// The newest SDK for Android.
  public static let android = SDKProfile(.android)
  /// The newest SDK for the Web.
  public static let web = SDKProfile(.web)

  /// The newest SDK of a platform.
  public init(_ platform: Platform) {
    switch platform {
    case .ios: self.init(SDKName.ios)
    case .android: self.init(SDKName.android)
    case .web: self.init(SDKName.web)
    }
  }

  /// - Parameter version: the version, or nil for the newest. A version newer than all known versions is treated as the
  ///   newest known version.
  package init(_ sdk: SDKName, _ version: SDKVersion? = nil, _ packaging: Packaging = .swiftPM) {
    self.sdk = sdk
    self.version = version.map { min($0, SDKFacts.newest(sdk).notes) }
    self.packaging = sdk == .ios ? packaging : .swiftPM
  }

  /// The platform of the SDK. AgentWallieKit is for iOS.
  public var platform: Platform {
    switch sdk {
    case .ios, .agentWallie: .ios
    case .android: .android
    case .web: .web
    }
  }

  /// The version that the profile models. The newest SDK is modelled by the newest version whose source is known.
  package var known: SDKVersion {
    // No expression is known to abort the newest Android version, or Android versions whose source is unknown.
    version
      ?? (sdk == .android ? SDKFacts.newest(sdk).notes : SDKFacts.newest(sdk).source)
  }

  /// The table row of the evaluator.
  private var evaluator: SDKFacts.Evaluator? {
    let rows = SDKFacts.evaluators.filter {
      $0.sdk == sdk && ($0.packaging == nil || $0.packaging == packaging)
    }
    return rows.last { known >= $0.since } ?? rows.first
  }

  /// How the evaluator treats values; nil for rules in JavaScript.
  package var behavior: EvaluatorBehavior? {
    sdk == .agentWallie ? .text : evaluator?.behavior
  }

  /// Whether an expression that panics terminates the app. Otherwise the audience does not match.
  package var aborts: Bool { evaluator?.aborts ?? false }

  package func has(_ what: SDKFacts.Switch) -> Bool {
    SDKFacts.ranges.contains {
      $0.what == what && $0.sdk == sdk && known >= $0.since
        && ($0.until.map { known < $0 } ?? true)
    }
  }

  /// Whether the SDK sends a member of `device`. The newest SDK sends every member.
  package func sends(attribute name: String) -> Bool {
    version == nil || isSent(name, in: SDKFacts.attributes)
  }

  /// Whether the SDK sends the attribute that rules read at a path. Conditions of AgentWallie's configs read `platform`
  /// and `os_version` without `device`. Old versions lack these two attributes.
  package func sends(_ path: AttributePath) -> Bool {
    if sdk == .agentWallie {
      return has(.topLevelPlatform) || !["platform", "os_version"].contains(path.names[0])
    }
    guard path.names.count > 1, path.names[0] == "device" else { return true }
    return sends(attribute: path.names[1])
  }

  /// Whether the SDK sends a parameter with a placement of its own events.
  package func sends(parameter name: String, of placement: String) -> Bool {
    isSent(name, in: SDKFacts.parameters.filter { $0.placement == placement })
  }

  private func isSent(_ name: String, in rows: [SDKFacts.Sent]) -> Bool {
    let rows = rows.filter { $0.sdk == sdk && $0.matches(name) }
    return rows.isEmpty || rows.contains { $0.holds(known) }
  }

  /// Whether the SDK reads a computed property of a config.
  package func reads(_ property: ComputedProperty) -> Bool {
    property.kind.isTime || !dropsPlacementProperties
  }

  /// Whether the SDK ignores computed properties that count placements.
  var dropsPlacementProperties: Bool { sdk == .ios && !has(.placementProperties) }

  /// The profile for AgentWallie's configs, which the other SDKs do not read.
  package var ofAgentWallie: SDKProfile? { sdk == .agentWallie ? self : nil }

  /// How the SDK changes attributes before it evaluates a rule.
  package var binding: ValueBinding {
    var binding = platform.binding
    if sdk == .ios, has(.keepsNull) { binding.null = .kept }
    return binding
  }

  /// How the SDK divides prices among units of time.
  package var priceEra: PriceEra {
    guard version != nil else { return .exact }
    return SDKFacts.pricing.last { $0.sdk == sdk && known >= $0.since }?.era ?? .exact
  }

  /// The functions that the SDK registers, as members of `device` and of `computed`.
  ///
  /// - Parameter requested: the computed properties of the config.
  package func hostFunctions(_ requested: [ComputedProperty] = []) -> HostFunctions {
    if version == nil { return platform.hostFunctions }
    if has(.requestedFunctions) {
      var names: [String] = []
      for property in requested where has(.placementProperties) || property.kind.isTime {
        let name = property.kind.functionName
        if !names.contains(name) { names.append(name) }
      }
      return HostFunctions(device: [], computed: names)
    }
    let names = HostFunction.allCases.map { $0.rawValue }.filter { name in
      SDKFacts.functions.contains { $0.sdk == sdk && $0.name == name && $0.holds(known) }
    }
    return HostFunctions(device: names, computed: names)
  }

  /// The environment in which the SDK evaluates rules. `user`, `device`, `params` and `computed`
  /// always exist.
  ///
  /// - Parameter binding: how attributes are changed before evaluation. Nil means the changes that the SDK makes.
  package func environment(
    requested: [ComputedProperty] = [], limits: Limits = Limits(),
    behavior: EvaluatorBehavior? = nil, binding: ValueBinding? = nil
  ) -> ExpressionEnvironment {
    var environment = ExpressionEnvironment.superscript(
      hostFunctions: hostFunctions(requested), binding: binding ?? self.binding,
      behavior: behavior ?? self.behavior ?? .text,
      limits: limits)
    environment.takesTruthForTrue = platform == .web
    return environment
  }

  /// The properties of an SDK that compiling a config depends on. SDKs with the same key share
  /// their conditions.
  package struct CompileKey: Hashable, Sendable {
    private let platform: Platform
    private let behavior: EvaluatorBehavior?
    private let binding: ValueBinding
    private let functions: HostFunctions
    private let dropsPlacementProperties: Bool
    private let hasFloatingShares: Bool

    fileprivate init(_ profile: SDKProfile, _ config: Config, _ called: Set<String>) {
      platform = profile.platform
      behavior = profile.behavior
      binding = profile.binding
      let all = profile.hostFunctions(config.computedProperties)
      functions = HostFunctions(
        device: all.device.filter(called.contains), computed: all.computed.filter(called.contains))
      dropsPlacementProperties = profile.version != nil && profile.dropsPlacementProperties
      hasFloatingShares = profile.has(.floatingShares)
    }
  }

  /// Whether another SDK evaluates the conditions of every config in the same way.
  package func evaluates(like other: SDKProfile) -> Bool {
    platform == other.platform && behavior == other.behavior && binding == other.binding
      && hostFunctions() == other.hostFunctions()
      && has(.requestedFunctions) == other.has(.requestedFunctions)
      && has(.nullTimes) == other.has(.nullTimes)
      && has(.failsOnNull) == other.has(.failsOnNull)
      && has(.floatingShares) == other.has(.floatingShares)
      && dropsPlacementProperties == other.dropsPlacementProperties
  }

  /// - Parameter called: the functions that occur in the conditions of the config.
  func compileKey(for config: Config, calling called: Set<String>) -> CompileKey {
    CompileKey(self, config, called)
  }
}

extension SDKProfile {
  /// A short name for files: `ios`, or `ios 4.12.5`, or `ios 4.12.5 CocoaPods`.
  package var name: String {
    guard let version else { return sdk.rawValue }
    return "\(sdk.rawValue) \(version)" + (packaging == .pods ? " \(packaging.rawValue)" : "")
  }

  /// A display name: `iOS SDK 4.12.5 (CocoaPods)`, or `the newest iOS SDK`.
  package var title: String {
    let name = sdk == .agentWallie ? sdk.title : "\(sdk.title) SDK"
    guard let version else { return "the newest \(name)" }
    return "\(name) \(version)" + (packaging == .pods ? " (\(packaging.rawValue))" : "")
  }

  /// A display name of the evaluator: `JavaScript`, or `numeric (superscript 1.0.2 to 1.0.10)`.
  package var evaluatorTitle: String {
    guard let behavior else { return "JavaScript" }
    return "\(behavior.rawValue)" + (evaluator.map { " (superscript \($0.release))" } ?? "")
  }

  /// The versions at which the behavior of an SDK changes, in order.
  package static func changes(of sdk: SDKName, _ packaging: Packaging = .swiftPM) -> [SDKVersion] {
    var versions: Set<SDKVersion> = [SDKFacts.oldest(sdk)]
    for row in SDKFacts.evaluators
    where row.sdk == sdk && (row.packaging == nil || row.packaging == packaging) {
      versions.insert(row.since)
    }
    for row in SDKFacts.ranges where row.sdk == sdk {
      versions.formUnion([row.since, row.until].compactMap { $0 })
    }
    for row in SDKFacts.attributes + SDKFacts.parameters + SDKFacts.functions
    where row.sdk == sdk {
      versions.formUnion([row.since, row.until].compactMap { $0 })
    }
    for row in SDKFacts.pricing where row.sdk == sdk { versions.insert(row.since) }
    for row in SDKFacts.requirements where row.sdk == sdk {
      versions.formUnion([row.since, row.until].compactMap { $0 })
    }
    return versions.filter { $0 >= SDKFacts.oldest(sdk) }.sorted()
  }
}
