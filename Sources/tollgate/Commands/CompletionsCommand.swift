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
    abstract: "Print what makes a shell complete commands, options and placements.",
    discussion: HelpText(
      """
      Prints a script for the shell. Installed packages have it in place already; otherwise save it \
      where the shell looks for completions, and start a new shell.
      """,
      examples: [
        .init("for bash, to be read by ~/.bashrc", "tollgate completions bash > tollgate.bash"),
        .init("for zsh, into a folder of $fpath", "tollgate completions zsh > _tollgate"),
        .init("for fish", "tollgate completions fish > tollgate.fish"),
      ],
      codes: [("0", "done"), ("2", "wrong use")]
    ).text)

  @Argument(help: "The shell: bash, zsh or fish.")
  var shell: Shell

  @OptionGroup var appearance: ColorOptions

  func run() throws {
    FileText.print(Completions.withHelp(TollgateCommand.completionScript(for: shell.known)))
  }
}
