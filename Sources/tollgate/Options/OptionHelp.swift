internal import ArgumentParser
internal import Pricing
internal import RuleEngine

/// The one vocabulary of options: a name that several commands have means the same in each of them, takes
/// the same values, and is described in the same words. What a command adds is the discussion.
enum OptionHelp {
  private static func sentences(_ parts: String...) -> String {
    parts.filter { !$0.isEmpty }.joined(separator: " ")
  }

  // MARK: What is read

  static let configArgument = ArgumentHelp(
    "The config file (JSON); - reads standard input.", valueName: "config")

  /// Where another file is the command's argument.
  static func config(_ discussion: String) -> ArgumentHelp {
    ArgumentHelp("The config file (JSON).", discussion: discussion, valueName: "file")
  }

  static let oldConfig = ArgumentHelp(
    "The old config (JSON); - reads standard input.", valueName: "old")

  static let newConfig = ArgumentHelp(
    "The new config (JSON); - reads standard input.", valueName: "new")

  static let configFormat = ArgumentHelp(
    "The format of the config; by default it is detected from its keys.", valueName: "format")

  /// Where there is no config yet, no keys tell.
  static let newConfigFormat = ArgumentHelp("The format of the config.", valueName: "format")

  static func placement(_ discussion: String = "") -> ArgumentHelp {
    ArgumentHelp("The placement's name.", discussion: discussion, valueName: "placement")
  }

  static func placements(_ discussion: String = "") -> ArgumentHelp {
    ArgumentHelp(
      "The placement's name.",
      discussion: sentences(
        "It can be given more than once; the default is all placements of the config.",
        discussion), valueName: "placement")
  }

  static func user(_ discussion: String = "") -> ArgumentHelp {
    ArgumentHelp(
      "The user's record, in a file or in place; - reads standard input.",
      discussion: sentences(
        #"In place it is JSON in quotes: '{"userId":"u1","user":{"plan":"free"}}'."#, discussion),
      valueName: "record")
  }

  static func users(_ discussion: String) -> ArgumentHelp {
    ArgumentHelp(
      "The users: files, patterns such as 'users-*.ndjson', or - for standard input.",
      discussion: discussion, valueName: "file")
  }

  static let usersFormat = ArgumentHelp(
    "The format of the users; by default it follows from the file's name.",
    discussion: """
      Names that end in .csv, or .csv.gz and the like, are CSV, all others NDJSON; what is compressed \
      is recognised by its content. CSV has a header with dotted names, such as \
      userId,user.plan,device.osMajor. Cells that are not quoted may be numbers, true, false or \
      null, empty ones are left out, and cells that are JSON lists or objects are these.
      """, valueName: "format")

  static func products(_ discussion: String = "") -> ArgumentHelp {
    ArgumentHelp(
      "A products file: prices, periods and trials.",
      discussion: sentences(
        "Also a StoreKit configuration file (.storekit), or the backend's products reply.",
        discussion),
      valueName: "file")
  }

  static func schema(_ discussion: String = "") -> ArgumentHelp {
    ArgumentHelp(
      "What your users, devices and parameters have, as JSON: {\"user\":{\"age\":\"int\"}}.",
      discussion: sentences(
        """
        Types are bool, int, double, string, list, map, any, {"list": type} and {"enum": [texts]}. \
        'tollgate schema' learns one from users.
        """, discussion), valueName: "file")
  }

  static let redact = ArgumentHelp(
    "Show [redacted] for the values of an attribute, such as user.email, or of userId.",
    discussion: "It may be given several times.", valueName: "path")

  static let report = ArgumentHelp(
    "A file for a report: one HTML page with charts, which needs nothing beside it.",
    valueName: "file")

  static let reportIDs = ArgumentHelp(
    "Show the IDs of users in the report.",
    discussion: """
      Without it the report has a hash of them, such as sha256:0a1b2c3d4e5f, and --id finds the \
      user by that.
      """)

  // MARK: How it is read

  static let dialect = ArgumentHelp(
    "The language of the rules.",
    discussion: "superscript is what Superwall's SDKs evaluate, cel is CEL as specified.",
    valueName: "dialect")

  static func platform(_ discussion: String = "") -> ArgumentHelp {
    ArgumentHelp(
      "The SDK whose behaviour superscript rules follow.", discussion: discussion,
      valueName: "platform")
  }

  static let textDialect = ArgumentHelp(
    "The language of the templates.",
    discussion: """
      The default is superwall; for AgentWallie's configs and paywalls it is agentwallie.
      """, valueName: "dialect")

  static let eligible = ArgumentHelp(
    "Whether the user may have introductory offers and trials: yes or no.",
    discussion: "The default is yes, except for users whose record says that they are subscribed.",
    valueName: "answer")

  static let html = ArgumentHelp(
    "The templates are HTML: values are escaped, and &lt;&lt; is read as <<.")

  static func now(_ discussion: String = "") -> ArgumentHelp {
    ArgumentHelp(
      "The time to decide at, in ISO 8601; by default the current time.",
      discussion: sentences(
        "Without an offset it is in the time zone of --time-zone; a date alone is its midnight.",
        discussion), valueName: "time")
  }

  static func seed(_ discussion: String = "") -> ArgumentHelp {
    ArgumentHelp(
      "The salt of the assignment hash. The same seed gives every user the same variants.",
      discussion: discussion, valueName: "seed")
  }

  static let assigner = ArgumentHelp(
    "How users without a stored variant get one.",
    discussion: """
      djb2 is what AgentWallie's SDK does, and the default for its configs; hash is the default \
      for all others.
      """, valueName: "assigner")

  static func timeZone(_ discussion: String) -> ArgumentHelp {
    ArgumentHelp(
      "The time zone, such as Europe/Berlin.", discussion: discussion, valueName: "zone")
  }

  static let profile = ArgumentHelp(
    "The SDK whose names and price rounding to use.",
    discussion: """
      \(PricingProfile.allCases.map(\.rawValue).joined(separator: ", ")). The default follows each product's store, or the dialect of the \
      templates where that is agentwallie.
      """, valueName: "profile")

  static func locale(_ discussion: String = "") -> ArgumentHelp {
    ArgumentHelp(
      "The locale for prices, dates and plurals, such as de_DE.", discussion: discussion,
      valueName: "locale")
  }

  static func days(_ discussion: String) -> ArgumentHelp {
    ArgumentHelp(
      "How many days of traffic to make up.", discussion: discussion, valueName: "n")
  }

  static let threads = ArgumentHelp(
    "How many threads to use; by default one for each core.", valueName: "n")

  static let keepGoing = ArgumentHelp(
    "Skip rules that do not compile or cannot be read instead of stopping.")

  // MARK: What is written

  static func out(_ discussion: String = "") -> ArgumentHelp {
    ArgumentHelp(
      "Where to write: a file, or - for standard output.", discussion: discussion,
      valueName: "file")
  }

  static let rejects = ArgumentHelp(
    "A file for refused lines, with line number and reason.", valueName: "file")

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
