internal import ArgumentParser
internal import RuleEngine

/// The format of configs.
struct ConfigFormOptions: ParsableArguments {
  enum FormatName: String, ExpressibleByArgument, CaseIterable {
    case superwall, agentwallie

    var format: Config.Format { self == .superwall ? .superwall : .agentWallie }
  }

  @Option(help: OptionHelp.configFormat)
  var configFormat: FormatName?

  /// The option in the form of a command line.
  var words: [String] { configFormat.map { ["--config-format", $0.rawValue] } ?? [] }

  /// - Parameters:
  ///   - record: the user to decide; nil for many users, or if the SDK does not depend on the user.
  ///   - readsRecords: whether users are decided by the SDKs in their records.
  func file(
    _ path: String, _ language: LanguageOptions, for record: [UInt8]? = nil,
    readsRecords: Bool = false
  ) throws -> ConfigFile {
    try language.requireNoUpdate()
    if record == nil, !readsRecords { try language.requireOneVersion() }
    return try ConfigFile(
      path, format: configFormat?.format,
      language: record.map { language.language(for: $0) } ?? language.language)
  }
}

/// The config that a command reads.
///
/// Groups of options are not nested. In a debug build, the parser checks each group again for every enclosing group,
/// which took ten times as long as a decision with three groups.
struct ConfigOptions: ParsableArguments {
  @Argument(help: OptionHelp.configArgument, completion: .file())
  var config: String
}

/// Options that every deciding command has.
struct DecisionOptions: ParsableArguments {
  enum AssignerName: String, ExpressibleByArgument, CaseIterable {
    case hash, djb2
  }

  @Option(
    help: OptionHelp.now(
      "Occurrence limits count back from this time. Later events do not count."))
  var now: String?

  @Option(help: OptionHelp.seed())
  var seed = ""

  @Option(
    name: .customLong("assigner"),
    help: OptionHelp.assigner)
  var assignerName: AssignerName?

  @Option(
    name: .customLong("time-zone"),
    help: OptionHelp.timeZone(
      """
      Functions of days and months, such as monthsSince, and dates in texts use this time zone. By default, \
      functions use UTC, and dates in texts keep the offset that they were written with.
      """))
  var givenTimeZone: String?

  @Option(help: OptionHelp.userIDs)
  var userIds = UserID.Reading.bytes

  var timeZone: String { givenTimeZone ?? "UTC" }

  /// The time with the calendar for questions about events.
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

  /// The inputs of a decision other than the config and the user, in words, for reproducing the decision.
  static func basis(_ now: Instant, _ assigner: Assigner) -> String {
    let time = now.text ?? "\(now.milliseconds) ms"
    let seed = if case .hash(let salt) = assigner, !salt.isEmpty { ", seed '\(salt)'" } else { "" }
    return "\(time), assigner \(assigner.name)\(seed)"
  }

  /// The inputs of ``basis(_:_:)``, and the time zone of displayed times if it is not UTC.
  func zonedBasis(_ now: Instant, _ assigner: Assigner) -> String {
    let basis = DecisionOptions.basis(now, assigner)
    return timeZone == "UTC" ? basis : "\(basis), time zone \(timeZone)"
  }

  /// Reports that a seed has no effect.
  func tellUnused(_ assigner: Assigner, isQuiet: Bool = false) {
    guard !isQuiet, assigner == .djb2, !seed.isEmpty else { return }
    FileText.printError("note: djb2 takes no seed; --seed is for --assigner hash")
  }
}

extension Clock {
  /// The time of an option, or else of the clock.
  ///
  /// - Parameter timeZone: the zone of a time without a zone.
  static func time(_ option: String?, in timeZone: String) throws -> Instant {
    guard let option else { return now() }
    do throws(WireTime.Fault) {
      let time = try WireTime.instant(option, in: timeZone)
      if let second = WireTime.secondInstant(option, in: timeZone),
        let taken = time.text,
        let other = second.text
      {
        FileText.printError(
          "note: \(option) occurs twice in \(timeZone): \(taken) is used, not \(other)")
      }
      return time
    } catch {
      throw ValidationError(error.message(error == .unknownZone ? timeZone : option))
    }
  }
}

extension UserID.Reading: ExpressibleByArgument {}

extension RuleSet {
  /// The rules with a certain way of reading users' IDs.
  func reading(_ ids: UserID.Reading) -> RuleSet {
    var ruleSet = self
    ruleSet.userIDs = ids
    return ruleSet
  }
}
