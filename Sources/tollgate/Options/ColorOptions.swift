internal import ArgumentParser

/// How texts look, in every command.
struct ColorOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Colours: auto, always or never.",
      discussion: """
        auto writes them to terminals alone, and heeds NO_COLOR, CLICOLOR_FORCE and TERM=dumb.
        """, valueName: "when"))
  var color: Terminal.ColorChoice?
}

extension Terminal.ColorChoice: ExpressibleByArgument {}
