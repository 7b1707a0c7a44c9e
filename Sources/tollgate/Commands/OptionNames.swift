internal import ArgumentParser
internal import Expressions

/// The options of all commands, by the parser's own description of them.
struct OptionNames {
  struct Option {
    /// With their dashes.
    var names: [String]
    /// Whether it takes one value, and so is given once.
    var isSingle: Bool
    /// Whether it takes none.
    var isFlag: Bool
  }

  private let commands: [(name: String, options: [Option], words: Int)]

  /// The parser takes its time to describe itself, and is asked about a mistake more than once.
  static let all = OptionNames()

  private init() {
    let described = try? Value.parse(json: TollgateCommand._dumpHelp().utf8)
    commands = (described?["command"]?["subcommands"]?.elements ?? []).map { command in
      let arguments = command["arguments"]?.elements ?? []
      return (
        command["commandName"]?.text ?? "",
        arguments.filter { $0["kind"] != "positional" }.map(OptionNames.option),
        arguments.count { $0["kind"] == "positional" }
      )
    }
  }

  private static func option(_ described: Value) -> Option {
    Option(
      names: (described["names"]?.elements ?? []).compactMap { name in
        name["name"]?.text.map { (name["kind"] == "long" ? "--" : "-") + $0 }
      },
      isSingle: described["kind"] == "option" && described["isRepeating"] == false,
      isFlag: described["kind"] == "flag")
  }

  func options(of command: String) -> [Option] {
    commands.first { $0.name == command }?.options ?? []
  }

  /// The names of a command's options.
  func names(of command: String) -> [String] { options(of: command).flatMap(\.names) }

  /// The commands that have an option.
  func commands(with name: String) -> [String] {
    commands.filter { $0.options.contains { $0.names.contains(name) } }.map(\.name)
  }

  /// The words of a command line that are neither options, nor values of these, nor among as many as
  /// the command takes.
  func surplus(_ arguments: [String], of command: String) -> [String] {
    guard let known = commands.first(where: { $0.name == command }) else { return [] }
    var words: [String] = []
    var option: Option?
    for argument in arguments.dropFirst() {
      if argument.hasPrefix("-"), argument.count > 1 {
        let named = known.options.first { $0.names.contains(argument) }
        option = named?.isFlag == true ? nil : named
      } else if let taking = option {
        if taking.isSingle { option = nil }
      } else {
        words.append(argument)
      }
    }
    return Array(words.dropFirst(known.words))
  }

  // MARK: Options that a command does not have

  /// What to write in place of an option that a command does not have.
  func help(_ name: String, of command: String) -> String {
    let known = names(of: command)
    if command == "decide", name == "--explain" { return "use 'tollgate explain'" }
    if name == "--no-color" || name == "--no-colour" { return "use --color never" }
    if ["-v", "-V"].contains(name) { return "did you mean '--version'?" }
    if let other = OptionNames.elsewhere[name]?.first(where: known.contains) {
      return "use \(other)"
    }
    if let renamed = OptionNames.renamed[name]?.first(where: known.contains) {
      return "use \(renamed)"
    }
    let written = name.hasPrefix("--") || name.count <= 2 ? name : "-" + name
    let plain = OptionNames.plain(written)
    if let same = known.first(where: { OptionNames.plain($0) == plain }) {
      return "did you mean '\(same)'?"
    }
    let others = commands(with: name)
    if !others.isEmpty {
      return "it is an option of \(listed(others.map { "'\($0)'" }, "and"))"
    }
    let close = Suggestion.closest(to: written, among: known.filter { $0.count > 2 })
    return close.map { "did you mean '\($0)'?" } ?? "'tollgate help \(command)' lists them"
  }

  /// Names of version 0.1, and what they became; the first that a command has.
  private static let renamed: [String: [String]] = [
    "--format": ["--config-format"], "--form": ["--format"],
    "--users-form": ["--users-format"], "--zone": ["--time-zone"],
    "--placements": ["--placement"], "--dialect": ["--text-dialect"], "--prices": ["--products"],
    "--paywall": ["--paywall-schema"], "--config": ["--for"], "--file": ["--for"],
  ]

  /// What other tools call options; the first that a command has.
  private static let elsewhere: [String: [String]] = [
    "-q": ["--quiet"], "--silent": ["--quiet"], "-o": ["--out"], "--output": ["--out"],
    "--event": ["--placement"], "-p": ["--placement"], "--user-id": ["--id"],
    "--userId": ["--id"], "-j": ["--json"], "-f": ["--force"], "-w": ["--write"],
    "-u": ["--user", "--users"], "--user": ["--users"],
  ]

  /// A name without what people forget or mix up: `--timeZone` and `--time_zone` are one.
  private static func plain(_ name: String) -> String {
    name.lowercased().filter { $0.isLetter || $0.isNumber }
  }
}
