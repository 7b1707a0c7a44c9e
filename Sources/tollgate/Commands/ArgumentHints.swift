internal import ArgumentParser
internal import Expressions

/// What to say of arguments that the parser does not take, where its own words do not help.
enum ArgumentHints {
  /// The command that somebody names, alone or after `help`, and that does not exist.
  static func unknownCommand(_ arguments: [String]) -> ValidationError? {
    let known = TollgateCommand.configuration.subcommands.map { $0._commandName } + ["help"]
    let isHelp = arguments.first == "help"
    let named = (isHelp ? arguments.dropFirst() : arguments[...]).first
    guard let named, !named.hasPrefix("-"), !known.contains(named) else { return nil }
    let close = Suggestion.closest(to: named, among: known)
    return ValidationError(
      "there is no command '\(named)'; "
        + (close.map { "did you mean '\($0)'?" } ?? "'tollgate --help' lists them"))
  }

  /// An option that is given twice and takes one value: the parser would use the last one.
  static func repeatedOption(_ arguments: [String]) -> ValidationError? {
    var seen: Set<Substring> = []
    let repeated = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("-") }
      .map { $0.prefix { $0 != "=" } }.filter { !seen.insert($0).inserted }
    guard let command = arguments.first, !repeated.isEmpty else { return nil }
    let single = singleOptions(of: command)
    return repeated.first { single.contains(String($0)) }.map {
      ValidationError("\($0) is given twice, and takes one value")
    }
  }

  /// The options of a command that take one value, by the parser's own description of them.
  private static func singleOptions(of command: String) -> Set<String> {
    let described = try? Value.parse(json: TollgateCommand._dumpHelp().utf8)
    let commands = described?["command"]?["subcommands"]?.elements ?? []
    let arguments = commands.first { $0["commandName"]?.text == command }?["arguments"]?.elements
    let single = (arguments ?? []).filter {
      $0["kind"] == "option" && $0["isRepeating"] == false
    }
    return Set(
      single.flatMap { $0["names"]?.elements ?? [] }.compactMap { name in
        name["name"]?.text.map { (name["kind"] == "long" ? "--" : "-") + $0 }
      })
  }

  /// The parser's message with what may help.
  static func helpful(_ message: String, _ arguments: [String]) -> String {
    guard let hint = dashHint(message, arguments) else {
      return message
    }
    let end = message.firstIndex(of: "\n") ?? message.endIndex
    return message[..<end] + "; " + hint + message[end...]
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

  /// Of a word that --elsewhere does not know: its value may be left out, so that the word is taken
  /// for a config.
  static func elsewhereWord(_ arguments: [String], _ configs: [String]) -> ValidationError? {
    let option = "--elsewhere"
    guard let place = arguments.firstIndex(of: option), place + 1 < arguments.count else {
      return nil
    }
    let word = arguments[place + 1]
    guard configs.contains(word), word != "-", !word.contains(where: { "/.*?[".contains($0) }),
      !FileText.isFile(word)
    else { return nil }
    let known = CheckCommand.Elsewhere.allCases.map(\.rawValue)
    let close = Suggestion.closest(to: word, among: known)
    return ValidationError(
      "there is no file '\(word)'; \(option) takes off, on or strict"
        + (close.map { "; did you mean '\($0)'?" } ?? ""))
  }
}
