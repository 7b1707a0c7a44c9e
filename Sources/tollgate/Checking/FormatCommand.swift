internal import ArgumentParser
internal import Expressions
internal import RuleEngine

struct FormatCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fmt",
    abstract: "Format expressions.",
    discussion: HelpText(
      """
      Formats an expression, or every expression of a config: one space around operators, double quotes, no \
      unnecessary parentheses. The meaning of an expression does not change, and the rest of the config \
      stays the same, byte for byte. Expressions with errors or comments are not formatted, and the reasons \
      are printed to standard error.
      """,
      examples: [
        .init("an expression", #"tollgate fmt -e 'user.plan=="free"&&user.age>=18'"#),
        .init("a config in place", "tollgate fmt config.json --write"),
        .init("in CI: fail if anything is not formatted", "tollgate fmt config.json --check"),
      ],
      codes: [
        ("0", "done"),
        ("1", "an expression does not compile or, with --check, would change"),
        ("2", "usage error, or an unreadable file"),
      ]
    ).text)

  @Option(
    name: [.customShort("e"), .customLong("expression")], parsing: .unconditional,
    help: "Format this expression instead of a config.")
  var text: String?

  @Argument(help: OptionHelp.configArgument, completion: .file())
  var config: String?

  @OptionGroup(title: "Config Options") var language: LanguageOptions

  @Flag(help: "Rewrite the config file in place.")
  var write = false

  @Flag(help: "Write nothing; exit with 1 if anything would change.")
  var check = false

  @Flag(
    help: OptionHelp.json(
      "One line for each expression that would change or is not formatted."))
  var json = false

  @OptionGroup var appearance: ColorOptions

  func validate() throws {
    if text != nil, config != nil {
      throw ValidationError("give either a config file or --expression, not both")
    }
    if text == nil, config == nil {
      throw ValidationError("give a config file, or an expression with --expression")
    }
    if let config, !FileText.isFile(config), config.contains(where: { "=<>&|(".contains($0) }) {
      throw ValidationError(
        "the file '\(config)' does not exist; did you mean -e \(ShellWord.quoted(config))?")
    }
    if write, config == nil || config == "-" {
      throw ValidationError("--write needs a config file that it can change")
    }
    if write, let config, !FilePlace(config).hasNeighbours {
      throw ValidationError("--write needs a config file that it can change; \(config) is not one")
    }
    if write, check { throw ValidationError("--check changes no files: remove --write") }
  }

  func run() throws {
    let isClean = try text.map { try format($0) } ?? format(config: config ?? "-")
    if !isClean { throw ExitCode(Ending.findings) }
  }

  /// Whether everything compiles and, with --check, is formatted.
  private func format(_ text: String) throws -> Bool {
    let formatted = language.language.environment().format(text)
    for reason in formatted.refusal {
      if json { FileText.print(reason.json.json) }
      if !json {
        FileText.printError(DiagnosticText.render(reason, source: text, place: "expression"))
      }
    }
    if json {
      FileText.print(
        FormattedConfig.Change(path: nil, text: text, formatted: formatted.text).value.json)
    } else if !check {
      FileText.print(formatted.text)
    }
    return formatted.compiles && !(check && formatted.text != text)
  }

  private func format(config path: String) throws -> Bool {
    let file = try ConfigFile(path, language: language.language)
    let config = try file.requireConfig()
    if config.format == .agentWallie {
      FileText.printError(
        "\(file.name) is a config of AgentWallie: it has filters and no expressions to format")
    }
    let formatted = FormattedConfig(file, config, language.language)
    if json {
      for value in formatted.values { FileText.print(value.json) }
    } else {
      for refusal in formatted.refusals { FileText.printError(refusal + "\n") }
    }
    let isChanged = formatted.bytes != file.bytes
    if write ? isChanged : !check && !json {
      try file.content.replace(by: formatted.bytes, inFile: write)
    }
    return formatted.compiles && !(check && isChanged)
  }
}

/// A config with formatted expressions, and no other changes.
struct FormattedConfig {
  /// An expression that is not formatted.
  struct Change {
    /// The path of the expression in the config; nil for an expression outside a config.
    var path: String?
    var text: String
    var formatted: String

    var value: Value {
      .members([
        "path": path.map { .string($0) }, "text": .string(text), "formatted": .string(formatted),
      ])
    }
  }

  private(set) var bytes: [UInt8]
  private(set) var changes: [Change] = []
  /// Why expressions stay unchanged, as messages.
  private(set) var refusals: [String] = []
  /// Changes and refusals as JSON objects.
  private(set) var values: [Value] = []
  /// Whether every expression compiles.
  private(set) var compiles = true

  init(_ file: ConfigFile, _ config: Config, _ language: RuleLanguage) {
    let environment = language.environment()
    let audiences = config.placements.flatMap(\.audiences).filter { $0.expression != nil }
    let ranges = JSONLocation.ranges(of: audiences.map(\.expressionPath), in: file.bytes)
    bytes = []
    var at = 0
    var found: [Diagnostic] = []
    var sources: [String: String] = [:]
    let places = audiences.compactMap {
      audience -> (path: String, text: String, range: Range<Int>)? in
      let path = audience.expressionPath
      guard let text = audience.expression, let range = ranges[path] else { return nil }
      return (path, text, range)
    }
    for (path, text, range) in places.sorted(by: { $0.range.lowerBound < $1.range.lowerBound })
    where range.lowerBound >= at {
      bytes += file.bytes[at..<range.lowerBound]
      at = range.upperBound
      let isFound = FormattedConfig.isString(text, file.bytes[range])
      let formatted =
        isFound
        ? environment.format(text) : .refused(text, "the file has different content")
      compiles = compiles && formatted.compiles
      for var reason in formatted.refusal {
        reason.path = path
        sources[path] = text
        found.append(reason)
      }
      if formatted.text == text {
        bytes += file.bytes[range]
      } else {
        JSONWriter.append(quoted: formatted.text, to: &bytes)
        changes.append(Change(path: path, text: text, formatted: formatted.text))
      }
    }
    bytes += file.bytes[at...]
    let described = DescribedFile(file.content)
    refusals = described.render(found, sources: sources)
    values = described.json(found) + changes.map(\.value)
  }

  /// Whether a JSON value is this string.
  private static func isString(_ text: String, _ json: ArraySlice<UInt8>) -> Bool {
    guard case .string(let read)? = try? Value.parse(json: json) else { return false }
    return read.utf8.elementsEqual(text.utf8)
  }
}
