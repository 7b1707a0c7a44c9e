internal import ArgumentParser
internal import Expressions
internal import RuleEngine
internal import RuleInsight

/// The amount of traffic, and the behavior of users.
struct TrafficOptions: ParsableArguments {
  @Option(
    name: .customLong("placement"),
    help: OptionHelp.placements("Traffic at other placements is omitted."),
    completion: Completions.placements)
  var placements: [String] = []

  @Option(help: OptionHelp.now("Generated traffic starts at this time."))
  var now: String?

  @Option(help: OptionHelp.days("The default is 30."))
  var days: Int?

  @Option(
    help: ArgumentHelp(
      "The average number of placements for each user and day (default: 1).",
      discussion: "Placements that follow a closed paywall are not included.", valueName: "n"))
  var rate: Double?

  @Option(
    help: ArgumentHelp(
      "The share of shown paywalls that end in a subscription, from 0 to 1 (default: 0).",
      discussion: """
        After a subscription, the status is ACTIVE, and the user owns the entitlements of the paywall's first \
        product.
        """, valueName: "share"))
  var purchaseRate = 0.0

  @Option(help: OptionHelp.seed("Generated traffic and purchases also depend on the seed."))
  var seed = ""

  @Option(name: .customLong("assigner"), help: OptionHelp.assigner)
  var assignerName: DecisionOptions.AssignerName?

  @Option(
    name: .customLong("time-zone"),
    help: OptionHelp.timeZone(
      """
      The report's days, the hours of generated traffic, and functions of days and months use this time \
      zone. The default is UTC.
      """))
  var timeZone = "UTC"

  @Option(
    help: ArgumentHelp(
      "The SDK version that users update to over time.",
      discussion: """
        Write newest, a version such as 4.16.2, or ios=4.16.2,android=2.7.19. Users start with the version of \
        --sdk-version. Users with a newer version do not update.
        """, valueName: "version"), transform: SDKSelection.argument)
  var updateTo: SDKSelection?

  @Option(
    help: ArgumentHelp(
      "The percentage of users that have updated after each day (default: \(UpdateCurve.phased.text)).",
      discussion: "The default curve is that of a phased release in the App Store.",
      valueName: "list"),
    transform: UpdateCurve.argument)
  var updateCurve: UpdateCurve?

  @Option(
    help: ArgumentHelp(
      "The time of the first update, as for --now.",
      discussion: "The default is the beginning of generated traffic.", valueName: "time"))
  var updateStart: String?

  static let usualDays = 30
  static let usualRate = 1.0
  private static let mostDays = 3_660
  private static let mostPerDay = 1_000.0
  /// The maximum number of placements of one user, because they must fit into memory while they are written.
  private static let mostOfUser = 20_000.0

  func check(hasEvents: Bool) throws {
    if placements.contains("") { throw ValidationError("--placement is empty") }
    if hasEvents {
      let given = [
        ("--now", now != nil), ("--days", days != nil), ("--rate", rate != nil),
      ].filter(\.1).map(\.0)
      if !given.isEmpty {
        throw ValidationError(
          "\(listed(given, "and")) \(given.count == 1 ? "is" : "are") for generated traffic; "
            + "the traffic of --events has its own times")
      }
    }
    if let days, !(1...Self.mostDays).contains(days) {
      throw ValidationError("--days must be from 1 to \(grouped(Self.mostDays))")
    }
    if let rate, !(rate > 0 && rate <= Self.mostPerDay) {
      throw ValidationError(
        "--rate must be more than 0, and at most \(grouped(Int(Self.mostPerDay)))")
    }
    if (rate ?? Self.usualRate) * Double(days ?? Self.usualDays) > Self.mostOfUser {
      throw ValidationError(
        "--rate times --days must be at most \(grouped(Int(Self.mostOfUser))) placements per user")
    }
    if updateTo == .record {
      throw ValidationError("--update-to needs a version such as 4.16.2, not record")
    }
    if updateTo == nil, updateCurve != nil || updateStart != nil {
      throw ValidationError("--update-curve and --update-start have no effect without --update-to")
    }
    if hasEvents, updateTo != nil, updateStart == nil {
      throw ValidationError("--update-to with --events needs --update-start")
    }
    if !(purchaseRate >= 0 && purchaseRate <= 1) {
      throw ValidationError("--purchase-rate must be from 0 to 1: 0.03 is 3 %")
    }
  }

  /// A clock in the zone.
  func clock() throws -> HistoryClock {
    guard let clock = HistoryClock(now: 0, timeZone: timeZone) else {
      throw ValidationError(WireTime.Fault.unknownZone.message(timeZone))
    }
    return clock
  }

  func generated() throws -> GeneratedTraffic {
    let start = try Clock.time(now, in: timeZone)
    let days = days ?? Self.usualDays
    if let last = try? WireTime.instant("9999-12-31T23:59:59.999Z"),
      last - start < Int64(days) * 86_400_000 - 1
    {
      throw ValidationError("\(counted(days, "day")) from --now would end after the year 9999")
    }
    return GeneratedTraffic(start: start, days: days, rate: rate ?? Self.usualRate)
  }

  /// How users get variants, for the rules of a config.
  func assigner(for format: Config.Format) -> Assigner {
    switch assignerName {
    case .hash: .hash(salt: seed)
    case .djb2: .djb2
    case nil: .usual(for: format, salt: seed)
    }
  }

  /// The SDKs of users; nil if one SDK decides for all users.
  func versions(_ language: LanguageOptions, _ generated: GeneratedTraffic?) throws
    -> TrafficVersions?
  {
    let selection = language.sdkVersion
    guard updateTo != nil || selection.readsRecords else { return nil }
    var versions = TrafficVersions(selection, usual: language.platform.sdk)
    if let updateTo {
      let start = try updateStart.map { try Clock.time($0, in: timeZone) } ?? generated?.start ?? 0
      versions.update = TrafficVersions.Update(
        to: updateTo, start: start, curve: (updateCurve ?? .phased).shares)
    }
    return versions
  }

  /// A number, without a fraction if it is whole.
  static func number(_ number: Double) -> String {
    Int(exactly: number).map { "\($0)" } ?? "\(number)"
  }

  /// The options in the form of a command line.
  func words(_ traffic: GeneratedTraffic?) -> [String] {
    var words = placements.flatMap { ["--placement", $0] }
    if let traffic {
      words += ["--now", traffic.start.text ?? "\(traffic.start.milliseconds)"]
      words += ["--days", "\(traffic.days)", "--rate", Self.number(traffic.rate)]
    }
    if purchaseRate > 0 { words += ["--purchase-rate", "\(purchaseRate)"] }
    if let updateTo { words += ["--update-to", updateTo.text] }
    if let updateCurve { words += ["--update-curve", updateCurve.text] }
    if let updateStart { words += ["--update-start", updateStart] }
    if !seed.isEmpty { words += ["--seed", seed] }
    if let assignerName { words += ["--assigner", assignerName.rawValue] }
    if timeZone != "UTC" { words += ["--time-zone", timeZone] }
    return words
  }

  /// The inputs of a simulation in words, for reproducing the simulation.
  func basis(_ traffic: GeneratedTraffic, _ plan: TrafficPlan) -> String {
    let time = traffic.start.text ?? "\(traffic.start.milliseconds) ms"
    return "\(time), assigner \(plan.options.assigner.name)"
      + (seed.isEmpty ? "" : ", seed '\(seed)'")
      + (timeZone == "UTC" ? "" : ", time zone \(timeZone)")
  }
}

/// The percentages of users that have updated after each day.
struct UpdateCurve {
  let percentages: [Double]

  /// A phased release of the App Store.
  static let phased = UpdateCurve(percentages: [1, 2, 5, 10, 20, 50, 100])

  var shares: [Double] { percentages.map { $0 / 100 } }
  var text: String { percentages.map(TrafficOptions.number).joined(separator: ",") }

  /// Parses the value of an option.
  static func argument(_ text: String) throws -> UpdateCurve {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let percentages = parts.compactMap { Double(String($0)) }
    guard percentages.count == parts.count, percentages.allSatisfy({ (0...100).contains($0) }),
      zip(percentages, percentages.dropFirst()).allSatisfy({ $0 <= $1 })
    else {
      throw ValidationError(
        "'\(text)' is not a list of rising percentages; write for example \(phased.text)")
    }
    return UpdateCurve(percentages: percentages)
  }
}
