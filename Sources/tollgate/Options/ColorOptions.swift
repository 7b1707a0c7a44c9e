internal import ArgumentParser

/// The appearance of texts, in every command.
struct ColorOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "When to use colours: auto, always or never.",
      discussion: """
        auto uses them on terminals, and respects NO_COLOR, CLICOLOR_FORCE and TERM=dumb.
        """, valueName: "when"))
  var color: Terminal.ColorChoice?
}

extension Terminal.ColorChoice: ExpressibleByArgument {}
