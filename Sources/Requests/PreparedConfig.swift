package import Expressions
internal import Pricing
package import RuleEngine
package import RuleInsight

/// A compiled config with all data for requests about it, such as its assigner, products and texts. A prepared config
/// never changes, and any number of threads may use it.
package final class PreparedConfig: Sendable {
  /// The input of answers in addition to the config and the request.
  package struct Settings: Sendable {
    package var language = RuleLanguage.standard
    package var seed = ""
    /// The assigner, or nil for the default of each config's SDK.
    package var assigner: Assigner?
    package var timeZone = "UTC"
    /// The products with their prices, and the texts of paywalls, for requests.
    package var products: ProductList?
    package var texts: TextFile?
    /// The maximum depth of lists and objects in requests.
    package var nesting = Expressions.Limits().dataNesting + 1
    package var limits = Limits()
    /// Attributes of stored and example users that are redacted in answers.
    package var redaction = Redaction(paths: [])
    /// Whether requests for an unknown placement are answered with an outcome instead of an error. Apps may request
    /// placements of a config that is not served yet.
    package var answersUnknownPlacements = false
    /// Whether an unknown or repeated member of a decide request is an error. Such members are usually misspelled.
    package var rejectsUnknownMembers = false
    /// The time of requests that do not specify one.
    package var clock: @Sendable () -> Instant

    package init(clock: @escaping @Sendable () -> Instant) { self.clock = clock }
  }

  /// The limits for the size of one request. Requests of callers that can stop a request are unlimited.
  package struct Limits: Sendable {
    package var users = Int.max
    package var tests = Int.max
    /// The maximum number of audiences of a config to cover, because questions about all of them cannot be interrupted.
    package var audiences = Int.max
    /// The time limit for covering.
    package var patience: Duration?

    package init() {}
  }

  package let config: Config
  package let ruleSet: RuleSet
  package let assigner: Assigner
  package let settings: Settings
  /// The source of the config, with the findings of compiling it.
  package let text: ConfigText
  let lines: OutcomeLines
  package let texts: TextPlan?

  /// The rules of other versions of the SDK, with the data for their answers.
  package let family: RuleSetFamily
  private let versions = Locked<[SDKProfile: PreparedConfig]>([:])
  private static let mostVersions = 256

  /// Unused frames, with readers that know which attributes rules read. Preparing a reader takes as long as deciding.
  /// There is one frame for each concurrent request.
  private let frames = Locked<[FrameBox]>([])
  private static let mostFrames = 64

  /// A frame with its reader. Only one request uses it at a time.
  private final class FrameBox: @unchecked Sendable {
    // SAFETY: A request takes a box from a `Locked` and has it alone. The box is reset before it
    // goes back, so no cell outlives the request. Tests: LibraryTests.anyNumberOfThreads,
    // Tools/python-tests.sh, tsan.

    var frame: Frame
    var reader: UserRecordReader

    init(_ ruleSet: RuleSet, _ clock: HistoryClock) {
      frame = Frame(for: ruleSet.program)
      reader = UserRecordReader(ruleSet, at: clock)
      reader.readsRequests = true
    }
  }

  package convenience init(
    _ bytes: [UInt8], _ settings: Settings, file: String = "config", isStrict: Bool = false
  ) throws(RequestError) {
    try self.init(
      ConfigText(bytes, language: settings.language), settings, file: file, isStrict: isStrict)
  }

  /// - Parameters:
  ///   - file: the name of the config in findings.
  ///   - isStrict: whether a config with errors in some of its rules is rejected.
  package init(
    _ text: ConfigText, _ settings: Settings, file: String = "config", isStrict: Bool = false
  ) throws(RequestError) {
    guard let config = text.config, let ruleSet = text.ruleSet,
      !isStrict || text.count(.error) == 0
    else {
      throw RequestError(
        .config, "invalid_config", "'\(file)' cannot be used",
        details: [.init(key: "diagnostics", value: .list(text.findings(file: file)))])
    }
    if let problem = WireTime.zoneProblem(settings.timeZone) {
      throw .about("timeZone", problem)
    }
    self.text = text
    self.config = config
    self.ruleSet = ruleSet
    family = RuleSetFamily(config)
    self.settings = settings
    assigner = settings.assigner ?? .usual(for: ruleSet.format, salt: settings.seed)
    lines = OutcomeLines(ruleSet)
    texts = try settings.texts.map { (texts) throws(RequestError) in
      try PreparedConfig.plan(texts, config, settings, settings.clock())
    }
  }

  /// The same config for another SDK.
  private init(_ other: PreparedConfig, _ profile: SDKProfile) {
    text = other.text
    config = other.config
    family = other.family
    ruleSet = family.ruleSet(for: profile)
    var settings = other.settings
    settings.language = .superscript(profile)
    self.settings = settings
    assigner = other.assigner
    lines = OutcomeLines(ruleSet)
    texts = other.texts
  }

  /// This config for the newest SDK of a platform; nil for the config's own SDK.
  package func following(_ platform: SDKName?) -> PreparedConfig {
    guard let platform, config.format == .superwall, let base = settings.language.profile,
      base.sdk != platform
    else { return self }
    return following(SDKProfile(platform))
  }

  /// This config for the SDK that a request selects.
  ///
  /// - Parameter record: the record of the user, or nil if there are several users.
  package func following(_ selection: SDKSelection?, record: Value?) -> PreparedConfig {
    guard let selection, config.format == .superwall, let base = settings.language.profile
    else { return self }
    let profile = selection.choice(DeviceSDK(device: record?["device"]), usual: base.sdk).profile
    return profile == base ? self : following(profile)
  }

  private func following(_ profile: SDKProfile) -> PreparedConfig {
    if let known = versions.withLock({ $0[profile] }) { return known }
    let made = PreparedConfig(self, profile)
    versions.withLock { if $0.count < Self.mostVersions { $0[profile] = made } }
    return made
  }

  package var bytes: [UInt8] { text.bytes }

  /// The config in a request, or this config. A config in a request has no paywall texts, because no answer about it
  /// contains any.
  func config(of body: JSONRequest, _ name: String = "config") throws(RequestError)
    -> PreparedConfig
  {
    guard let bytes = try body.config(name) else { return self }
    var settings = settings
    settings.texts = nil
    return try PreparedConfig(bytes, settings, file: name)
  }

  /// The texts of paywalls with the products of a config.
  static func plan(
    _ texts: TextFile, _ config: Config, _ settings: Settings, _ now: Instant
  ) throws(RequestError) -> TextPlan {
    let isAgentWallie = config.format == .agentWallie
    let dialect = TemplateDialect(named: isAgentWallie ? "agentwallie" : "superwall") ?? .superwall
    let form = TextForm(usualZone: settings.timeZone)
    do throws(PricingError) {
      return try TextPlan(
        texts, config: config, prices: settings.products,
        profile: isAgentWallie ? .agentWallie : nil,
        environment: TemplateEnvironment(dialect: dialect), pricing: form.context(now: now),
        options: try form.options(now: now, isHTML: false))
    } catch {
      throw RequestError(error.message)
    }
  }

  /// Calls the body with a frame and a reader that no other call uses.
  ///
  /// - Parameter clock: the clock for questions about events, or nil if none is answered.
  package func withReader<Result>(
    at clock: HistoryClock?, _ body: (inout UserRecordReader, inout Frame) -> Result
  ) -> Result {
    let box = frames.withLock { $0.popLast() } ?? FrameBox(ruleSet, clock ?? self.clock(nil))
    if let clock { box.reader.clock = clock }
    defer {
      // No cell may outlive the bytes that it points into.
      box.reader.forget()
      box.frame.reset()
      frames.withLock { if $0.count < Self.mostFrames { $0.append(box) } }
    }
    return body(&box.reader, &box.frame)
  }

  /// The clock for questions about events.
  package func clock(_ now: Instant?) -> HistoryClock {
    let now = now ?? settings.clock()
    if settings.timeZone == "UTC" { return HistoryClock(now: now) }
    return HistoryClock(now: now, timeZone: settings.timeZone) ?? HistoryClock(now: now)
  }

  /// The assigner of a request, which may have its own seed.
  package func assigner(seed: String?) -> Assigner { seed.map { assigner.seeded($0) } ?? assigner }

  /// A description of the config: its contents, the attributes that rules read, and the events that they ask about.
  package var description: Value {
    let questions = ruleSet.questions
    var events: [Value] = []
    for case .text(let name) in questions.map({ $0.argument }) where !name.isEmpty {
      if !events.contains(.string(name)) { events.append(.string(name)) }
    }
    return .object([
      "format": .string(config.format.rawValue),
      "placements": .list(ruleSet.placementNames.map { .string($0) }),
      "requirements": .list(ruleSet.requirements.map { .string($0.description) }),
      "attributes": .list(ruleSet.attributeRequirements.map { $0.value }),
      "events": .list(events),
      "paywalls": .list(config.paywalls.map { .string($0.identifier) }),
      "assigner": .string(assigner.name), "seed": .string(assigner.seed),
      "timeZone": .string(settings.timeZone),
    ])
  }

  /// The rules of some placements, or of all placements if `names` is nil.
  package func ruleSet(of names: [String]?) throws(RequestError) -> RuleSet {
    guard let names else { return ruleSet }
    try check(placements: names)
    let part = part(of: names)
    if part.placements.count == config.placements.count { return ruleSet }
    guard let made = RuleSet.compile(part, language: settings.language).output else {
      throw RequestError(.config, "invalid_config", "the rules of these placements cannot be used")
    }
    return made
  }

  /// The config with only some of its placements; nil for all placements.
  package func part(of names: [String]?) -> Config {
    guard let names else { return config }
    var part = config
    part.placements = part.placements.filter { placement in
      names.contains { $0.utf8.elementsEqual(placement.name.utf8) }
    }
    return part
  }

  /// Rejects names of placements that the config does not have.
  package func check(placements names: [String]) throws(RequestError) {
    for name in names where ruleSet.placement(named: name) == nil {
      throw RequestError(
        .request, "unknown_placement", ruleSet.hint(forPlacement: name, in: config))
    }
  }
}

extension RuleSet {
  /// The hint for a placement that a config does not have.
  package func hint(forPlacement name: String, in config: Config?) -> String {
    if let reason = config?.inactivePlacements.first(where: { $0.name == name })?.reason {
      return "the placement '\(name)' is not active: \(reason)"
    }
    let names = placementNames
    let hint =
      Suggestion.closest(to: name, among: names).map { "did you mean '\($0)'?" }
      ?? (names.isEmpty ? "it has none" : "it has \(names.listed(20))")
    return "the config has no placement '\(name)'; \(hint)"
  }
}

extension [String] {
  /// The first elements, separated by commas.
  func listed(_ most: Int) -> String {
    prefix(most).joined(separator: ", ") + (count > most ? ", ..." : "")
  }
}
