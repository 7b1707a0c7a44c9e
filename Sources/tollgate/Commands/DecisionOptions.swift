internal import ArgumentParser
internal import RuleEngine

/// The config that a command reads.
struct ConfigOptions: ParsableArguments {
  enum FormatName: String, ExpressibleByArgument, CaseIterable {
    case superwall, agentwallie
  }

  @Argument(help: "The config file (JSON); - reads standard input.")
  var config: String

  @Option(
    help: ArgumentHelp(
      "The format of the config: \(FormatName.allCases.map(\.rawValue).joined(separator: ", ")).",
      discussion: "The default is to tell by its keys."))
  var format: FormatName?

  @OptionGroup var language: LanguageOptions

  func file() throws -> ConfigFile {
    try ConfigFile(
      config, format: format.flatMap { Config.Format(rawValue: $0.rawValue) },
      language: language.language)
  }
}

/// Options that every deciding command has.
struct DecisionOptions: ParsableArguments {
  enum AssignerName: String, ExpressibleByArgument, CaseIterable {
    case hash, djb2
  }

  @Option(
    help: ArgumentHelp(
      "The time of the decision, ISO 8601. Occurrence limits count back from it.",
      discussion: "The default is the time of start, which is printed.", valueName: "iso"))
  var now: String?

  @Option(
    help: ArgumentHelp(
      "The salt of the assignment hash. The same seed gives every user the same variants.",
      valueName: "seed"))
  var seed = ""

  @Option(
    name: .customLong("assigner"),
    help: ArgumentHelp(
      "How users without a stored variant get one: hash, or djb2 as AgentWallie's SDK does.",
      valueName: "name"))
  var assignerName = AssignerName.hash

  @Option(
    help: ArgumentHelp(
      "The time zone of calendar questions such as monthsSince.", valueName: "name"))
  var timeZone = "UTC"

  /// The time with the calendar that questions about events are answered by.
  func clock(_ now: Int64) throws -> HistoryClock {
    guard let clock = HistoryClock(now: now, timeZone: timeZone) else {
      throw ValidationError("there is no time zone '\(timeZone)'; write Europe/Berlin or +01:00")
    }
    return clock
  }

  /// Milliseconds since 1970.
  func time() throws -> Int64 {
    guard let now else { return Clock.milliseconds() }
    guard let time = WireTime.milliseconds(now) else {
      throw ValidationError("'\(now)' is no ISO 8601 time; write 2026-03-01T12:00:00Z")
    }
    return time
  }

  var assigner: Assigner {
    switch assignerName {
    case .hash: .hash(salt: seed)
    case .djb2: .djb2
    }
  }
}
