internal import ArgumentParser
internal import Pricing
internal import RuleEngine

/// The shared vocabulary of options. A name has the same meaning, values and summary in every command; a command
/// may add to the discussion.
enum OptionHelp {
  private static func sentences(_ parts: String...) -> String {
    parts.filter { !$0.isEmpty }.joined(separator: " ")
  }

  // MARK: Inputs

  static let configArgument = ArgumentHelp(
    "The config file (JSON); - reads standard input.", valueName: "config")

  /// The help of `--config` in commands whose argument is another file.
  static func config(_ discussion: String) -> ArgumentHelp {
    ArgumentHelp("The config file (JSON).", discussion: discussion, valueName: "file")
  }

  static let oldConfig = ArgumentHelp(
    "The old config (JSON); - reads standard input.", valueName: "old")

  static let newConfig = ArgumentHelp(
    "The new config (JSON); - reads standard input.", valueName: "new")

  static let configFormat = ArgumentHelp(
    "The format of the config (default: detected from its keys).", valueName: "format")

  /// The help of `--config-format` in commands that create a config.
  static let newConfigFormat = ArgumentHelp("The format of the config.", valueName: "format")

  static func placement(_ discussion: String = "") -> ArgumentHelp {
    ArgumentHelp("The placement's name.", discussion: discussion, valueName: "placement")
  }

  static func placements(_ discussion: String = "") -> ArgumentHelp {
    ArgumentHelp(
      "The placement's name.",
      discussion: sentences(
        "Repeatable; the default is all placements of the config.",
        discussion), valueName: "placement")
  }

  static func user(_ discussion: String = "") -> ArgumentHelp {
    ArgumentHelp(
      "The user's record, as a file or as JSON; - reads standard input.",
      discussion: sentences(
        #"Quote JSON for the shell: '{"userId":"u1","user":{"plan":"free"}}'."#, discussion),
      valueName: "record")
  }

  static func users(_ discussion: String) -> ArgumentHelp {
    ArgumentHelp(
      "The users: files, patterns such as 'users-*.ndjson', or - for standard input.",
      discussion: discussion, valueName: "file")
  }

  static func events(_ discussion: String) -> ArgumentHelp {
    ArgumentHelp(
      "Recorded events; - reads standard input.", discussion: discussion, valueName: "file")
  }

  static let userIDs = ArgumentHelp(
    "How user IDs are read: bytes reads them unchanged.",
    discussion: "sdk removes white space from both ends, as the SDKs do.", valueName: "reading")

  static let usersFormat = ArgumentHelp(
    "The format of the users (default: from the file's name).",
    discussion: """
      Files whose names end in .csv, .csv.gz or .csv.zst are CSV, and all other files are NDJSON. \
      Compression is recognised by content. CSV files need a header with dotted names, such as \
      userId,user.plan,device.osMajor. Unquoted cells can be numbers, true, false or null. Empty cells are \
      missing values. JSON lists and objects are parsed.
      """, valueName: "format")

  static let separator = ArgumentHelp(
    "The separator in the names of CSV columns, if it is not a dot.",
    discussion: "With _ the column user_plan is the attribute user.plan.", valueName: "text")

  static func check(separator: String?, users: [String], format: UserForm?) throws {
    guard let separator else { return }
    if separator.isEmpty || separator.contains(".") {
      throw ValidationError("--separator is '\(separator)'; expected a string such as _")
    }
    // A pattern may find files of any form.
    let mayBeCSV = users.contains {
      (format ?? UserForm(path: $0)) == .csv || format == nil && $0.contains("*")
    }
    if !mayBeCSV {
      throw ValidationError(
        "--separator needs CSV, but the users are NDJSON; for CSV in a file with another ending, "
          + "add --users-format csv")
    }
  }

  static func products(_ discussion: String = "") -> ArgumentHelp {
    ArgumentHelp(
      "A products file: prices, periods and trials.",
      discussion: sentences(
        "The file can also be a StoreKit configuration file (.storekit) or the backend's products response.",
        discussion),
      valueName: "file")
  }

  static func schema(_ discussion: String = "") -> ArgumentHelp {
    ArgumentHelp(
      "A schema of the users' attributes, as JSON: {\"user\":{\"age\":\"int\"}}.",
      discussion: sentences(
        """
        Types are bool, int, double, string, list, map, any, {"list": type} and {"enum": [strings]}. \
        'tollgate schema' learns a schema from users.
        """, discussion), valueName: "file")
  }

  static let redact = ArgumentHelp(
    "Hide the values of an attribute, such as user.email, or of userId.",
    discussion: "Repeatable. The output shows [redacted] instead.", valueName: "path")

  static let report = ArgumentHelp(
    "A file for a report: one self-contained HTML page with charts.",
    valueName: "file")

  static let reportIDs = ArgumentHelp(
    "Show the IDs of users in the report.",
    discussion: """
      By default, the report shows hashes such as sha256:0a1b2c3d4e5f, which --id accepts.
      """)

  // MARK: Reading

  static let dialect = ArgumentHelp(
    "The language of the rules.",
    discussion: "superscript is the language of Superwall's SDKs, cel is standard CEL.",
    valueName: "dialect")

  static func platform(_ discussion: String = "") -> ArgumentHelp {
    ArgumentHelp(
      "The SDK whose behaviour superscript rules follow.", discussion: discussion,
      valueName: "platform")
  }

  static let sdkVersion = ArgumentHelp(
    "The version of the SDK that decides.",
    discussion: """
      Write newest; a version of the platform's SDK, such as 4.12.5, or 4.12.5+pods from CocoaPods; versions \
      for each user's device.platform, such as ios=4.12.5,android=2.6.8; or record, which uses each user's \
      device.platform, device.sdkVersion and device.platformWrapper.
      """, valueName: "version")

  static let pricesVersion = ArgumentHelp(
    "The version of the SDK that shows prices.",
    discussion: "Write newest; a version for iOS, such as 4.12.5; or ios=4.12.5,android=2.6.8.",
    valueName: "version")

  static let textDialect = ArgumentHelp(
    "The language of the templates.",
    discussion: """
      The default is agentwallie for AgentWallie's configs and paywalls, otherwise superwall.
      """, valueName: "dialect")

  static let eligible = ArgumentHelp(
    "Whether the user is eligible for introductory offers and trials: yes or no.",
    discussion: "The default is yes, except for users whose record says that they are subscribed.",
    valueName: "answer")

  static let html = ArgumentHelp(
    "The templates are HTML: values are escaped, and &lt;&lt; is read as <<.")

  static func now(_ discussion: String = "") -> ArgumentHelp {
    ArgumentHelp(
      "The time to decide at, in ISO 8601 (default: the current time).",
      discussion: sentences(
        "A time without an offset is in --time-zone. A date means midnight.",
        discussion), valueName: "time")
  }

  static func seed(_ discussion: String = "") -> ArgumentHelp {
    ArgumentHelp(
      "The salt of the assignment hash. The same seed gives every user the same variants.",
      discussion: discussion, valueName: "seed")
  }

  static let assigner = ArgumentHelp(
    "The method that draws a variant for users without a stored variant.",
    discussion: """
      djb2 is AgentWallie's hash, and the default for its configs. hash is the default for all other configs.
      """, valueName: "assigner")

  static func timeZone(_ discussion: String) -> ArgumentHelp {
    ArgumentHelp(
      "The time zone, such as Europe/Berlin.", discussion: discussion, valueName: "zone")
  }

  static let profile = ArgumentHelp(
    "The SDK whose attribute names and price rounding are used.",
    discussion: """
      \(PricingProfile.allCases.map(\.rawValue).joined(separator: ", ")). The default depends on each \
      product's store. For agentwallie templates, it is agentwallie.
      """, valueName: "profile")

  static func locale(_ discussion: String = "") -> ArgumentHelp {
    ArgumentHelp(
      "The locale for prices, dates and plurals, such as de_DE.", discussion: discussion,
      valueName: "locale")
  }

  static func days(_ discussion: String) -> ArgumentHelp {
    ArgumentHelp(
      "The number of days of generated traffic.", discussion: discussion, valueName: "n")
  }

  static let threads = ArgumentHelp(
    "The number of threads (default: one for each core).", valueName: "n")

  static let keepGoing = ArgumentHelp(
    "Skip invalid rules instead of stopping.")

  // MARK: Outputs

  static func out(_ discussion: String = "") -> ArgumentHelp {
    ArgumentHelp(
      "The output file, or - for standard output.", discussion: discussion,
      valueName: "file")
  }

  static let rejects = ArgumentHelp(
    "A file for rejected lines, with line number and reason.", valueName: "file")

  static func force(_ discussion: String = "") -> ArgumentHelp {
    ArgumentHelp("Replace existing files.", discussion: discussion)
  }

  static func json(_ discussion: String = "") -> ArgumentHelp {
    ArgumentHelp("Print JSON instead of text.", discussion: discussion)
  }

  static func distribution(_ discussion: String = "") -> ArgumentHelp {
    ArgumentHelp(
      "Print every possible outcome with its exact probability.", discussion: discussion)
  }

  static func strict(_ discussion: String) -> ArgumentHelp {
    ArgumentHelp("Fail on warnings, too.", discussion: discussion)
  }

  static func quiet(_ discussion: String) -> ArgumentHelp {
    ArgumentHelp("Print only what needs attention.", discussion: discussion)
  }
}
