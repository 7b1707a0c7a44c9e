package import Expressions
internal import Pricing
package import RuleEngine

/// What templates and paywalls say to a user.
extension PreparedConfig {
  /// `{"template", "products"?, "user"?, "dialect"?, "html"?, "select"?, "locale"?, "profile"?,
  /// "timeZone"?, "now"?}` -> `{"text","isComplete","errors"}`, as `tollgate render --json`;
  /// `{"paywall", "user"?, "now"?}` -> `{"texts","errors"}`, of the texts that came with the config.
  package func render(_ body: Value) throws(RequestError) -> Value {
    if let paywall = try body.givenText("paywall") { return try render(paywall: paywall, body) }
    guard let template = try body.givenText("template") else {
      throw RequestError(
        "'template' is missing, the text of a template; or give 'paywall', one of the config's")
    }
    let name = try body.givenText("dialect") ?? "superwall"
    guard let dialect = TemplateDialect(named: name) else {
      throw .wrong("dialect", "superwall, shopify or agentwallie")
    }
    let isHTML = try body.givenTruth("html") ?? false
    let compiled = TemplateEnvironment(dialect: dialect, isHTML: isHTML).compile(template)
    guard let output = compiled.output else {
      return .object([
        "text": .null, "isComplete": false, "errors": .list(compiled.diagnostics.map(\.json)),
      ])
    }
    let now = try time(of: body)
    let (products, selected) = try textProducts(body, dialect, now)
    let context = TextContext(
      products: products.slotted, selected: selected,
      roots: try Self.userRoots(body, hasUserID: dialect == .agentwallie)
    ).value
    var frame = Frame(for: output.program)
    do throws(EvaluationError) { try frame.fill(context) } catch {
      throw RequestError("the products and the user record cannot be read: \(error.kind.slug)")
    }
    frame.setOptions(try renderOptions(body, isHTML: isHTML, now))
    var text = RenderedText()
    output.render(in: &frame, into: &text)
    return .object([
      "text": .string(text.string), "isComplete": .bool(text.isComplete),
      "errors": .list(text.errors.map(Self.told)),
    ])
  }

  private func render(paywall name: String, _ body: Value) throws(RequestError) -> Value {
    guard let plan = texts else {
      throw RequestError("the config came without 'texts', so no paywall has any")
    }
    var record: [UInt8] = Array("{}".utf8)
    if let given = body.givenJSON("user") {
      if let problem = UserRecordReader.problem(in: given, needsID: false) {
        throw RequestError(problem)
      }
      record = given
    }
    guard let found = plan.texts(ofPaywall: name, record, at: try time(of: body)) else {
      let close = Suggestion.closest(to: name, among: config.paywalls.map(\.identifier))
      throw RequestError(
        .request, "unknown_paywall",
        "no texts are known of a paywall '\(name)'"
          + (close.map { "; did you mean '\($0)'?" } ?? ""))
    }
    return .object([
      "texts": .map(found.texts), "errors": .list(found.problems.map { .string($0) }),
    ])
  }

  /// The time of a request, or the present.
  func time(of body: Value) throws(RequestError) -> Instant {
    guard let value = body.given("now") else { return settings.clock() }
    return try RequestTime.instant(value, "now")
  }

  private static func told(_ error: RenderError) -> Value {
    .members([
      "code": .string(error.kind == .limitExceeded ? "limit-exceeded" : "render-error"),
      "severity": .string(error.kind == .limitExceeded ? "error" : "warning"),
      "range": error.template.isEmpty
        ? error.range.map {
          .object(["from": .int(Int64($0.from)), "to": .int(Int64($0.to))])
        } : nil,
      "message": .string(
        error.template.isEmpty
          ? error.message : "in the template '\(error.template)': \(error.message)"),
    ])
  }

  /// The products of a request, or the config's own.
  private func products(of body: Value) throws(RequestError) -> ProductList? {
    guard let bytes = body.givenJSON("products") else { return settings.products }
    return try ProductList.given(bytes)
  }

  private func textProducts(
    _ body: Value, _ dialect: TemplateDialect, _ now: Instant
  ) throws(RequestError) -> (TextProducts, Int?) {
    let list = try products(of: body)?.products ?? []
    var profile: PricingProfile? = dialect == .agentwallie ? .agentWallie : nil
    if let name = try body.givenText("profile") {
      guard let known = PricingProfile(rawValue: name) else {
        throw .wrong("profile", PricingProfile.allCases.map(\.rawValue).joined(separator: ", "))
      }
      profile = known
    }
    let locale = try body.givenText("locale")
    let timeZone = try body.givenText("timeZone") ?? settings.timeZone
    let products: TextProducts
    do throws(PricingError) {
      products = try TextProducts(
        list, profile: profile,
        context: PricingContext(
          now: now, timeZone: timeZone, deviceLocale: locale ?? "en_US", locale: locale,
          history: TrialHistory(entitlements: [], storeEligibility: true)))
    } catch {
      throw RequestError(error.message)
    }
    guard let slot = try body.givenText("select") else {
      return (products, products.slotted.isEmpty ? nil : 0)
    }
    guard let place = products.index(ofSlot: slot) else {
      throw RequestError("no product has the slot '\(slot)'")
    }
    return (products, place)
  }

  private func renderOptions(
    _ body: Value, isHTML: Bool, _ now: Instant
  ) throws(RequestError) -> RenderOptions {
    var found = RenderOptions(
      escaping: isHTML ? .html : .text, now: now, locale: try body.givenText("locale") ?? "en_US",
      money: .prices)
    if let name = try body.givenText("timeZone") {
      guard let zone = TemplateZone(named: name) else {
        throw RequestError(WireTime.Fault.unknownZone.message(name))
      }
      found.zone = zone
    }
    return found
  }

  private static func userRoots(_ body: Value, hasUserID: Bool) throws(RequestError)
    -> [(name: String, value: Value)]
  {
    guard let bytes = body.givenJSON("user") else { return [] }
    if let problem = UserRecordReader.problem(in: bytes, needsID: false) {
      throw RequestError(problem)
    }
    guard case .map(let entries)? = try? Value.parse(json: bytes) else { return [] }
    return TextContext.roots(ofRecord: entries, hasUserID: hasUserID)
  }
}

extension ProductList {
  /// A list of products that came with a request.
  package static func given(_ bytes: [UInt8]) throws(RequestError) -> ProductList {
    let decoded = decode(json: bytes)
    guard let given = decoded.output else {
      throw RequestError(
        "'products' cannot be read: \(decoded.diagnostics.first?.message ?? "")")
    }
    return given
  }
}

extension TextFile {
  /// Texts of paywalls that came with a request.
  package static func given(_ bytes: [UInt8]) throws(RequestError) -> TextFile {
    let decoded = decode(json: bytes)
    guard let given = decoded.output else {
      throw RequestError("'texts' cannot be read: \(decoded.diagnostics.first?.message ?? "")")
    }
    return given
  }
}
