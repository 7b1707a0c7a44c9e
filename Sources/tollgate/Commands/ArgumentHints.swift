internal import ArgumentParser
internal import Expressions

/// What to say of arguments that the parser does not take, where its own words do not help.
enum ArgumentHints {
  /// The command that somebody names, alone or after `help`, and that does not exist.
  static func unknownCommand(_ arguments: [String]) -> ValidationError? {
    let known = TollgateCommand.configuration.subcommands.map { $0._commandName } + ["help"]
    let isHelp = arguments.first == "help"
    let named = (isHelp ? arguments.dropFirst() : arguments[...]).first
    guard let named, !known.contains(named) else { return nil }
    if named.hasPrefix("-") { return isHelp ? nil : earlyOption(arguments, known) }
    let close = Suggestion.closest(to: named, among: known)
    let isConfig = FileText.isFile(named) || named.lowercased().hasSuffix(".json")
    let help: String
    if let other = otherNames[named.lowercased()] {
      help = "use 'tollgate \(other)'"
    } else if let close {
      help = "did you mean '\(close)'?"
    } else if isConfig {
      help = "a command comes first, as in 'tollgate check \(named)'"
    } else {
      help = "'tollgate --help' lists them"
    }
    return ValidationError("there is no command '\(named)'; \(help)")
  }

  /// What other tools call commands.
  private static let otherNames = [
    "validate": "check", "lint": "check", "verify": "check", "format": "fmt", "pull": "fetch",
    "download": "fetch", "version": "--version", "new": "init", "create": "init", "run": "decide",
    "completion": "completions", "evaluate": "decide", "eval": "decide", "batch": "precompute",
    "test": "simulate",
  ]

  /// An option before the command, or without one, that is not tollgate's own.
  private static func earlyOption(_ arguments: [String], _ commands: [String]) -> ValidationError? {
    let own = ["--help", "-h", "--help-hidden", "--version", "--generate-completion-script"]
    let option = arguments[0]
    let name = String(option.prefix { $0 != "=" })
    // Shells ask for completions by three dashes.
    let isParsers = name.hasPrefix("---") || name.hasPrefix("--experimental")
    guard looksLikeOption(option), !own.contains(name), !isParsers else { return nil }
    if let command = arguments.dropFirst().first(where: commands.contains),
      command == "help" || OptionNames.all.names(of: command).contains(name)
    {
      return ValidationError("\(name) goes after the command: tollgate \(command) \(option)")
    }
    if ["-v", "-V"].contains(name) {
      return ValidationError("there is no option '\(name)'; did you mean '--version'?")
    }
    let others = OptionNames.all.commands(with: name)
    let help =
      Suggestion.closest(to: name, among: own.filter { $0.count > 2 }).map {
        "did you mean '\($0)'?"
      }
      ?? (others.isEmpty
        ? "'tollgate --help' lists what there is"
        : "a command comes first, as in 'tollgate \(others[0]) \(option)'")
    return ValidationError("there is no option '\(name)'; \(help)")
  }

  /// An option that is given twice and takes one value: the parser would use the last one.
  static func repeatedOption(_ arguments: [String]) -> ValidationError? {
    let given = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("-") }
      .map { String($0.prefix { $0 != "=" }) }
    // Only a name that is repeated, or a short one, may be of an option that is.
    guard let command = arguments.first,
      given.count > Set(given).count || given.contains(where: { $0.count == 2 })
    else { return nil }
    for option in OptionNames.all.options(of: command) where option.isSingle {
      let found = given.filter { option.names.contains($0) }
      if let name = found.last, found.count > 1 {
        return ValidationError("\(name) is given twice, but takes one value")
      }
    }
    return nil
  }

  /// A long option whose value is empty, as that of a variable that is not set.
  static func emptyValue(_ arguments: [String]) -> ArgumentProblem? {
    // Shells ask for completions of what is not there yet.
    guard arguments.first?.hasPrefix("---") == false else { return nil }
    let given = arguments.prefix { $0 != "--" }
    for (number, argument) in given.enumerated() {
      let isJoined = argument.hasSuffix("=") && !argument.dropLast().contains("=")
      let name: String
      if isJoined {
        name = String(argument.dropLast())
      } else if argument.isEmpty, number > 0 {
        name = given[number - 1]
      } else {
        continue
      }
      guard name.hasPrefix("--"), looksLikeOption(name), name != "--expression" else { continue }
      return ArgumentProblem(ValidationError("\(name) is empty; is a variable not set?"), arguments)
    }
    return nil
  }

  /// An option that a command does not have, where the parser has stopped at something else.
  static func unknownOption(_ arguments: [String]) -> ValidationError? {
    guard let command = arguments.first else { return nil }
    let known = OptionNames.all.options(of: command)
    guard !known.isEmpty else { return nil }
    let names = Set(known.flatMap(\.names)).union(["--help", "--version", "-h"])
    let given = arguments.dropFirst().prefix { $0 != "--" }
    let unknown = given.first { argument in
      argument.hasPrefix("--") && looksLikeOption(argument)
        && !names.contains(String(argument.prefix { $0 != "=" }))
    }
    return unknown.map {
      ValidationError(ParserMessages.unknown(String($0.prefix { $0 != "=" }), arguments))
    }
  }

  /// The name of a file that the parser takes for options, because it begins with a dash.
  static func dashedFile(_ arguments: [String]) -> ValidationError? {
    let given = Array(arguments.dropFirst().prefix { $0 != "--" })
    let endings = [".json", ".ndjson", ".jsonl", ".csv"]
    for (number, argument) in given.enumerated()
    where argument.hasPrefix("-") && !argument.hasPrefix("--") && argument != "-" {
      // What stands behind an option was told with it.
      if number > 0, given[number - 1].hasPrefix("--") { continue }
      if FileText.isFile(argument) || endings.contains(where: argument.hasSuffix) {
        return ValidationError(
          "'\(argument)' begins with '-', as options do; write the file as "
            + ShellWord.quoted("./" + argument))
      }
    }
    return nil
  }

  /// A dash that a text editor has made of two.
  static func longDash(_ arguments: [String]) -> ValidationError? {
    let found = arguments.first {
      ["\u{2013}", "\u{2014}"].contains($0.first) && !FileText.isFile($0)
    }
    return found.map {
      ValidationError("'\($0)' begins with a long dash; write '--\($0.dropFirst())'")
    }
  }

  /// The parser's message with what may help.
  static func helpful(_ message: String, _ arguments: [String]) -> String {
    let better = ParserMessages.rewritten(message, arguments)
    guard let hint = dashHint(message, arguments) else { return better }
    let end = better.firstIndex(of: "\n") ?? better.endIndex
    return better[..<end] + "; " + hint + better[end...]
  }

  /// Of a value that begins with a dash: the parser takes it for an option.
  private static func dashHint(_ message: String, _ arguments: [String]) -> String? {
    guard let start = message.firstRange(of: "Missing value for '")?.upperBound else { return nil }
    let name = String(message[start...].prefix { !" '".contains($0) })
    guard let place = arguments.firstIndex(of: name), place + 1 < arguments.count else {
      return nil
    }
    let value = arguments[place + 1]
    guard value.hasPrefix("-"), value.count > 1, !looksLikeOption(value) else { return nil }
    let needsQuotes = !value.allSatisfy { $0.isLetter || $0.isNumber || "-.:+".contains($0) }
    let text = needsQuotes ? "'" + value.replacing("'", with: #"'\''"#) + "'" : value
    return "a value that begins with '-' is written \(name)=\(text)"
  }

  private static func looksLikeOption(_ argument: String) -> Bool {
    let name = argument.drop { $0 == "-" }.prefix { $0 != "=" }
    return name.first?.isLetter == true && name.allSatisfy { $0.isLetter || $0 == "-" }
  }

  /// A file behind --sarif, which takes none: it would be read as a config.
  static func sarifFile(_ arguments: [String]) -> ValidationError? {
    let given = Array(arguments.prefix { $0 != "--" })
    guard let place = given.firstIndex(of: "--sarif"), place + 1 < given.count else { return nil }
    let file = given[place + 1]
    guard file.lowercased().hasSuffix(".sarif"), !FileText.isFile(file) else { return nil }
    return ValidationError(
      "--sarif takes no file and prints; write: --sarif > \(ShellWord.quoted(file))")
  }

  /// Of a word that --elsewhere does not know: its value may be left out, so that the word is taken
  /// for a config, or, behind `=`, for no value.
  static func elsewhereWord(_ arguments: [String], _ configs: [String]) -> ValidationError? {
    let option = "--elsewhere"
    let known = CheckCommand.Elsewhere.allCases.map(\.rawValue)
    let given = arguments.prefix { $0 != "--" }
    func help(_ word: String) -> String {
      Suggestion.closest(to: word, among: known).map { "; did you mean '\($0)'?" } ?? ""
    }
    if let joined = given.first(where: { $0.hasPrefix(option + "=") }) {
      let word = String(joined.dropFirst(option.count + 1))
      if known.contains(word) { return nil }
      return ValidationError("\(option) takes off, on or strict, not '\(word)'\(help(word))")
    }
    guard let place = given.firstIndex(of: option), place + 1 < given.endIndex else { return nil }
    let word = given[place + 1]
    guard configs.contains(word), word != "-", !word.contains(where: { "/.*?[".contains($0) }),
      !FileText.isFile(word)
    else { return nil }
    return ValidationError(
      "there is no file '\(word)'; \(option) takes off, on or strict\(help(word))")
  }
}
