internal import ArgumentParser

struct CompletionsCommand: ParsableCommand {
  enum Shell: String, ExpressibleByArgument, CaseIterable {
    case bash, zsh, fish

    var known: CompletionShell {
      switch self {
      case .bash: .bash
      case .zsh: .zsh
      case .fish: .fish
      }
    }
  }

  static let configuration = CommandConfiguration(
    commandName: "completions",
    abstract: "Print a shell completion script.",
    discussion: HelpText(
      """
      Prints a script that completes commands, options, files, and the placements of a config. Packages \
      install this script. Otherwise, save it where the shell looks for completions, and start a new shell.
      """,
      examples: [
        .init("for bash, sourced by ~/.bashrc", "tollgate completions bash > tollgate.bash"),
        .init("for zsh, into a folder of $fpath", "tollgate completions zsh > _tollgate"),
        .init("for fish", "tollgate completions fish > tollgate.fish"),
      ],
      codes: [("0", "done"), ("2", "usage error")]
    ).text)

  @Argument(help: "The shell: bash, zsh or fish.")
  var shell: Shell

  @OptionGroup var appearance: ColorOptions

  func run() throws {
    FileText.print(Completions.withHelp(TollgateCommand.completionScript(for: shell.known)))
  }
}

extension Completions {
  /// A script with the names of commands after `help`, which the parser's own script lacks. Any
  /// other text is returned unchanged.
  static func withHelp(_ text: String) -> String {
    let names = TollgateCommand.configuration.subcommands.map { $0._commandName }.joined(
      separator: " ")
    if text.hasPrefix("#compdef") {
      return text.replacing("'*:subcommands:'", with: "'*:command:(\(names))'")
    }
    if text.contains("\ncomplete -o filenames -F _tollgate tollgate") {
      let end = "    __tollgate_offer_flags_options -1\n}\n\ncomplete -o"
      return text.replacing(
        end,
        with: "    COMPREPLY+=($(compgen -W '\(names)' -- \"${cur}\"))\n" + end)
    }
    guard text.hasPrefix("function __tollgate") else { return text }
    return text + "\ncomplete -c 'tollgate' -n '__tollgate_should_offer_completions_for_positional "
      + "\"tollgate help\" -ge 1' -fa '\(names)'"
  }
}
