// Writes manual pages from what the parser of a command says about itself, as
// `tollgate --experimental-dump-help` prints it: tollgate.1, and a page for each command.
//
// usage: manual-pages DESCRIPTION FOLDER VERSION DATE
//
// Compiled together with ToolInfo.swift of swift-argument-parser, which declares that description.
import Foundation

@main
enum ManualPages {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 5 else {
      FileHandle.standardError.write(
        Data("usage: manual-pages DESCRIPTION FOLDER VERSION DATE\n".utf8))
      exit(2)
    }
    let description = try Data(contentsOf: URL(filePath: arguments[1]))
    let folder = URL(filePath: arguments[2])
    let book = Book(
      root: try JSONDecoder().decode(ToolInfoV0.self, from: description).command,
      version: arguments[3], date: arguments[4])
    for page in [book.overview] + book.commands.map(book.page) {
      try Data(page.text.utf8).write(to: folder.appending(path: page.name + ".1"))
    }
  }
}

/// All pages of a command.
struct Book {
  var root: CommandInfoV0
  var version: String
  var date: String

  var name: String { root.commandName }

  /// Those with a page of their own. `help` shows the same in a terminal.
  var commands: [CommandInfoV0] {
    (root.subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
  }

  var overview: Page {
    var page = Page(name: name, version: version, date: date)
    page.section("NAME", name + Roff.dash + Roff.text(Roff.clause(root.abstract ?? "")))
    page.section(
      "SYNOPSIS",
      "\(Roff.bold(name)) \(Roff.italic("command")) [\(Roff.italic("options"))]")
    let discussion = Discussion(root.discussion ?? "")
    page.section("DESCRIPTION", discussion.roff)
    page.section(
      "COMMANDS",
      commands.map {
        ".TP\n\(Roff.bold($0.commandName))\n\(Roff.text($0.abstract ?? ""))\nSee "
          + "\(reference($0))."
      }.joined(separator: "\n"))
    page.options(of: root)
    page.section("EXIT STATUS", discussion.exitStatus)
    page.section("SEE ALSO", commands.map(reference).joined(separator: ",\n"))
    return page
  }

  func page(of command: CommandInfoV0) -> Page {
    let title = "\(name)-\(command.commandName)"
    var page = Page(name: title, version: version, date: date)
    page.section(
      "NAME", Roff.text(title) + Roff.dash + Roff.text(Roff.clause(command.abstract ?? "")))
    page.section("SYNOPSIS", Roff.synopsis(of: command, in: name))
    let discussion = Discussion(command.discussion ?? command.abstract ?? "")
    page.section("DESCRIPTION", discussion.roff)
    page.options(of: command)
    // Those of all commands, where it has none of its own.
    let common = Discussion(root.discussion ?? "").exitStatus
    page.section("EXIT STATUS", discussion.exitStatus.isEmpty ? common : discussion.exitStatus)
    page.section("EXAMPLES", discussion.examples)
    let others = commands.filter { $0.commandName != command.commandName }
    page.section(
      "SEE ALSO",
      (["\(Roff.bold(name))(1)"] + others.map(reference)).joined(separator: ",\n"))
    return page
  }

  private func reference(_ command: CommandInfoV0) -> String {
    "\(Roff.bold("\(name)-\(command.commandName)"))(1)"
  }
}

/// One page.
struct Page {
  let name: String
  private(set) var text: String

  init(name: String, version: String, date: String) {
    self.name = name
    text = """
      .\\" Made from the description of the command by itself.
      .TH \(Roff.text(name).uppercased()) 1 "\(date)" "Tollgate \(Roff.text(version))" "Tollgate"
      .nh
      .ad l

      """
  }

  mutating func section(_ title: String, _ body: String) {
    if !body.isEmpty { text += ".SH \(title)\n\(body)\n" }
  }

  /// Arguments and options, those with a title of their own below it.
  mutating func options(of command: CommandInfoV0) {
    let all = (command.arguments ?? []).filter(\.shouldDisplay)
    let items = { (arguments: [ArgumentInfoV0]) in
      arguments.map(Roff.item).joined(separator: "\n")
    }
    section("ARGUMENTS", items(all.filter { $0.kind == .positional }))
    let options = all.filter { $0.kind != .positional }
    var body = [items(options.filter { $0.sectionTitle == nil })]
    var titles: [String] = []
    for case let title? in options.map(\.sectionTitle) where !titles.contains(title) {
      titles.append(title)
    }
    for title in titles {
      body.append(".SS \(Roff.text(title))\n" + items(options.filter { $0.sectionTitle == title }))
    }
    section("OPTIONS", body.filter { !$0.isEmpty }.joined(separator: "\n"))
  }
}

/// What is said about a command or an option beyond its first sentence: paragraphs behind empty lines,
/// among them examples and exit codes below a title.
struct Discussion {
  private(set) var roff = ""
  private(set) var examples = ""
  private(set) var exitStatus = ""

  init(_ text: String) {
    var parts: [String] = []
    for paragraph in text.components(separatedBy: "\n\n") {
      let lines = paragraph.split(separator: "\n").map(String.init)
      if lines.first == "EXAMPLES:" {
        examples = Self.examples(lines.dropFirst())
      } else if lines.first == "EXIT CODES:" {
        exitStatus = Self.exitStatus(lines.dropFirst().map { $0[...] })
      } else if paragraph.hasPrefix("Exit codes: ") {
        // In one sentence, for all commands.
        exitStatus = Self.exitStatus(paragraph.split(separator: ":")[1].split(separator: ";"))
      } else {
        parts.append(Self.paragraph(paragraph))
      }
    }
    roff = parts.filter { !$0.isEmpty }.joined(separator: "\n.PP\n")
  }

  /// Each is a line that begins with # and says what for, and a command line.
  private static func examples(_ lines: ArraySlice<String>) -> String {
    var roff: [String] = []
    for line in lines.map({ String($0.dropFirst(2)) }) {
      if line.hasPrefix("# ") {
        if !roff.isEmpty { roff.append(".fi\n.RE\n.PP") }
        let purpose = String(line.dropFirst(2))
        let colon = purpose.hasSuffix("?") ? "" : ":"
        roff.append(Roff.text(Roff.capitalized(purpose)) + colon + "\n.RS 4\n.nf")
      } else {
        roff.append(Roff.literal(line))
      }
    }
    return (roff + (roff.isEmpty ? [] : [".fi\n.RE"])).joined(separator: "\n")
  }

  /// Of words such as "130 and 143 stopped by a signal".
  private static func exitStatus(_ lines: [Substring]) -> String {
    lines.map { line in
      let words = line.split(separator: " ")
      let codes = words.prefix { Int($0.filter { $0 != "," }) != nil || $0 == "and" }
      let meaning = words.dropFirst(codes.count).joined(separator: " ")
      return ".TP\n\(Roff.bold(codes.joined(separator: " ")))\n\(Roff.text(Roff.sentence(meaning)))"
    }.joined(separator: "\n")
  }

  private static func paragraph(_ text: String) -> String {
    var lines: [String] = []
    var isExample = false
    for line in text.split(separator: "\n") {
      if line.hasPrefix(" ") != isExample {
        isExample.toggle()
        lines.append(isExample ? ".RS 2\n.nf" : ".fi\n.RE")
      }
      // As far in as the others of its example.
      lines.append(isExample ? Roff.literal(String(line.dropFirst(2))) : Roff.text(String(line)))
    }
    if isExample { lines.append(".fi\n.RE") }
    return lines.joined(separator: "\n")
  }
}

/// The language of manual pages.
enum Roff {
  static let dash = " \\- "

  /// A text as it stands. A hyphen is one that can be copied into a terminal.
  static func literal(_ text: String) -> String {
    let escaped = text.replacingOccurrences(of: "\\", with: "\\e")
      .replacingOccurrences(of: "-", with: "\\-")
    // A line that begins with one of these would be a request.
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
  }

  /// Prose, in which options stand out.
  static func text(_ text: String) -> String {
    literal(text).replacing(#/\\-\\-[a-z][a-z\\\-]*[a-z]/#) { "\\fB\($0.output)\\fR" }
  }

  static func bold(_ text: String) -> String { "\\fB\(literal(text))\\fR" }

  static func italic(_ text: String) -> String { "\\fI\(literal(text))\\fR" }

  /// "Find what is wrong." as what stands behind a name: "find what is wrong".
  static func clause(_ abstract: String) -> String {
    let words = abstract.hasSuffix(".") ? abstract.dropLast() : abstract[...]
    return words.prefix(1).lowercased() + words.dropFirst()
  }

  static func capitalized(_ words: String) -> String {
    words.prefix(1).uppercased() + words.dropFirst()
  }

  static func sentence(_ words: String) -> String {
    capitalized(words) + (words.hasSuffix(".") ? "" : ".")
  }

  /// What has to be given, and in what order.
  static func synopsis(of command: CommandInfoV0, in tool: String) -> String {
    let all = (command.arguments ?? []).filter(\.shouldDisplay)
    var words = [bold("\(tool) \(command.commandName)")]
    words += all.filter { $0.kind == .positional }.map(place)
    words += all.filter { $0.kind != .positional && !$0.isOptional }.map(name)
    words.append("[\(italic("options"))]")
    return words.joined(separator: " ")
  }

  private static func place(_ argument: ArgumentInfoV0) -> String {
    let word = italic(argument.valueName ?? "") + (argument.isRepeating ? " ..." : "")
    return argument.isOptional ? "[\(word)]" : word
  }

  /// An option with its value.
  private static func name(_ argument: ArgumentInfoV0) -> String {
    let names = (argument.names ?? []).sorted { $0.kind == .short && $1.kind != .short }
      .map { bold(($0.kind == .long ? "--" : "-") + $0.name) }.joined(separator: ", ")
    return argument.kind == .option ? "\(names) \(italic(argument.valueName ?? ""))" : names
  }

  static func item(_ argument: ArgumentInfoV0) -> String {
    var item = [".TP", argument.kind == .positional ? place(argument) : name(argument)]
    let abstract = argument.abstract ?? ""
    item.append(text(abstract))
    let discussion = argument.discussion ?? ""
    // Unless they are in its description.
    let values = argument.allValues ?? []
    if !values.allSatisfy({ abstract.contains($0) || discussion.contains($0) }) {
      item.append("Values: " + values.map(bold).joined(separator: ", ") + ".")
    }
    if !discussion.isEmpty {
      item.append(Discussion(discussion).roff.replacingOccurrences(of: "\n.PP\n", with: "\n.IP\n"))
    }
    if let value = argument.defaultValue, !abstract.contains("default: \(value)") {
      item.append("Default: \(bold(value)).")
    }
    return item.filter { !$0.isEmpty }.joined(separator: "\n")
  }
}
