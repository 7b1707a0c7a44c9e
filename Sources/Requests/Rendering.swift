package import Expressions
internal import Pricing
package import RuleEngine
internal import RuleInsight

/// Renders the texts of templates and paywalls for a user.
extension PreparedConfig {
  /// Renders a template, or the config's own texts of a paywall. The members of a request are `{"template"?, "paywall"?,
  /// "products"?, "user"?, "dialect"?, "mode"?, "html"?, "select"?, "locale"?, "locales"?, "profile"?, "timeZone"?,
  /// "eligible"?, "sdkVersion"?, "claims"?, "now"?}`.
  ///
  /// A request with `"template"` returns `{"text", "isComplete", "errors"}`, and a request with `"paywall"` returns
  /// `{"texts", "errors"}`. With `"claims": true`, the answer also has `"claims"`: the assertions of the text, true or
  /// false. Without a template and a paywall, the answer has only the claims of all the config's own texts.
  package func render(_ body: JSONRequest) throws(RequestError) -> Value {
    let request = try RenderRequest(body.value, self)
    let claims = try body.value.givenTruth("claims") ?? false
    let locales = try locales(of: body.value)
    let answer: Value
    if let paywall = request.paywall {
      answer = try render(paywall: paywall, request)
    } else if request.template == nil, claims {
      return .object(["claims": .list(try self.claims(ofPaywall: nil, body.value, request.now))])
    } else {
      answer = try render(request)
    }
    guard claims, case .map(let entries) = answer else { return answer }
    let found =
      request.paywall == nil
      ? claimsOfTemplate(request, locales)
      : try self.claims(ofPaywall: request.paywall, body.value, request.now)
    return .map(entries + [Value.Entry(key: "claims", value: .list(found))])
  }

  private func render(_ request: RenderRequest) throws(RequestError) -> Value {
    guard let template = request.template else {
      throw .missing(
        "template", "the text of a template; or give 'paywall', a paywall of the config")
    }
    let compiled = request.environment.compile(template)
    guard let output = compiled.output else {
      return RenderAnswer(ForeignBraces.helped(compiled.diagnostics, in: template)).value
    }
    let form = request.form
    let (products, options): (TextProducts, RenderOptions)
    do throws(PricingError) {
      products = try form.products(
        request.products, for: request.environment.dialect, now: request.now, user: request.user)
      options = try form.options(now: request.now, isHTML: request.environment.isHTML)
    } catch {
      throw RequestError(error.message)
    }
    return try RenderAnswer(
      output, products, selected: try form.selected(in: products), user: request.user,
      request.environment, options, source: template
    ).value
  }

  private func render(paywall name: String, _ request: RenderRequest) throws(RequestError) -> Value
  {
    guard let plan = texts else {
      throw RequestError("the config has no 'texts', so its paywalls cannot be rendered")
    }
    guard
      let found = plan.texts(
        ofPaywall: name, request.user ?? Array("{}".utf8), at: request.now,
        for: request.form.eligibility)
    else {
      let close = Suggestion.closest(to: name, among: config.paywalls.map { $0.identifier })
      throw RequestError(
        .request, "unknown_paywall",
        "no paywall '\(name)' has texts"
          + (close.map { "; did you mean '\($0)'?" } ?? ""))
    }
    return .object([
      "texts": .map(found.texts), "errors": .list(found.problems.map { .string($0) }),
    ])
  }

  // MARK: Claims

  private func claimsOfTemplate(_ request: RenderRequest, _ locales: [String?]) -> [Value] {
    guard let template = request.template else { return [] }
    let check = ClaimCheck(
      products: request.products, profile: request.form.profile, locales: locales, now: request.now,
      environment: request.environment, isEligible: request.form.isEligible)
    return check.check([template]).flatMap { $0.json() }
  }

  /// The claims of the config's own texts, of one paywall or of all.
  private func claims(ofPaywall name: String?, _ body: Value, _ now: Instant)
    throws(RequestError) -> [Value]
  {
    guard let file = settings.texts else {
      throw RequestError("the config has no 'texts', so its paywalls cannot be rendered")
    }
    let prices = try products(of: body)
    let locales = try locales(of: body)
    let isAgentWallie = config.format == .agentWallie
    let environment = TemplateEnvironment(
      dialect: TemplateDialect(named: isAgentWallie ? "agentwallie" : "superwall") ?? .superwall)
    let profile = try body.givenText("profile").map(PricingProfile.init(called:))
    var found: [Value] = []
    for entry in file.paywalls where name == nil || entry.identifier == name {
      guard let paywall = config.paywall(entry.identifier) else { continue }
      let check = ClaimCheck(
        products: config.products(of: paywall, prices: prices), profile: profile, locales: locales,
        now: now, environment: environment, theme: paywall.schema?.theme?.value,
        isEligible: try body.givenTruth("eligible"))
      let results = check.check(entry.texts.map { $0.template })
      for (text, result) in zip(entry.texts, results) {
        found += result.json(path: TextFile.path(entry.identifier, text.name))
      }
    }
    return found
  }

  /// The locales of a request: `"locales"`, which is a list or "all", or otherwise `"locale"`.
  private func locales(of body: Value) throws(RequestError) -> [String?] {
    switch body["locales"] {
    case nil, .null?: return [try body.givenText("locale")]
    case .string("all")?: return ClaimStorefronts.locales.map { $0 }
    case .list(let values)? where values.allSatisfy({ $0.text != nil }):
      return values.map({ $0.text })
    default: throw .wrong("locales", "a list of locales, or \"all\"")
    }
  }

  // MARK: Products

  /// Returns the attributes of products. The members of a request are `{"products"?, "locale"?, "profile"?,
  /// "timeZone"?, "eligible"?, "sdkVersion"?, "now"?}`.
  package func products(_ body: JSONRequest) throws(RequestError) -> Value {
    let form = try TextForm(body.value, usualZone: settings.timeZone)
    let now = try time(of: body.value)
    guard let list = try products(of: body.value) else {
      throw .missing("products", "a products file, as an object or as a string with its JSON")
    }
    do throws(PricingError) {
      let sheets = try ProductSheet.sheets(list, form.profile, form.context(now: now))
      return ProductSheet.json(sheets, sheets.flatMap { $0.diagnostics })
    } catch {
      throw RequestError(error.message)
    }
  }

  /// The products of a request, or the config's own.
  func products(of body: Value) throws(RequestError) -> ProductList? {
    guard let bytes = body.givenJSON("products") else { return settings.products }
    return try ProductList.given(bytes)
  }

  /// The time of a request, or the present time.
  func time(of body: Value) throws(RequestError) -> Instant {
    try body.givenTime("now") ?? settings.clock()
  }
}

/// The contents of a render request.
private struct RenderRequest {
  var template: String?
  var paywall: String?
  var environment: TemplateEnvironment
  var form: TextForm
  var products: [PricedProduct]
  /// The user record, which needs no identity.
  var user: [UInt8]?
  var now: Instant

  init(_ body: Value, _ config: PreparedConfig) throws(RequestError) {
    template = try body.givenText("template")
    paywall = try body.givenText("paywall")
    guard let dialect = TemplateDialect(named: try body.givenText("dialect") ?? "superwall") else {
      throw .wrong("dialect", "superwall, shopify or agentwallie")
    }
    guard let mode = TemplateMode(rawValue: try body.givenText("mode") ?? "lax") else {
      throw .wrong("mode", "lax or strict")
    }
    environment = TemplateEnvironment(
      dialect: dialect, mode: mode, isHTML: try body.givenTruth("html") ?? false)
    form = try TextForm(body, usualZone: config.settings.timeZone)
    products = try config.products(of: body)?.products ?? []
    now = try config.time(of: body)
    user = body.givenJSON("user")
    if let user, let problem = UserRecordReader.problem(in: user, needsID: false) {
      throw RequestError(problem)
    }
  }
}

/// The output of a template, and its errors.
package struct RenderAnswer {
  /// The output, or nil if the template does not compile.
  package private(set) var text: String?
  /// Whether the output is complete: no limit ended the rendering, and every product attribute that is read exists.
  package private(set) var isComplete = false
  package let diagnostics: [Diagnostic]

  /// Creates the answer for a template that does not compile.
  package init(_ diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }

  /// - Parameters:
  ///   - user: the JSON of a valid record, or nil.
  ///   - environment: the environment in which the template was compiled.
  ///   - source: the source of the template.
  package init(
    _ template: Template, _ products: TextProducts, selected: Int?, user: [UInt8]?,
    _ environment: TemplateEnvironment, _ options: RenderOptions, source: String
  ) throws(RequestError) {
    var frame = Frame(for: template.program)
    let context = TextContext(
      products: products.slotted, selected: selected,
      roots: TextContext.roots(of: user, environment.dialect)
    ).value
    do throws(EvaluationError) {
      try frame.fill(context)
    } catch {
      throw RequestError("the products and the user record cannot be read: \(error.kind.slug)")
    }
    frame.setOptions(options)
    var rendered = RenderedText()
    template.render(in: &frame, into: &rendered)
    text = rendered.string
    let missing = products.missing(in: environment.analyze(source))
    isComplete = rendered.isComplete && missing.isEmpty
    diagnostics = missing + rendered.errors.map { $0.diagnostic }
  }

  package var value: Value {
    .object([
      "text": text.map { .string($0) } ?? .null, "isComplete": .bool(isComplete),
      "errors": .list(diagnostics.map { $0.json }),
    ])
  }
}

extension TextContext {
  /// The roots of a user record.
  package static func roots(of user: [UInt8]?, _ dialect: TemplateDialect)
    -> [(name: String, value: Value)]
  {
    guard let user, case .map(let entries)? = try? Value.parse(json: user) else { return [] }
    return roots(ofRecord: entries, hasUserID: dialect == .agentwallie)
  }
}

extension RenderError {
  package var diagnostic: Diagnostic {
    Diagnostic(
      kind == .limitExceeded ? .limitExceeded : .renderError,
      template.isEmpty ? message : "in the template '\(template)': \(message)",
      severity: kind == .limitExceeded ? .error : .warning, range: template.isEmpty ? range : nil)
  }
}

extension ProductList {
  /// A list of products from a request, with at least one usable product.
  package static func given(_ bytes: [UInt8]) throws(RequestError) -> ProductList {
    let decoded = decode(json: bytes)
    let hasErrors = decoded.diagnostics.contains { $0.severity == .error }
    guard let given = decoded.output, !given.products.isEmpty || !hasErrors else {
      throw .unreadable("products", decoded.diagnostics)
    }
    return given
  }
}

extension TextFile {
  /// Texts of paywalls from a request.
  package static func given(_ bytes: [UInt8], _ name: String = "texts") throws(RequestError)
    -> TextFile
  {
    let decoded = decode(json: bytes)
    guard let given = decoded.output else { throw .unreadable(name, decoded.diagnostics) }
    return given
  }
}
