internal import RuleEngine
internal import RuleInsight

/// The user of a command line.
enum LineUser {
  /// A user in files, by ID.
  case id(String, of: [String])
  /// A record on the command line.
  case record(String)
}

extension RunSettings {
  /// The command line that explains a user's decisions in this run.
  ///
  /// - Parameters:
  ///   - user: the user, by the ID of ``ShownUser``, with files as they were named on the command line.
  ///   - placement: the placement to explain; nil for all placements.
  ///   - configFormat: the format of the config.
  ///   - redaction: the attributes that the explanation also redacts.
  func explainLine(
    _ user: LineUser, at placement: String?, format configFormat: Config.Format,
    _ redaction: Redaction
  ) -> String {
    var words = ["tollgate", "explain", config]
    words += placement.map { ["--placement", $0] } ?? ["--all"]
    if let format { words += ["--config-format", format] }
    words += LanguageOptions.words(
      dialect: dialect, platform: platform, sdkVersion: sdkVersion)
    switch user {
    case .id(let id, let files):
      words += ["--users"] + files
      if let input { words += ["--users-format", input] }
      if let separator { words += ["--separator", separator] }
      words += ["--id", id]
    case .record(let record): words += ["--user", record]
    }
    words += ["--now", now.text ?? "\(now.milliseconds)"]
    if assigner != Assigner.usual(for: configFormat, salt: "").name {
      words += ["--assigner", assigner]
    }
    if assigner != Assigner.djb2.name, !seed.isEmpty { words += ["--seed", seed] }
    if timeZone != "UTC" { words += ["--time-zone", timeZone] }
    for path in redaction.paths { words += ["--redact", path.joined(separator: ".")] }
    return words.map(ShellWord.quoted).joined(separator: " ")
  }
}
