internal import ArgumentParser
internal import RuleEngine

/// The format of a config to check, and the platforms.
struct CheckedFormOptions: ParsableArguments {
  /// A platform, or all platforms.
  enum PlatformChoice: String, ExpressibleByArgument, CaseIterable {
    case ios, android, web, all
  }

  @Option(help: OptionHelp.configFormat)
  var configFormat: ConfigFormOptions.FormatName?

  @Option(help: OptionHelp.dialect)
  var dialect = LanguageOptions.DialectName.superscript

  @Option(
    help: OptionHelp.platform(
      """
      all checks every platform. A difference is reported as a platform-difference: a warning with an \
      example user if it changes outcomes, otherwise a note.
      """))
  var platform = PlatformChoice.ios

  @Option(help: OptionHelp.sdkVersion, transform: SDKSelection.argument)
  var sdkVersion = SDKSelection.newest

  func validate() throws {
    try dialect.check(sdkVersion)
  }

  var comparesPlatforms: Bool { platform == .all }

  func file(_ path: String) throws -> ConfigFile {
    try ConfigFile(
      path, format: configFormat?.format,
      language: LanguageOptions.language(
        dialect: dialect.rawValue, platform: platform.rawValue, sdkVersion: sdkVersion.text))
  }
}
