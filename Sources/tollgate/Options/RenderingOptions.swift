internal import ArgumentParser

/// The texts that a batch renders.
struct RenderingOptions: ParsableArguments {
  /// The options for texts that the manifest of a run records.
  struct Recorded: ParsableArguments {
    @OptionGroup var rendering: RenderingOptions
    @OptionGroup var products: TextProductOptions
    @Option var timeZone: String?
  }

  @Option(
    help: ArgumentHelp(
      "A file of paywall texts to render for each outcome with a paywall.",
      discussion: """
        The file contains {"paywalls": {"IDENTIFIER": {"NAME": "template"}}}. Templates can read the \
        config's products, with prices from --products, and the user's record. NDJSON outcomes contain the \
        results in 'texts'. CSV and databases do not support texts. Errors are counted and reported on \
        standard error, and never appear in texts.
        """, valueName: "file"), completion: .file())
  var render: String?

  @Option(help: OptionHelp.textDialect)
  var textDialect: TemplateOptions.DialectName?

  @Flag(help: OptionHelp.html)
  var html = false
}
