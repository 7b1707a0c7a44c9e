internal import ArgumentParser
internal import Expressions

/// What the argument parser says, in the words of our other messages.
enum ParserMessages {
  /// - Parameter text: the whole of it: the message, help on the option, the usage.
  static func rewritten(_ text: String, _ arguments: [String]) -> String {
    guard text.hasPrefix(TollgateCommand._errorPrefix) else { return text }
    let end = text.firstIndex(of: "\n") ?? text.endIndex
    let message = String(text[..<end].dropFirst(TollgateCommand._errorPrefix.count))
    // Many values are listed below the message, a line each.
    let lines = text[end...].split(separator: "\n")
    let listed = message.hasSuffix(":") ? lines.prefix { $0.hasPrefix("  - ") } : []
    guard let better = better(message, listed.map { String($0.dropFirst(4)) }, arguments) else {
      return text
    }
    let others = lines.dropFirst(listed.count)
    let rest = listed.isEmpty ? String(text[end...]) : "\n" + others.joined(separator: "\n")
    return TollgateCommand._errorPrefix + better + rest.replacing("\nHelp:  ", with: "\nhelp: ")
  }

  private static func better(_ message: String, _ listed: [String], _ arguments: [String])
    -> String?
  {
    let quoted = quoted(in: message)
    func starts(_ start: String) -> Bool { message.hasPrefix(start) }
    guard let first = quoted.first else { return nil }
    if starts("Unknown option ") { return unknown(first, arguments) }
    if starts("Missing expected argument ") {
      return "\(withoutDots(first)) is missing" + given(for: name(first), arguments)
    }
    if starts("Missing value for ") { return "\(name(first)) needs a value" }
    if starts("Unexpected argument ") || message.contains(" unexpected arguments") {
      return unexpected(quoted, arguments)
    }
    if starts("The option "), quoted.count > 1 {
      return "\(name(first)) takes no value, but has '\(quoted[1])'"
    }
    if starts("The value "), quoted.count > 1 {
      let known = listed.isEmpty ? Array(quoted.dropFirst(2)) : listed
      return value(first, of: quoted[1], message, known)
    }
    return nil
  }

  private static func value(
    _ value: String, of option: String, _ message: String, _ known: [String]
  ) -> String {
    let option = name(option)
    if message.contains("Please provide one of") {
      if option == "--format", ["superwall", "agentwallie"].contains(value) {
        return "\(option) is the format of what is written; that of the config is --config-format"
      }
      let close = Suggestion.closest(to: value, among: known)
      return "\(option) takes \(listed(known, "or")), not '\(value)'"
        + (close.map { "; did you mean '\($0)'?" } ?? "")
    }
    if let reason = message.firstRange(of: "': ") {
      return "\(option): \(message[reason.upperBound...])"
    }
    return "\(option) does not take '\(value)'"
      + (percent(value, option)
        ?? (option == "--threads" || option == "--checkpoint-every" ? "; write a number" : ""))
  }

  /// What to write in place of a number with a percent sign; nil for other values.
  private static func percent(_ value: String, _ option: String) -> String? {
    guard value.hasSuffix("%"), !value.hasPrefix("-") else { return nil }
    let number = value.dropLast().filter { $0 != " " }
    // Shares are from 0 to 1, other numbers of percent are written as they are.
    let isShare = option == "--purchase-rate"
    return Double(isShare ? number + "e-2" : number).map { "; write \(isShare ? "\($0)" : number)" }
  }

  static func unknown(_ option: String, _ arguments: [String]) -> String {
    guard let command = arguments.first else { return "there is no option '\(option)'" }
    if option == "--format", OptionNames.all.names(of: command).contains("--json"),
      CommandWords.value(of: option, in: arguments) == "json"
    {
      return "'\(command)' has no option '\(option)'; --json prints JSON"
    }
    let help = OptionNames.all.help(option, of: command)
    return "'\(command)' has no option '\(option)'; \(help)"
  }

  private static func unexpected(_ quoted: [String], _ arguments: [String]) -> String {
    let shown = quoted.prefix(3).map { "'\($0)'" }.joined(separator: ", ")
    let more = quoted.count > 3 ? " and \(quoted.count - 3) more" : ""
    if quoted.count == 1, arguments.first == "fetch" {
      return "unexpected argument \(shown); did you mean --key \(quoted[0])?"
    }
    return quoted.count == 1
      ? "unexpected argument \(shown)" : "unexpected arguments \(shown)\(more)"
  }

  /// Of an option that is missing, where a word stands alone that may be its value.
  private static func given(for option: String, _ arguments: [String]) -> String {
    guard option.hasPrefix("-"), let command = arguments.first else { return "" }
    let words = OptionNames.all.surplus(arguments, of: command)
    guard let word = words.first, words.count == 1 else { return "" }
    return "; did you mean \(option) \(ShellWord.quoted(word))?"
  }

  /// The parts of a message in single quotes.
  private static func quoted(in message: String) -> [String] {
    message.split(separator: "'", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }

  /// `--user` of `--user <file>`
  private static func name(_ option: String) -> String {
    String(option.prefix { $0 != " " })
  }

  private static func withoutDots(_ option: String) -> String {
    option.hasSuffix(" ...") ? String(option.dropLast(4)) : option
  }
}
