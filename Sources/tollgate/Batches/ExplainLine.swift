internal import RuleEngine
internal import RuleInsight

/// The user that a command line is about.
enum LineUser {
  /// One of files.
  case id(String, of: [String])
  /// A record in place.
  case record(String)
}

extension RunSettings {
  /// The command line that explains a user as this run has decided.
  ///
  /// - Parameters:
  ///   - user: whose ID is what ``ShownUser`` calls it, with files as somebody named them.
  ///   - placement: where the user is explained; nil for everywhere.
  ///   - configFormat: the format that the config has.
  ///   - redaction: what the explanation keeps out as well.
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
