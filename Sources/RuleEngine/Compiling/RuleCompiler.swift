public import Expressions
internal import Pricing

extension RuleSet {
  /// Compiles a config. The result always has a rule set. An audience whose expression does not compile never matches,
  /// and the diagnostics explain why.
  ///
  /// - Parameters:
  ///   - config: the config, decoded or built in code.
  ///   - language: the language of the expressions. Superwall's configs are written in superscript.
  ///   - limits: the limits of each expression.
  /// - Returns: the rule set, and diagnostics with paths into the config.
  public static func compile(
    _ config: Config, language: RuleLanguage = .standard, limits: Limits = Limits()
  ) -> Compilation<RuleSet> {
    compile(config, language: language, limits: limits, behavior: nil)
  }

  /// - Parameters:
  ///   - behavior: the generation of Superwall's evaluator that the rules follow, instead of the
  ///     SDK's.
  ///   - folds: whether operations on constants are computed at compile time, which changes no
  ///     result.
  package static func compile(
    _ config: Config, language: RuleLanguage, limits: Limits = Limits(),
    behavior: EvaluatorBehavior?, folds: Bool = true
  ) -> Compilation<RuleSet> {
    compile(
      config, language: language,
      environment: language.environment(
        requested: config.computedProperties, limits: limits, behavior: behavior), folds: folds)
  }

  /// - Parameters:
  ///   - environment: the environment of the language, with the differences of an SDK version. Configs of other formats
  ///     use the environment of CEL.
  package static func compile(
    _ config: Config, language: RuleLanguage, environment: ExpressionEnvironment,
    folds: Bool = true
  ) -> Compilation<RuleSet> {
    let (ruleSet, diagnostics) = compiled(
      config, language: language, environment: environment, folds: folds)
    return Compilation(output: ruleSet, diagnostics: diagnostics)
  }

  /// Compiles a config for the SDK of this package. The rules follow the newest SDK of the platform, including changes
  /// of attributes that are known only from release notes.
  package static func compile(_ config: Config, forAppsOn platform: Platform)
    -> Compilation<RuleSet>
  {
    let profile = SDKProfile(platform)
    let noted = SDKProfile(profile.sdk, SDKFacts.newest(profile.sdk).notes)
    return compile(
      config, language: .superscript(profile),
      environment: profile.environment(
        requested: config.computedProperties, binding: noted.binding))
  }

  /// Compiles a config and returns the rule set without diagnostics.
  static func compiled(_ config: Config, language: RuleLanguage) -> RuleSet {
    compiled(
      config, language: language,
      environment: language.environment(requested: config.computedProperties), folds: true
    ).ruleSet
  }

  private static func compiled(
    _ config: Config, language: RuleLanguage, environment: ExpressionEnvironment, folds: Bool
  ) -> (ruleSet: RuleSet, diagnostics: [Diagnostic]) {
    let profile = config.format == .superwall ? language.profile : language.profile?.ofAgentWallie
    // AgentWallie's filters and conditions are not superscript.
    let isOwn = config.format == .superwall
    let language = isOwn ? language : .cel
    var (config, environment) = (config, environment)
    if isOwn, let profile, profile.has(.requestedFunctions) {
      (config, environment.hostFunctionsOf) = config.separatingFunctions(profile)
    }
    var compiler = RuleCompiler(
      language: language, profile: profile, requested: config.computedProperties,
      environment: isOwn ? environment : language.environment(limits: environment.limits),
      folds: folds)
    for placement in config.placements { compiler.add(placement) }
    compiler.checkOccurrenceKeys(config)
    let diagnostics = compiler.diagnostics
    let ruleSet = compiler.finish(config.format, rejection: profile?.rejection(of: config))
    return (ruleSet, diagnostics)
  }
}

extension Config {
  /// The computed properties that audiences request, without duplicates.
  package var computedProperties: [ComputedProperty] {
    var properties: [ComputedProperty] = []
    for property in placements.flatMap({ $0.audiences }).flatMap({ $0.computedProperties })
    where !properties.contains(property) {
      properties.append(property)
    }
    return properties
  }
}

/// Collects rules and their conditions over all placements.
private struct RuleCompiler: ~Copyable {
  private var builder: ProgramBuilder
  private var rules: [RuleSet.Rule] = []
  private var placements: [RuleSet.CompiledPlacement] = []
  /// The program entry of each expression, and whether the expression failed to compile.
  private var entryOf: [[UInt8]: (entry: Int, isBroken: Bool, diagnostics: [Diagnostic])] = [:]
  private var entries = 0
  private let language: RuleLanguage
  /// The SDK whose behavior the rules follow, or nil.
  private let profile: SDKProfile?
  private let computedProperties: [ComputedProperty]
  private let readsScripts: Bool
  private let hasFloatingShares: Bool
  var diagnostics: [Diagnostic] = []

  init(
    language: RuleLanguage, profile: SDKProfile?, requested: [ComputedProperty],
    environment: ExpressionEnvironment, folds: Bool
  ) {
    self.language = language
    self.profile = profile
    readsScripts = profile?.has(.javaScript) ?? false
    hasFloatingShares = profile?.has(.floatingShares) ?? false
    let dropsPlacements = profile.map { $0.version != nil && $0.dropsPlacementProperties } ?? false
    computedProperties = requested.filter { !dropsPlacements || $0.kind.isTime }
    builder = ProgramBuilder(environment)
    builder.folds = folds
  }

  /// An audience's name in messages. Numbers follow the order of evaluation, which may differ from the order in the
  /// file.
  private static func name(_ audience: Audience) -> String {
    let id = audience.id ?? audience.experimentID
    return id.isEmpty ? "this audience" : "audience '\(id)'"
  }

  mutating func add(_ placement: Placement) {
    let first = rules.count
    var everyone: Audience?
    for audience in placement.audiences {
      if let everyone {
        diagnostics.append(
          Diagnostic(
            .unreachableAudience,
            "no user reaches this audience, because an earlier audience matches every user",
            severity: .warning, path: audience.path,
            related: [
              Diagnostic.Related(
                path: everyone.path,
                message: "\(RuleCompiler.name(everyone)) matches every user")
            ]))
      } else if audience.isEverybody, audience.occurrenceLimit == nil,
        audience.entitlementGuard == nil
      {
        everyone = audience
      }
      add(audience)
    }
    placements.append(
      RuleSet.CompiledPlacement(name: placement.name, rules: first..<rules.count))
  }

  private mutating func add(_ audience: Audience) {
    var audience = audience
    // The Web SDK has no occurrence limits.
    if language.platform == .web { audience.occurrenceLimit = nil }
    var rule = RuleSet.Rule(
      audience: audience, condition: -1, entry: nil, isBroken: false,
      weights: WeightTable(audience.variants.map { $0.weight }, areFloating: hasFloatingShares))
    if readsScripts {
      rule.isUndecidable = audience.hasScript
      rule.audience.expression = nil
    }
    if let expression = rule.audience.expression {
      let key = Array(expression.utf8)
      let known = entryOf[key] ?? compile(expression)
      entryOf[key] = known
      rule.condition = Int32(known.entry)
      rule.isBroken = known.isBroken
      rule.panicsWhenRead =
        known.isBroken && language != .cel
        && known.diagnostics.contains { PanickingSyntax.holds($0, in: expression) }
      diagnostics += known.diagnostics.map {
        var diagnostic = $0
        diagnostic.path = audience.expressionPath
        return diagnostic
      }
    } else if !audience.filters.isEmpty {
      rule.condition = Int32(compile(audience.filters))
    }
    rules.append(rule)
  }

  private mutating func compile(_ filters: [Filter]) -> Int {
    // Equal lists of filters share their code, because the builder recognizes equal parts.
    builder.add(filters)
    defer { entries += 1 }
    return entries
  }

  private mutating func compile(_ expression: String)
    -> (entry: Int, isBroken: Bool, diagnostics: [Diagnostic])
  {
    var found = builder.add(expression)
    defer { entries += 1 }
    let isBroken = found.contains { $0.severity == .error }
    // Superscript keeps a rule with a bad pattern. The rule fails only for users for whom the pattern is evaluated.
    for i in found.indices where found[i].code == .badRegex { found[i].severity = .error }
    return (entries, isBroken, found)
  }

  /// Different expressions with the same meaning have the same condition number.
  consuming func finish(_ format: Config.Format, rejection: ConfigFact?) -> RuleSet {
    var rules = rules
    let placements = placements
    for placement in placements {
      builder.addChoice(
        placement.rules.map { rules[$0].condition >= 0 ? Int(rules[$0].condition) : nil })
    }
    let requirements = builder.attributes
    let derived =
      format == .superwall
      ? DeviceDerivation.attributes.filter {
        requirements.contains(AttributePath([UserMember.device.key, $0.rawValue]))
      } : []
    // The sources of derived attributes have to be in the frame.
    for path in derived.flatMap({ DeviceDerivation.sources(of: $0) ?? [] }) { builder.keep(path) }
    let program = builder.build()
    var conditions: [Program.Entry] = []
    var conditionOf: [UInt32: Int32] = [:]
    for i in rules.indices where rules[i].condition >= 0 {
      let entry = program.entries[Int(rules[i].condition)]
      rules[i].entry = entry
      if let known = conditionOf[entry.start] {
        rules[i].condition = known
      } else {
        rules[i].condition = Int32(conditions.count)
        conditionOf[entry.start] = Int32(conditions.count)
        conditions.append(entry)
      }
    }
    return RuleSet(
      program: program, format: format, language: language, profile: profile, rules: rules,
      placements: placements, conditions: conditions, computedProperties: computedProperties,
      rejection: rejection, requirements: requirements, derived: derived)
  }

  mutating func checkOccurrenceKeys(_ config: Config) {
    var limits: [[UInt8]: (limit: OccurrenceLimit, path: String)] = [:]
    for audience in config.placements.flatMap({ $0.audiences }) {
      guard let limit = audience.occurrenceLimit else { continue }
      let key = Array(limit.key.utf8)
      if let other = limits[key], other.limit != limit {
        diagnostics.append(
          Diagnostic(
            .occurrenceKeyConflict,
            "the occurrence key '\(limit.key)' is used with different limits",
            severity: .warning, path: audience.limitPath(config.format),
            related: [Diagnostic.Related(path: other.path, message: "the other limit")],
            notes: ["all audiences with this key count the same occurrences"]))
      }
      limits[key] = (limit, audience.limitPath(config.format))
    }
  }
}
