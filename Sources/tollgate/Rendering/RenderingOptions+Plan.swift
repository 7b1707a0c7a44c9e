internal import ArgumentParser
internal import Expressions
internal import Pricing
internal import Requests
internal import RuleEngine

extension RenderingOptions {
  /// The texts, or nil without `--render`. Problems in the texts are reported. A template with errors ends the command.
  ///
  /// - Parameter isTold: whether the problems have already been reported.
  func plan(
    for config: Config?, _ products: TextProductOptions, now: Instant, in zone: String?,
    isTold: Bool = false
  ) throws -> TextPlan? {
    guard let render else {
      if products.products != nil { throw ValidationError("--products is for --render") }
      return nil
    }
    guard let config else { return nil }
    let file = try DescribedFile(render)
    let decoded = TextFile.decode(json: file.bytes)
    guard let texts = decoded.output else { throw file.unusable(decoded.diagnostics) }
    let listed = try products.products.map {
      isTold ? try ProductsFile($0) : try ProductsFile.reporting($0)
    }
    let plan = try plan(texts, config, products, listed?.list, now, zone)
    if isTold { return plan }
    // A run must not write incomplete texts.
    if listed?.hasErrors == true { throw ExitCode(Ending.findings) }
    let diagnostics =
      try decoded.diagnostics + plan.diagnostics
      + unread(texts, config, listed?.list, beside: plan.diagnostics)
    let told = diagnostics.filter { $0.severity != .note }
    for text in file.render(told, sources: sources(texts)) { FileText.printError(text) }
    if diagnostics.contains(where: { $0.severity == .error }) { throw ExitCode(Ending.findings) }
    return plan
  }

  /// The product attributes that texts read but that their paywalls do not have. `check-template` also reports these.
  private func unread(
    _ texts: TextFile, _ config: Config, _ prices: ProductList?, beside told: [Diagnostic]
  ) throws -> [Diagnostic] {
    var check = TemplateCheck(
      config: config, prices: prices, declarations: TextDeclarations())
    try check.read(texts, environment(config))
    // A text without such reads is still rendered, and need not mention every product.
    return check.findings.map(\.diagnostic).compactMap { diagnostic in
      guard diagnostic.code == .unknownAttribute, !told.contains(diagnostic) else { return nil }
      var warning = diagnostic
      warning.severity = .warning
      return warning
    }
  }

  private func environment(_ config: Config) -> TemplateEnvironment {
    let usual: TemplateOptions.DialectName =
      config.format == .agentWallie ? .agentwallie : .superwall
    return TemplateEnvironment(
      dialect: TemplateDialect(named: (textDialect ?? usual).rawValue) ?? .superwall, isHTML: html)
  }

  private func plan(
    _ file: TextFile, _ config: Config, _ products: TextProductOptions, _ prices: ProductList?,
    _ now: Instant, _ zone: String?
  ) throws -> TextPlan {
    let environment = environment(config)
    let form = products.form(in: zone)
    return try TextProductOptions.pricing(in: zone) { () throws(PricingError) in
      try TextPlan(
        file, config: config, prices: prices, select: form.select,
        profile: form.profile(for: environment.dialect), environment: environment,
        pricing: form.context(now: now), options: form.options(now: now, isHTML: html))
    }
  }

  /// The templates by path in the file.
  private func sources(_ file: TextFile) -> [String: String] {
    var sources: [String: String] = [:]
    for paywall in file.paywalls {
      for text in paywall.texts {
        sources[TextFile.path(paywall.identifier, text.name)] = text.template
      }
    }
    return sources
  }

  /// Reports the errors in texts.
  static func tell(_ errors: [String: Int]) {
    for (text, count) in errors.sorted(by: { $0.key < $1.key }) {
      FileText.printError("warning: \(text) (\(count) time\(count == 1 ? "" : "s"))")
    }
  }
}

extension RenderingOptions.Recorded {
  func plan(for config: Config?, now: Instant) throws -> TextPlan? {
    try rendering.plan(for: config, products, now: now, in: timeZone)
  }
}
