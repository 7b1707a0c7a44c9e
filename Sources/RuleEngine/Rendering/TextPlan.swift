package import Expressions
package import Pricing

/// The compiled texts of a config's paywalls, with the products of each paywall. A batch renders the texts along with
/// its decisions.
///
/// Attributes of products are computed here, once for all users.
package struct TextPlan: Sendable {
  /// The texts of one paywall.
  package struct Paywall: Sendable {
    package var identifier: String
    /// The names of the texts, in the order of their numbers.
    package var names: [String]
    var texts: TemplateSet
    let products: PaywallProducts
    /// The values that do not depend on the user, for users that may get every offer.
    var known: Value = .map([])
    /// The context in which products are sold. Nil if texts are the same for all users.
    var offers: PricingContext?
    /// Whether a record's `userId` is `user.id` as well.
    var hasUserID: Bool
  }

  package private(set) var paywalls: [Paywall]
  package private(set) var options: RenderOptions
  /// The offers that users may get. If the eligibility is nil, it depends on each user's record.
  private var pricing: PricingContext
  /// Problems in the texts, by the paths of the file, and in the products.
  package private(set) var diagnostics: [Diagnostic] = []

  /// - Parameters:
  ///   - prices: products with the prices that the config lacks.
  ///   - select: the slot of the selected product, on paywalls that have this slot. Otherwise the first product is
  ///     selected.
  ///   - profile: the profile whose names and rounding apply to the attributes. Nil for the profile that each product's
  ///     store suggests.
  /// - Throws: ``PricingError`` if the time zone does not exist.
  package init(
    _ file: TextFile, config: Config, prices: ProductList? = nil, select: String? = nil,
    profile: PricingProfile? = nil, environment: TemplateEnvironment = TemplateEnvironment(),
    pricing: PricingContext, options: RenderOptions
  ) throws(PricingError) {
    self.options = options
    self.pricing = pricing
    paywalls = []
    for entry in file.paywalls {
      guard let paywall = config.paywall(entry.identifier) else {
        diagnostics.append(TextPlan.unknown(entry.identifier, in: config))
        continue
      }
      var builder = TemplateSetBuilder(environment)
      var said: [Diagnostic] = []
      for text in entry.texts {
        for var diagnostic in builder.add(text.template) {
          diagnostic.path = TextFile.path(entry.identifier, text.name)
          said.append(diagnostic)
        }
      }
      var made = Paywall(
        identifier: entry.identifier, names: entry.texts.map { $0.name }, texts: builder.build(),
        products: PaywallProducts(
          products: config.products(of: paywall, prices: prices),
          theme: paywall.schema?.theme?.value, profile: profile, select: select),
        hasUserID: config.format == .agentWallie || environment.dialect == .agentwallie)
      for var diagnostic in try price(&made) {
        diagnostic.path = "paywalls.\(entry.identifier)"
        if !diagnostics.contains(diagnostic) { diagnostics.append(diagnostic) }
      }
      diagnostics += said
      paywalls.append(made)
    }
  }

  /// Computes the attributes of a paywall's products.
  private func price(_ paywall: inout Paywall) throws(PricingError) -> [Diagnostic] {
    let made = try paywall.products.context(pricing)
    paywall.known = made.value
    let isTold = paywall.products.isToldOf(
      paywall.texts.program, pricing, readsAll: paywall.texts.readsAllData)
    paywall.offers = isTold ? pricing : nil
    return made.diagnostics
  }

  /// The plan with another time, which affects dates of trials and times in templates. The texts are not compiled
  /// again.
  ///
  /// - Parameter eligibility: the offers that the user may get; nil for no change.
  package func at(_ now: Instant, for eligibility: OfferEligibility? = nil) -> TextPlan {
    if now == pricing.now, eligibility == nil || eligibility == pricing.eligibility { return self }
    var plan = self
    plan.pricing.now = now
    if let eligibility { plan.pricing.eligibility = eligibility }
    plan.options.now = now
    // The time zone is valid, so this cannot fail.
    plan.paywalls = paywalls.map { paywall in
      var paywall = paywall
      _ = try? plan.price(&paywall)
      return paywall
    }
    return plan
  }

  private static func unknown(_ identifier: String, in config: Config) -> Diagnostic {
    Diagnostic(
      .unknownPaywall, "the config has no paywall '\(identifier)'",
      severity: .warning, path: "paywalls.\(identifier)",
      suggestion: Suggestion.question(
        about: identifier, among: config.paywalls.map { $0.identifier }))
  }

  /// The index of a paywall's texts, or nil for a paywall without texts.
  package func index(of identifier: String) -> Int? {
    paywalls.firstIndex { $0.identifier.utf8.elementsEqual(identifier.utf8) }
  }
}

extension TextPlan {
  /// The texts that a user reads on its paywall, and the errors in them; nil for a user without a
  /// paywall that has texts.
  ///
  /// - Parameters:
  ///   - record: the user's record as JSON, already read once.
  ///   - now: the time; nil for the plan's time.
  package func texts(of decision: Decision, _ record: [UInt8], at now: Instant? = nil)
    -> (texts: [Value.Entry], problems: [String])?
  {
    guard case .paywall(let experiment) = decision.outcome,
      let identifier = experiment.variant.paywallID
    else { return nil }
    return texts(ofPaywall: identifier, record, at: now)
  }

  /// The texts that a user reads on a paywall; nil for a paywall without texts.
  ///
  /// - Parameter eligibility: the offers that the user may get; nil for the offers of the plan or the record.
  package func texts(
    ofPaywall identifier: String, _ record: [UInt8], at now: Instant? = nil,
    for eligibility: OfferEligibility? = nil
  ) -> (texts: [Value.Entry], problems: [String])? {
    // SAFETY: The view of the record stays in the closure, as the renderer ends with this call.
    // Results are copies. Tests: TextPlanTests, TestCommandTests.
    guard let number = index(of: identifier) else { return nil }
    // The plan is reduced to the one paywall that is needed.
    var plan = self
    plan.paywalls = [paywalls[number]]
    plan = plan.at(now ?? pricing.now, for: eligibility)
    var renderer = PaywallRenderer(plan.paywalls[0], plan.options)
    var output: [UInt8] = []
    var problems: [String] = []
    record.withUnsafeBufferPointer { record in
      renderer.append(record, to: &output) { problems.append("  \($0): \($1.message)") }
    }
    // The renderer appends a member that follows other members.
    let object = Array("{".utf8) + output.dropFirst() + Array("}".utf8)
    guard case .map(let texts)? = (try? Value.parse(json: object))?["texts"] else {
      return ([], problems)
    }
    return (texts, problems)
  }
}
