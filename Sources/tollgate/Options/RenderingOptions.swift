internal import ArgumentParser

/// Which texts a batch renders.
struct RenderingOptions: ParsableArguments {
  /// Everything about texts that a manifest records of a run.
  struct Recorded: ParsableArguments {
    @OptionGroup var rendering: RenderingOptions
    @OptionGroup var products: TextProductOptions
    @Option var timeZone: String?
  }

  @Option(
    help: ArgumentHelp(
      "A file with paywall texts, which are rendered for each outcome with a paywall.",
      discussion: """
        {"paywalls": {"IDENTIFIER": {"NAME": "template"}}}. Templates read the config's products, with \
        prices from --products, and the user's record. Outcomes in NDJSON have them under 'texts'. What goes wrong in them is counted and told \
        on standard error, never in the texts. CSV and databases have no place for texts.
        """, valueName: "file"), completion: .file())
  var render: String?

  @Option(help: OptionHelp.textDialect)
  var textDialect: TemplateOptions.DialectName?

  @Flag(help: OptionHelp.html)
  var html = false
}
