internal import ArgumentParser
internal import Expressions
internal import Pricing
internal import RuleEngine
internal import RuleInsight

/// Checks texts against their products and users.
struct TemplateCheck {
  /// A finding, and its text.
  struct Finding {
    var diagnostic: Diagnostic
    /// The text of the finding; nil if it is the whole file.
    var source: String?
  }

  let config: Config?
  let prices: ProductList?
  private let declarations: TextDeclarations
  private let eligibility: OfferEligibility
  let claims: ClaimSettings?
  /// The claims, by the path of the text.
  var claimed: [(path: String, result: ClaimCheck.Result)] = []
  var findings: [Finding] = []
  private(set) var textCount = 0
  private(set) var requirements: Set<String> = []

  /// The texts of findings, by path.
  var sources: [String: String] {
    Dictionary(
      findings.compactMap { finding in finding.source.map { (finding.diagnostic.path, $0) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// - Parameters:
  ///   - eligibility: the offers that the users of the texts may get.
  ///   - claims: how claims are checked; nil to skip them.
  init(
    config: Config?, prices: ProductList?, declarations: TextDeclarations,
    eligibility: OfferEligibility = .all, claims: ClaimSettings? = nil
  ) {
    self.eligibility = eligibility
    self.config = config
    self.prices = prices
    self.declarations = declarations
    self.claims = claims
  }

  /// Reads one of the three kinds of file.
  mutating func read(_ file: DescribedFile, _ options: TemplateOptions, paywall: String?) throws {
    if let paywall { _ = try find(paywall) }
    if try readJSON(file, options) { return }
    let source = file.text
    let environment = options.environment()
    let products = try self.products(paywall: paywall, environment.dialect)
    let analysis = check(source, environment, products, path: "")
    guard let analysis else { return }
    // A single text is rarely the complete text of a paywall.
    tellUnused(products, [analysis], path: "", isWhole: paywall != nil)
    for listed in try paywalls(paywall) { checkClaims([("", source)], listed, environment) }
  }

  /// Reads texts or a schema, and returns whether the file is JSON at all.
  ///
  /// - Throws: when the file is JSON of another kind, or incomplete JSON.
  private mutating func readJSON(_ file: DescribedFile, _ options: TemplateOptions) throws -> Bool {
    let value: Value
    do throws(JSONFault) {
      value = try Value.parse(json: file.bytes)
    } catch {
      guard Self.looksLikeJSON(file) else { return false }
      throw file.unusable(TextFile.decode(json: file.bytes).diagnostics)
    }
    if value["paywalls"] != nil {
      try read(texts: file, options)
    } else if value["components"] != nil {
      try read(schema: file, options)
    } else if case .map(let entries) = value {
      let keys = entries.compactMap(\.key.text)
      let known = ["paywalls", "components"]
      let close = keys.lazy.compactMap { key in
        Suggestion.closest(to: key, among: known).map {
          "'\(key)' is not read; did you mean '\($0)'?"
        }
      }.first
      throw CommandError(
        "\(file.name) has neither texts ('paywalls') nor a schema ('components')"
          + (close.map { "; \($0)" } ?? ""))
    } else if Self.looksLikeJSON(file) {
      throw CommandError("\(file.name) has neither texts nor a schema: it is not a JSON object")
    } else {
      return false
    }
    return true
  }

  /// Whether a file is intended as JSON: by its name, or by a brace at the beginning that is followed by a key, a line
  /// break, or nothing. Tags of templates begin differently.
  private static func looksLikeJSON(_ file: DescribedFile) -> Bool {
    let name = file.path.lowercased()
    if Compression.withoutEnding(name).hasSuffix(".json") { return true }
    let text = file.bytes.drop { $0 <= 0x20 }
    guard text.first == UInt8(ascii: "{") else { return false }
    let rest = text.dropFirst().drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    return rest.first.map { [0x22, 0x0A, 0x0D, UInt8(ascii: "}")].contains($0) } ?? true
  }

  private mutating func read(texts file: DescribedFile, _ options: TemplateOptions) throws {
    let decoded = TextFile.decode(json: file.bytes)
    guard let texts = decoded.output else { throw file.unusable(decoded.diagnostics) }
    findings += decoded.diagnostics.map { Finding(diagnostic: $0) }
    try read(texts, options.environment())
  }

  /// Checks the texts of a config's paywalls against their products.
  mutating func read(_ texts: TextFile, _ environment: TemplateEnvironment) throws {
    for paywall in texts.paywalls {
      let path = "paywalls.\(paywall.identifier)"
      if let config, config.paywall(paywall.identifier) == nil {
        findings.append(
          Finding(diagnostic: unknown(paywall.identifier, in: config, path: path)))
      }
      let known = config?.paywall(paywall.identifier) != nil
      let products = try self.products(
        paywall: known ? paywall.identifier : nil, environment.dialect)
      let analyses = paywall.texts.compactMap { text in
        check(
          text.template, environment, products, path: TextFile.path(paywall.identifier, text.name))
      }
      if known { tellUnused(products, analyses, path: path) }
      for listed in try paywalls(known ? paywall.identifier : nil) {
        checkClaims(
          paywall.texts.map { (TextFile.path(paywall.identifier, $0.name), $0.template) }, listed,
          environment)
      }
    }
  }

  private mutating func read(schema file: DescribedFile, _ options: TemplateOptions) throws {
    let decoded = PaywallSchema.decode(json: file.bytes)
    findings += decoded.diagnostics.map { Finding(diagnostic: $0) }
    guard let schema = decoded.output else { return }
    let listed = prices.map { schema.filled(from: $0.products) } ?? []
    try read(schema, listed, options.environment(.agentwallie), path: "")
  }

  /// Checks the native paywalls of the config against their products.
  mutating func readNativePaywalls(_ environment: TemplateEnvironment) throws {
    for paywall in config?.paywalls ?? [] {
      guard let schema = paywall.schema else { continue }
      try read(
        schema, config?.products(of: paywall, prices: prices) ?? [], environment,
        path: "paywalls.\(paywall.identifier).")
    }
  }

  /// - Parameter path: the prefix for the paths of the paywall.
  private mutating func read(
    _ schema: PaywallSchema, _ listed: [PricedProduct], _ environment: TemplateEnvironment,
    path: String
  ) throws {
    let texts = PaywallTexts(schema, environment: environment)
    findings += texts.conditionProblems.map { problem in
      var problem = problem
      problem.path = path + problem.path
      return Finding(diagnostic: problem)
    }
    let products =
      listed.isEmpty
      ? schema.slots.map { TextDeclarations.Product(slot: $0.slot, profile: .agentWallie) }
      : try described(listed, environment.dialect)
    let hidden = try hiddenTexts(texts, listed, environment.dialect)
    let places = texts.textPaths.map { path + $0 }
    for (number, (place, source)) in zip(places, texts.sources).enumerated() {
      _ = check(source, environment, products, path: place, isShown: !hidden.contains(number))
    }
    // A component may be shown for only some of the products that can be selected.
    for (selected, product) in try textProducts(listed, environment.dialect).slotted.enumerated() {
      let hiddenHere = hidden.union(texts.hiddenTexts(products: [product]))
      let shown = zip(places, texts.sources).enumerated()
        .filter { !hiddenHere.contains($0.offset) }.map(\.element)
      checkClaims(
        shown.map { (path: $0.0, source: $0.1) }, listed, environment, theme: schema.theme?.value,
        selected: selected)
    }
  }

  /// The texts that a condition hides with the current products; empty if prices are unknown.
  private func hiddenTexts(
    _ texts: PaywallTexts, _ products: [PricedProduct], _ dialect: TemplateDialect
  ) throws -> Set<Int> {
    let slotted = try textProducts(products, dialect).slotted
    let areKnown = slotted.allSatisfy { $0.attributes != .map([]) }
    return areKnown ? texts.hiddenTexts(products: slotted) : []
  }

  // MARK: One text

  private mutating func check(
    _ source: String, _ environment: TemplateEnvironment, _ products: [TextDeclarations.Product]?,
    path: String, isShown: Bool = true
  ) -> TemplateAnalysis? {
    textCount += 1
    let compiled = environment.compile(source)
    func add(_ diagnostics: [Diagnostic]) {
      for var diagnostic in diagnostics {
        diagnostic.path = path
        findings.append(Finding(diagnostic: diagnostic, source: path.isEmpty ? nil : source))
      }
    }
    add(ForeignBraces.helped(compiled.diagnostics, in: source))
    add(ForeignBraces.findings(in: source))
    if compiled.output == nil { return nil }
    let analysis = environment.analyze(source)
    requirements.formUnion(analysis.requirements)
    var declarations = declarations
    declarations.hasUserID =
      config?.format == .agentWallie || environment.dialect == .agentwallie
    if isShown {
      add(declarations.check(analysis, products: products))
      add(TextTypes.diagnostics(analysis, profile: claims?.profile))
    }
    return analysis
  }

  private mutating func tellUnused(
    _ products: [TextDeclarations.Product]?, _ texts: [TemplateAnalysis], path: String,
    isWhole: Bool = true
  ) {
    guard let products else { return }
    for var diagnostic in TextDeclarations.unused(products.filter(\.isCertain), by: texts) {
      diagnostic.path = path
      if !isWhole { diagnostic.severity = .note }
      findings.append(Finding(diagnostic: diagnostic))
    }
  }

  // MARK: Products

  /// The products that texts of a paywall may read; nil if no products are known.
  private func products(paywall: String?, _ dialect: TemplateDialect) throws -> [TextDeclarations
    .Product]?
  {
    guard let config else { return try prices.map { try described($0.products, dialect) } }
    if let paywall {
      return try described(config.products(of: try find(paywall), prices: prices), dialect)
    }
    // A text for any paywall can rely on the slots that all paywalls have.
    let all = config.paywalls.map { config.products(of: $0, prices: prices) }
    var slots: [TextDeclarations.Product] = []
    for products in all {
      for var product in try described(products, dialect)
      where !slots.contains(where: { $0.slot == product.slot }) {
        product.isCertain = all.allSatisfy { other in other.contains { $0.slot == product.slot } }
        slots.append(product)
      }
    }
    return slots
  }

  private func described(_ products: [PricedProduct], _ dialect: TemplateDialect) throws
    -> [TextDeclarations.Product]
  {
    let profile = profile(dialect)
    return zip(products, try textProducts(products, dialect).slotted).map { product, slotted in
      // Without a price only the names of the attributes are known.
      if case .map(let entries) = slotted.attributes, entries.isEmpty {
        return TextDeclarations.Product(
          slot: slotted.slot, profile: profile ?? PricingProfile(usualFor: product.store))
      }
      return TextDeclarations.Product(slotted)
    }
  }

  private func profile(_ dialect: TemplateDialect) -> PricingProfile? {
    claims?.profile ?? (dialect == .agentwallie ? .agentWallie : nil)
  }

  private func textProducts(_ products: [PricedProduct], _ dialect: TemplateDialect) throws
    -> TextProducts
  {
    do throws(PricingError) {
      return try TextProducts(
        products, profile: profile(dialect),
        context: .offline(now: Clock.now(), timeZone: nil, eligibility: eligibility))
    } catch {
      throw CommandError(error.message)
    }
  }

  func find(_ identifier: String) throws -> Paywall {
    guard let config else { throw ValidationError("--paywall needs --config") }
    if let paywall = config.paywall(identifier) { return paywall }
    throw CommandError(
      DiagnosticText.render(unknown(identifier, in: config, path: ""), source: nil))
  }

  private func unknown(_ identifier: String, in config: Config, path: String) -> Diagnostic {
    Diagnostic(
      .unknownPaywall, "the config has no paywall '\(identifier)'", path: path,
      suggestion: Suggestion.closest(to: identifier, among: config.paywalls.map(\.identifier))
        .map { "did you mean '\($0)'?" })
  }
}
