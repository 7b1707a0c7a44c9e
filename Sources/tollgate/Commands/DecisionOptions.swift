internal import ArgumentParser
internal import RuleEngine

/// What configs are written in.
struct ConfigFormOptions: ParsableArguments {
  enum FormatName: String, ExpressibleByArgument, CaseIterable {
    case superwall, agentwallie
  }

  static let formatHelp = ArgumentHelp(
    "The format of the config: \(FormatName.allCases.map(\.rawValue).joined(separator: ", ")).",
    discussion: "The default is to detect it.")

  @Option(help: formatHelp)
  var format: FormatName?

  func file(_ path: String, _ language: LanguageOptions) throws -> ConfigFile {
    try ConfigFile(
      path, format: format.flatMap { Config.Format(rawValue: $0.rawValue) },
      language: language.language)
  }
}

/// The config that a command reads.
///
/// Groups of options have no groups inside: in a debug build the parser checks each group anew for every
/// group around it, which with three of them took ten times as long as a decision.
struct ConfigOptions: ParsableArguments {
  @Argument(help: "The config file (JSON); - reads standard input.")
  var config: String
}

/// Options that every deciding command has.
struct DecisionOptions: ParsableArguments {
  enum AssignerName: String, ExpressibleByArgument, CaseIterable {
    case hash, djb2
  }

  @Option(
    help: ArgumentHelp(
      "The time of the decision, ISO 8601. Occurrence limits count back from it.",
      discussion: """
        Without a zone it is what clocks show in the time zone of --time-zone; a date alone is its \
        midnight. What happened later does not count. The default is the time of start, which is \
        printed.
        """, valueName: "iso"))
  var now: String?

  @Option(
    help: ArgumentHelp(
      "The salt of the assignment hash. The same seed gives every user the same variants.",
      valueName: "seed"))
  var seed = ""

  @Option(
    name: .customLong("assigner"),
    help: ArgumentHelp(
      "How users without a stored variant get one: hash, or djb2 as in AgentWallie's SDK.",
      discussion: "The default is djb2 for AgentWallie configs and hash for all others.",
      valueName: "name"))
  var assignerName: AssignerName?

  @Option(
    help: ArgumentHelp(
      "The time zone for calendar questions such as monthsSince, and for --now.", valueName: "name")
  )
  var timeZone = "UTC"

  /// The time with the calendar that questions about events are answered by.
  func clock(_ now: Instant) throws -> HistoryClock {
    guard let clock = HistoryClock(now: now, timeZone: timeZone) else {
      throw ValidationError(WireTime.Fault.unknownZone.message(timeZone))
    }
    return clock
  }

  func time() throws -> Instant { try Clock.time(now, in: timeZone) }

  /// How users get variants, for the rules of a config.
  func assigner(for format: Config.Format) -> Assigner {
    switch assignerName {
    case .hash: .hash(salt: seed)
    case .djb2: .djb2
    case nil: .usual(for: format, salt: seed)
    }
  }

  /// What a decision depends on beside config and user, for a person who wants the same again.
  static func basis(_ now: Instant, _ assigner: Assigner) -> String {
    let time = now.text ?? "\(now.milliseconds) ms"
    let seed = if case .hash(let salt) = assigner, !salt.isEmpty { ", seed '\(salt)'" } else { "" }
    return "\(time), assigner \(assigner.name)\(seed)"
  }

  /// Says that a seed has no effect.
  func tellUnused(_ assigner: Assigner) {
    guard assigner == .djb2, !seed.isEmpty else { return }
    FileText.printError("note: djb2 takes no seed; --seed is for --assigner hash")
  }
}

extension Clock {
  /// The time that an option says, or else what the clock says.
  ///
  /// - Parameter timeZone: the zone of a time that is given without one.
  static func time(_ option: String?, in timeZone: String) throws -> Instant {
    guard let option else { return now() }
    do throws(WireTime.Fault) {
      let time = try WireTime.instant(option, in: timeZone)
      if let second = WireTime.secondInstant(option, in: timeZone),
        let taken = time.text,
        let other = second.text
      {
        FileText.printError(
          "note: clocks in \(timeZone) show \(option) twice: \(taken) is taken, not \(other)")
      }
      return time
    } catch {
      throw ValidationError(error.message(error == .unknownZone ? timeZone : option))
    }
  }
}
