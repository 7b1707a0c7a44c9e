internal import Expressions

/// The text of `--help` for a command below its first line.
struct HelpText {
  /// A command line that works unchanged, in a folder with the files that it names.
  struct Example {
    var purpose: String
    var command: String

    init(_ purpose: String, _ command: String) {
      self.purpose = purpose
      self.command = command
    }
  }

  let text: String

  /// The exit codes of commands that decide for files of users.
  ///
  /// - Parameter wrong: the conditions for code 2.
  static func codesOfRuns(wrong: String, stopped: String = "stopped")
    -> [(code: String, meaning: String)]
  {
    [
      ("0", "done"), ("1", "a rule does not compile, or is unreadable"), ("2", wrong),
      ("3", "done, but lines were rejected and --strict was given"),
      ("74", "output could not be written"), ("130, 143", stopped),
    ]
  }

  /// - Parameter codes: the meaning of the exit codes for this command. README has the general
  ///   table.
  init(_ text: String, examples: [Example], codes: [(code: String, meaning: String)]) {
    var lines = [text, "", "EXAMPLES:"]
    for example in examples {
      lines.append("  # \(example.purpose)")
      lines += Self.wrapped(example.command).map { "  " + $0 }
    }
    lines += ["", "EXIT CODES:"]
    lines += Self.completed(codes).map { code, meaning in "  " + code.padded(to: 10) + meaning }
    self.text = lines.joined(separator: "\n")
  }

  /// The exit codes of a command, completed by the codes that every command has.
  private static func completed(_ codes: [(code: String, meaning: String)])
    -> [(code: String, meaning: String)]
  {
    let stopped = codes.first { $0.code.hasPrefix("130") }?.meaning ?? "stopped"
    let unwritten = codes.first { $0.code == "74" }?.meaning ?? "output could not be written"
    let own = codes.filter { $0.code != "74" && !$0.code.hasPrefix("130") }
    return own + [("74", unwritten), ("130, 143", stopped)]
  }

  /// A command line split into several lines with backslashes, because the parser would otherwise break the line
  /// without backslashes.
  private static func wrapped(_ command: String) -> [String] {
    var lines = [""]
    // An option stays on a line with its value.
    for text in command.replacing(" --", with: "\n--").split(separator: "\n") {
      if let last = lines.last, !last.isEmpty, last.count + text.count + 3 > 76 {
        lines[lines.count - 1] += " \\"
        lines.append("  " + text)
      } else {
        lines[lines.count - 1] += (lines == [""] ? "" : " ") + text
      }
    }
    return lines
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(width - count, 1))
  }
}
