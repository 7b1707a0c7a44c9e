internal import ArgumentParser
internal import Expressions
internal import RuleEngine

/// Which language the rules of a config are read in.
struct LanguageOptions: ParsableArguments {
  enum DialectName: String, ExpressibleByArgument, CaseIterable {
    case superscript, cel
  }

  enum PlatformName: String, ExpressibleByArgument, CaseIterable {
    case ios, android, web

    var platform: Platform {
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

  var language: RuleLanguage {
    dialect == .cel ? .cel : .superscript(platform.platform)
  }

  /// The options as words of a command line, where they are not as usual.
  var words: [String] { Self.words(dialect: dialect.rawValue, platform: platform.rawValue) }

  static func words(dialect: String, platform: String) -> [String] {
    (dialect == DialectName.superscript.rawValue ? [] : ["--dialect", dialect])
      + (platform == PlatformName.ios.rawValue ? [] : ["--platform", platform])
  }

  /// The language of names as the options take them.
  static func language(dialect: String, platform: String) -> RuleLanguage {
    dialect == DialectName.cel.rawValue
      ? .cel : .superscript((PlatformName(rawValue: platform) ?? .ios).platform)
  }
}
