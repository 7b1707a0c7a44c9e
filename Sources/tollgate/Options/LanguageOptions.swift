internal import ArgumentParser
internal import Expressions
internal import RuleEngine

/// The language of a config's rules, and the SDK that decides.
struct LanguageOptions: ParsableArguments {
  enum DialectName: String, ExpressibleByArgument, CaseIterable {
    case superscript, cel

    /// Rejects an SDK version for a dialect that no SDK evaluates.
    func check(_ selection: SDKSelection) throws {
      if self == .cel, selection != .newest {
        throw ValidationError(
          "--sdk-version has no effect with --dialect cel: SDKs evaluate superscript")
      }
    }
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

  func validate() throws {
    try dialect.check(sdkVersion)
    if let update { try dialect.check(update.new.sdkVersion) }
  }

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

  /// The language for all users, or for users whose records do not name an SDK.
  var language: RuleLanguage { Self.language(dialect, platform, sdkVersion) }

  /// The language of one user.
  func language(for record: [UInt8]) -> RuleLanguage {
    guard dialect == .superscript, sdkVersion.readsRecords else { return language }
    let device = (try? Value.parse(json: record))?["device"]
    return .superscript(sdkVersion.choice(DeviceSDK(device: device), usual: platform.sdk).profile)
  }

  /// The user, if the user's record determines the SDK that decides. Reports oddities of the SDK data.
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

  /// The SDK that decides, as words after the other inputs of a decision; empty for the newest SDK.
  func basis(_ ruleSet: RuleSet) -> String {
    guard sdkVersion != .newest, let profile = ruleSet.profile else { return "" }
    let asked = sdkVersion.version(of: profile.sdk)
    let isNew = asked.map { $0 > SDKFacts.newest(profile.sdk).notes } ?? false
    return ", by \(profile.title)" + (isNew ? ", the newest known version" : "")
  }

  /// The options in the form of a command line, if they differ from the defaults.
  var words: [String] {
    Self.words(
      dialect: dialect.rawValue, platform: platform.rawValue, sdkVersion: sdkVersion.text)
  }

  static func words(dialect: String, platform: String, sdkVersion: String) -> [String] {
    (dialect == DialectName.superscript.rawValue ? [] : ["--dialect", dialect])
      + (platform == PlatformName.ios.rawValue ? [] : ["--platform", platform])
      + (sdkVersion == SDKSelection.newest.text ? [] : ["--sdk-version", sdkVersion])
  }

  /// The language for option values.
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

  /// Rejects selecting SDKs by users' records, for commands that use one SDK for all users.
  func requireOneVersion() throws {
    try requireNoUpdate()
    if case .record = sdkVersion {
      throw ValidationError(
        "this command decides every user as one SDK and cannot use --sdk-version record; give a "
          + "version such as 4.12.5, or use "
          + "'tollgate precompute', 'match', 'decide' or 'explain'")
    }
  }
}

extension LanguageOptions {
  /// Rejects two versions, for commands that use only one version.
  func requireNoUpdate() throws {
    if case .update = sdkChoice {
      throw ValidationError(
        "--sdk-version with '..' compares two versions and needs 'tollgate diff'")
    }
  }
}

/// The value of `--sdk-version`: one SDK, or the versions before and after an update.
enum SDKChoice {
  case one(SDKSelection)
  case update(SDKSelection, SDKSelection)

  /// Parses the value of an option.
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
  /// Parses the value of an option.
  static func argument(_ text: String) throws -> SDKSelection {
    do throws(Fault) {
      return try SDKSelection(text)
    } catch {
      throw ValidationError(error.message)
    }
  }

  /// The SDK that decides if a record does not name an SDK.
  func usual(_ platform: SDKName) -> SDKName {
    if case .versions(let versions) = self, Array(versions.keys) == [.agentWallie] {
      return .agentWallie
    }
    return platform
  }
}

extension SDKVersion {
  /// Parses the value of an option.
  static func argument(_ text: String) throws -> SDKVersion {
    if let version = SDKVersion(text) { return version }
    throw ValidationError("'\(text)' is not an SDK version; write for example 4.12.5")
  }
}
