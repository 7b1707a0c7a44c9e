internal import ArgumentParser
internal import Expressions
internal import RuleEngine

/// Which language the rules of a config are read in, and which SDK decides.
struct LanguageOptions: ParsableArguments {
  enum DialectName: String, ExpressibleByArgument, CaseIterable {
    case superscript, cel
  }

  enum PlatformName: String, ExpressibleByArgument, CaseIterable {
    case ios, android, web

    var sdk: SDKName {
      switch self {
      case .ios: .ios
      case .android: .android
      case .web: .web
      }
    }
  }

  @Option(help: OptionHelp.dialect)
  var dialect = DialectName.superscript

  @Option(help: OptionHelp.platform())
  var platform = PlatformName.ios

  @Option(
    name: .customLong("sdk-version"), help: OptionHelp.sdkVersion, transform: SDKChoice.argument)
  var sdkChoice = SDKChoice.one(.newest)

  /// The SDK that decides.
  var sdkVersion: SDKSelection {
    switch sdkChoice {
    case .one(let selection), .update(let selection, _): selection
    }
  }

  /// The versions before and after an update, for the command that compares them: `4.11.2..4.16.2`.
  var update: (old: LanguageOptions, new: LanguageOptions)? {
    guard case .update(let before, let after) = sdkChoice else { return nil }
    var (old, new) = (self, self)
    (old.sdkChoice, new.sdkChoice) = (.one(before), .one(after))
    return (old, new)
  }

  /// The language for all users, and for those whose records say nothing of their SDKs.
  var language: RuleLanguage { Self.language(dialect, platform, sdkVersion) }

  /// The language of one user.
  func language(for record: [UInt8]) -> RuleLanguage {
    guard dialect == .superscript, sdkVersion.readsRecords else { return language }
    let device = (try? Value.parse(json: record))?["device"]
    return .superscript(sdkVersion.choice(DeviceSDK(device: device), usual: platform.sdk).profile)
  }

  /// The user, where it says which SDK decides; what is odd about that is told.
  func givenUser(_ user: UserOptions, isQuiet: Bool) throws -> GivenUser? {
    guard dialect == .superscript, sdkVersion.readsRecords,
      let given = try user.given(isQuiet: isQuiet)
    else { return nil }
    let device = (try? Value.parse(json: given.bytes))?["device"]
    if let problem = sdkVersion.choice(DeviceSDK(device: device), usual: platform.sdk).problem,
      !isQuiet
    {
      var notes = RecordNotes()
      notes.add(problem)
      for note in notes.versionDiagnostics(users: nil) {
        FileText.printError("note: \(DiagnosticText.visible(note.message))")
      }
    }
    return given
  }

  /// Which SDK decides, behind what else a decision depends on; nothing for the newest.
  func basis(_ ruleSet: RuleSet) -> String {
    guard sdkVersion != .newest, let profile = ruleSet.profile else { return "" }
    let asked = sdkVersion.version(of: profile.sdk)
    let isNew = asked.map { $0 > SDKFacts.newest(profile.sdk).notes } ?? false
    return ", by \(profile.title)" + (isNew ? ", the newest one that is known" : "")
  }

  /// The options as words of a command line, where they are not as usual.
  var words: [String] {
    Self.words(
      dialect: dialect.rawValue, platform: platform.rawValue, sdkVersion: sdkVersion.text)
  }

  static func words(dialect: String, platform: String, sdkVersion: String) -> [String] {
    (dialect == DialectName.superscript.rawValue ? [] : ["--dialect", dialect])
      + (platform == PlatformName.ios.rawValue ? [] : ["--platform", platform])
      + (sdkVersion == SDKSelection.newest.text ? [] : ["--sdk-version", sdkVersion])
  }

  /// The language of names as the options take them.
  static func language(dialect: String, platform: String, sdkVersion: String) -> RuleLanguage {
    language(
      DialectName(rawValue: dialect) ?? .superscript, PlatformName(rawValue: platform) ?? .ios,
      (try? SDKSelection(sdkVersion)) ?? .newest)
  }

  private static func language(
    _ dialect: DialectName, _ platform: PlatformName, _ selection: SDKSelection
  ) -> RuleLanguage {
    dialect == .cel ? .cel : .superscript(selection.profile(usual: selection.usual(platform.sdk)))
  }

  /// Rejects a selection by the records of users, for commands that decide all users by one SDK.
  func requireOneVersion() throws {
    try requireNoUpdate()
    if case .record = sdkVersion {
      throw ValidationError(
        "this command decides every user as one SDK and cannot use --sdk-version record; give a version such as 4.12.5, or use "
          + "'tollgate precompute', 'match', 'decide' or 'explain'")
    }
  }
}

extension LanguageOptions {
  /// Rejects two versions, for commands that decide by one.
  func requireNoUpdate() throws {
    if case .update = sdkChoice {
      throw ValidationError(
        "--sdk-version with '..' compares two versions: it is for 'tollgate diff'")
    }
  }
}

/// What `--sdk-version` says: one SDK, or the versions before and after an update.
enum SDKChoice {
  case one(SDKSelection)
  case update(SDKSelection, SDKSelection)

  /// Reads what an option says.
  static func argument(_ text: String) throws -> SDKChoice {
    guard text.contains("..") else { return .one(try SDKSelection.argument(text)) }
    do throws(SDKSelection.Fault) {
      let (old, new) = try SDKSelection.range(text)
      return .update(old, new)
    } catch {
      throw ValidationError(error.message)
    }
  }
}

extension SDKSelection {
  /// Reads what an option says.
  static func argument(_ text: String) throws -> SDKSelection {
    do throws(Fault) {
      return try SDKSelection(text)
    } catch {
      throw ValidationError(error.message)
    }
  }

  /// The SDK that decides where no record says another one.
  func usual(_ platform: SDKName) -> SDKName {
    if case .versions(let versions) = self, Array(versions.keys) == [.agentWallie] {
      return .agentWallie
    }
    return platform
  }
}

extension SDKVersion {
  /// Reads what an option says.
  static func argument(_ text: String) throws -> SDKVersion {
    if let version = SDKVersion(text) { return version }
    throw ValidationError("'\(text)' is not an SDK version; write for example 4.12.5")
  }
}
