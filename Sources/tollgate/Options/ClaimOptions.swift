internal import ArgumentParser
internal import Expressions
internal import Pricing
internal import RuleInsight

/// How the claims of texts are checked.
struct ClaimOptions: ParsableArguments {
  @Option(help: OptionHelp.profile)
  var profile: PricingProfile?

  @Option(
    help: ArgumentHelp(
      "The locale of prices and dates. Repeatable. 'all' means the locales of the App Store's larger storefronts.",
      valueName: "locale"))
  var locale: [String] = []

  @Option(help: OptionHelp.now("A trial begins at this time."))
  var now: String?

  @Option(
    help: ArgumentHelp(
      "A file with more words for free, trial, per month, save and the other claims (JSON).",
      valueName: "file"), completion: .file())
  var claimWords: String?

  var locales: [String?] {
    let named = locale.flatMap { $0 == "all" ? ClaimStorefronts.locales : [$0] }
    return named.isEmpty ? [nil] : named.map(Optional.some)
  }

  func settings() throws -> ClaimSettings {
    var settings = ClaimSettings(
      profile: profile, locales: locales, now: try Clock.time(now, in: "UTC"))
    if let claimWords {
      let file = try DescribedFile(claimWords)
      let read = ClaimWords.known.extended(by: file.bytes)
      guard let words = read.output, !read.diagnostics.contains(where: { $0.severity == .error })
      else { throw file.unusable(read.diagnostics) }
      settings.words = words
    }
    return settings
  }
}
