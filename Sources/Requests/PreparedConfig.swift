package import Expressions
internal import Pricing
package import RuleEngine

/// A compiled config, and what requests about it need beside: how subjects are assigned, products, texts.
/// It never changes; any number of threads may ask it.
package final class PreparedConfig: Sendable {
  /// What is said of a config that it does not say itself.
  package struct Settings: Sendable {
    package var language = RuleLanguage.standard
    package var seed = ""
    /// Nil for the one that each config's own SDK has.
    package var assigner: Assigner?
    package var timeZone = "UTC"
    /// The products with their prices, and the texts of paywalls, that requests may ask for.
    package var products: ProductList?
    package var texts: TextFile?
    /// Lists and objects inside each other, in requests.
    package var nesting = 128
    /// What time it is for requests that do not say.
    package var clock: @Sendable () -> Instant

    package init(clock: @escaping @Sendable () -> Instant) { self.clock = clock }
  }

  package let bytes: [UInt8]
  package let config: Config
  package let ruleSet: RuleSet
  package let assigner: Assigner
  package let settings: Settings
  /// What was said when it was compiled, as `tollgate check --json` writes it.
  package let findings: [Value]
  let lines: OutcomeLines
  let texts: TextPlan?

  /// Frames that nobody uses, with readers that know which attributes rules read: finding that out takes as
  /// long as deciding. One is made for each request that there is at once.
  private let frames = Locked<[FrameBox]>([])
  private static let mostFrames = 64

  /// One request at a time has it.
  private final class FrameBox: @unchecked Sendable {
    var frame: Frame
    var reader: UserRecordReader

    init(_ ruleSet: RuleSet, _ clock: HistoryClock) {
      frame = Frame(for: ruleSet.program)
      reader = UserRecordReader(ruleSet, at: clock)
      reader.readsRequests = true
    }
  }

  /// - Parameters:
  ///   - file: what findings call the config.
  ///   - isStrict: whether a config with errors in some of its rules is refused.
  package init(
    _ bytes: [UInt8], _ settings: Settings, file: String = "config", isStrict: Bool = false
  ) throws(RequestError) {
    let text = ConfigText(bytes, language: settings.language)
    findings = text.findings(file: file)
    guard let config = text.config, let ruleSet = text.ruleSet,
      !isStrict || text.count(.error) == 0
    else {
      throw RequestError(
        .config, "invalid_config", "'\(file)' cannot be used",
        details: [.init(key: "diagnostics", value: .list(findings))])
    }
    guard settings.timeZone == "UTC" || TemplateZone(named: settings.timeZone) != nil else {
      throw RequestError(
        .request, "bad_request", WireTime.Fault.unknownZone.message(settings.timeZone),
        details: [.init(key: "path", value: "timeZone")])
    }
    self.bytes = bytes
    self.config = config
    self.ruleSet = ruleSet
    self.settings = settings
    assigner = settings.assigner ?? .usual(for: ruleSet.format, salt: settings.seed)
    lines = OutcomeLines(ruleSet)
    do throws(PricingError) {
      texts = try settings.texts.map { (texts) throws(PricingError) in
        try PreparedConfig.plan(texts, config, settings)
      }
    } catch {
      throw RequestError(.request, "bad_request", error.message)
    }
  }

  /// The texts of paywalls, which are compiled once.
  private static func plan(_ texts: TextFile, _ config: Config, _ settings: Settings)
    throws(PricingError) -> TextPlan
  {
    let isAgentWallie = config.format == .agentWallie
    let dialect = TemplateDialect(named: isAgentWallie ? "agentwallie" : "superwall") ?? .superwall
    let now = settings.clock()
    return try TextPlan(
      texts, config: config, prices: settings.products,
      profile: isAgentWallie ? .agentWallie : nil,
      environment: TemplateEnvironment(dialect: dialect),
      pricing: PricingContext(
        now: now, timeZone: settings.timeZone, deviceLocale: "en_US",
        history: TrialHistory(entitlements: [], storeEligibility: true)),
      options: RenderOptions(escaping: .text, now: now, locale: "en_US", money: .prices))
  }

  /// Calls with a frame and a reader that nobody else has.
  ///
  /// - Parameter clock: nil where no question about events is answered.
  func withReader<Result>(
    at clock: HistoryClock?, _ body: (inout UserRecordReader, inout Frame) throws -> Result
  ) rethrows -> Result {
    let box = frames.withLock { $0.popLast() } ?? FrameBox(ruleSet, clock ?? self.clock(nil))
    if let clock { box.reader.clock = clock }
    defer {
      // No cell may outlive the bytes that it points into.
      box.reader.forget()
      box.frame.reset()
      frames.withLock { if $0.count < Self.mostFrames { $0.append(box) } }
    }
    return try body(&box.reader, &box.frame)
  }

  /// The clock that questions about events are answered by.
  package func clock(_ now: Instant?) -> HistoryClock {
    let now = now ?? settings.clock()
    if settings.timeZone == "UTC" { return HistoryClock(now: now) }
    return HistoryClock(now: now, timeZone: settings.timeZone) ?? HistoryClock(now: now)
  }

  /// The assigner of a request that may have a seed of its own.
  package func assigner(seed: String?) -> Assigner { seed.map { assigner.seeded($0) } ?? assigner }

  /// What the config has, what rules read of users, and which events they ask about.
  package var description: Value {
    let questions = ruleSet.questions
    var events: [Value] = []
    for case .text(let name) in questions.map(\.argument) where !name.isEmpty {
      if !events.contains(.string(name)) { events.append(.string(name)) }
    }
    return .object([
      "format": .string(config.format.rawValue),
      "placements": .list(ruleSet.placementNames.map { .string($0) }),
      "requirements": .list(ruleSet.requirements.map { .string($0.description) }),
      "events": .list(events),
      "paywalls": .list(config.paywalls.map { .string($0.identifier) }),
      "assigner": .string(assigner.name), "seed": .string(assigner.seed),
      "timeZone": .string(settings.timeZone),
    ])
  }

  /// The rules of some placements alone; of all for nil.
  package func ruleSet(of names: [String]?) throws(RequestError) -> RuleSet {
    guard let names else { return ruleSet }
    try check(placements: names)
    var part = config
    part.placements = part.placements.filter { placement in
      names.contains { $0.utf8.elementsEqual(placement.name.utf8) }
    }
    if part.placements.count == config.placements.count { return ruleSet }
    guard let made = RuleSet.compile(part, language: settings.language).output else {
      throw RequestError(.config, "invalid_config", "the rules of these placements cannot be used")
    }
    return made
  }

  /// Refuses names that the config does not have.
  package func check(placements names: [String]) throws(RequestError) {
    for name in names where ruleSet.placement(named: name) == nil {
      let close = Suggestion.closest(to: name, among: ruleSet.placementNames)
      throw RequestError(
        .request, "unknown_placement",
        "the config has no placement '\(name)'" + (close.map { "; did you mean '\($0)'?" } ?? ""))
    }
  }
}
