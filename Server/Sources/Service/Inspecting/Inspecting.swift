internal import Expressions
internal import HTTPTypes
internal import Hummingbird
internal import Pricing
internal import Requests
internal import RuleEngine
internal import RuleInsight

/// What is said of configs and texts without deciding anything: `/v1/check`, `/v1/diff`, `/v1/render`.
extension DecisionService {
  // MARK: Check

  /// `{"config"?, "schema"?, "now"?, "platform"?}` -> `{"diagnostics":[..], "counts":{..}}`. Ranges count
  /// in the config as it stands in the body, or in its text where it is given as a text.
  func check(_ body: [UInt8], _ application: ServedApplication) throws(ServiceError) -> Value {
    let value = try Request.json(body, options.limits)
    guard value.members != nil else { throw .badRequest("the body must be an object") }
    var text = ConfigText(
      Self.configText(of: value, in: body) ?? application.current.bytes,
      language: try language(of: value))
    text.check(
      try Self.schema(value["schema"]), now: try time(of: value) ?? ServiceTime.now())
    return .object(["diagnostics": .list(text.findings(file: "config")), "counts": text.counts])
  }

  private func language(of body: Value) throws(ServiceError) -> RuleLanguage {
    guard let name = body["platform"]?.text else { return options.language }
    if name == "cel" { return .cel }
    guard let platform = Platform(rawValue: name) else {
      throw .badRequest("'platform' is ios, android, web or cel")
    }
    return .superscript(platform)
  }

  private static func schema(_ value: Value?) throws(ServiceError) -> ContextSchema {
    guard let bytes = bytes(value) else { return ContextSchema() }
    let decoded = ContextSchema.decode(bytes)
    guard let schema = decoded.output else {
      throw .badRequest("'schema' cannot be read: \(decoded.diagnostics.first?.message ?? "")")
    }
    return schema
  }

  func time(of body: Value) throws(ServiceError) -> Instant? {
    guard let value = body["now"], value != .null else { return nil }
    return try ServiceTime.instant(value, "now")
  }

  /// The config of a body as it stands there, so that places count in it; nil where there is none.
  static func configText(of value: Value, in body: [UInt8]) -> [UInt8]? {
    guard let given = value["config"], given != .null else { return nil }
    return given.text.map { Array($0.utf8) } ?? member("config", of: body) ?? []
  }

  /// The text of a member of an object, as it stands in the body.
  private static func member(_ name: String, of body: [UInt8]) -> [UInt8]? {
    body.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return nil }
      var cursor = JSONCursor(base, from: 0, to: bytes.count)
      var found: [UInt8]?
      try? cursor.forEachMember(nesting: 512) { (cursor, key) throws(JSONFault) in
        _ = cursor.peek()
        let start = cursor.at
        try cursor.skipValue(nesting: 511)
        if key.text == name { found = Array(bytes[start..<cursor.at]) }
      }
      return found
    }
  }

  // MARK: Diff

  /// `{"old"?, "new", "users"?, "placements"?, "now"?}` -> what `tollgate diff --json` prints.
  func diff(_ body: Value, _ application: ServedApplication) throws(ServiceError) -> Value {
    guard let new = Self.bytes(body["new"] ?? body["config"]) else {
      throw .badRequest("'new' is missing; it is a config, as an object or as its text")
    }
    let seed = body["seed"]?.text
    let changed = try loaded(new, "new", seed: seed)
    let running = try loaded(Self.bytes(body["old"]), "old", seed: seed, else: application)
    let names = body["placements"]?.elements?.compactMap(\.text)
    for name in names ?? []
    where running.ruleSet.placement(named: name) == nil
      && changed.ruleSet.placement(named: name) == nil
    {
      throw ServiceError(
        .badRequest, "unknown_placement", "neither config has a placement '\(name)'")
    }
    return difference(
      running, changed, users: try Self.lines(body["users"]), placements: names,
      now: try time(of: body))
  }

  /// Who gets something else by another config: of users, or of everybody that there could be.
  func difference(
    _ old: LoadedConfig, _ new: LoadedConfig, users: [UInt8]?, placements: [String]? = nil,
    now: Instant? = nil
  ) -> Value {
    let comparison = RuleComparison(
      old.ruleSet, new.ruleSet, placements: placements, clock: clock(now),
      assigners: (old.assigner, new.assigner))
    let changes = Value.Entry(key: "changes", value: .list(comparison.changes.map(\.value)))
    guard let users else {
      let found = comparison.differences().map { difference in
        Value.Entry(
          key: .string(difference.placement),
          value: difference.value { options.redaction.record($0) })
      }
      return .map([.init(key: "placements", value: .map(found)), changes])
    }
    var worker = ComparisonWorker(comparison)
    var sums = ComparisonSums()
    Self.forEachChunk(of: users) { _ = sums.add(worker.process($0)) }
    return .map(sums.value(comparison) { options.redaction.id($0) } + [changes])
  }

  // MARK: Render

  /// `{"template", "products"?, "user"?, "dialect"?, "html"?, "select"?, "locale"?, "profile"?,
  /// "timeZone"?, "now"?}` -> `{"text","isComplete","errors"}`, as `tollgate render --json`.
  func render(_ body: Value, _ application: ServedApplication) throws(ServiceError) -> Value {
    guard let template = body["template"]?.text else {
      throw .badRequest("'template' is missing; it is the text of a template")
    }
    let name = body["dialect"]?.text ?? "superwall"
    guard let dialect = TemplateDialect(named: name) else {
      throw .badRequest("'dialect' is superwall, shopify or agentwallie")
    }
    let isHTML = body["html"]?.truth ?? false
    let compiled = TemplateEnvironment(dialect: dialect, isHTML: isHTML).compile(template)
    guard let output = compiled.output else {
      return .object([
        "text": .null, "isComplete": false, "errors": .list(compiled.diagnostics.map(\.json)),
      ])
    }
    let now = try time(of: body) ?? ServiceTime.now()
    let (products, selected) = try textProducts(body, application, dialect, now)
    let context = TextContext(
      products: products.slotted, selected: selected, roots: try userRoots(body, dialect)
    ).value
    var frame = Frame(for: output.program)
    do throws(EvaluationError) { try frame.fill(context) } catch {
      throw .badRequest("the products and the user record cannot be read: \(error.kind.slug)")
    }
    frame.setOptions(try renderOptions(body, isHTML: isHTML, now))
    var text = RenderedText()
    output.render(in: &frame, into: &text)
    return .object([
      "text": .string(text.string), "isComplete": .bool(text.isComplete),
      "errors": .list(text.errors.map(Self.told)),
    ])
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

  /// The products of a body, or the application's own.
  func products(
    of body: Value, _ application: ServedApplication
  ) throws(ServiceError) -> ProductList? {
    guard let bytes = Self.bytes(body["products"]) else { return application.products }
    let decoded = ProductList.decode(json: bytes)
    guard let given = decoded.output else {
      throw .badRequest("'products' cannot be read: \(decoded.diagnostics.first?.message ?? "")")
    }
    return given
  }

  /// The profile of a body; nil where it says none.
  func profile(of body: Value) throws(ServiceError) -> PricingProfile? {
    guard let name = body["profile"]?.text else { return nil }
    guard let profile = PricingProfile(rawValue: name) else {
      let names = PricingProfile.allCases.map(\.rawValue).joined(separator: ", ")
      throw .badRequest("there is no profile '\(name)'; there is \(names)")
    }
    return profile
  }

  private func textProducts(
    _ body: Value, _ application: ServedApplication, _ dialect: TemplateDialect, _ now: Instant
  ) throws(ServiceError) -> (TextProducts, Int?) {
    let list = try self.products(of: body, application)?.products ?? []
    let profile = try profile(of: body) ?? (dialect == .agentwallie ? .agentWallie : nil)
    let locale = body["locale"]?.text
    let products: TextProducts
    do throws(PricingError) {
      products = try TextProducts(
        list, profile: profile,
        context: PricingContext(
          now: now, timeZone: body["timeZone"]?.text ?? options.timeZone,
          deviceLocale: locale ?? "en_US", locale: locale,
          history: TrialHistory(entitlements: [], storeEligibility: true)))
    } catch {
      throw .badRequest(error.message)
    }
    guard let slot = body["select"]?.text else {
      return (products, products.slotted.isEmpty ? nil : 0)
    }
    guard let place = products.index(ofSlot: slot) else {
      throw .badRequest("no product has the slot '\(slot)'")
    }
    return (products, place)
  }

  private func renderOptions(
    _ body: Value, isHTML: Bool, _ now: Instant
  ) throws(ServiceError) -> RenderOptions {
    var found = RenderOptions(
      escaping: isHTML ? .html : .text, now: now, locale: body["locale"]?.text ?? "en_US",
      money: .prices)
    if let name = body["timeZone"]?.text {
      guard let zone = TemplateZone(named: name) else {
        throw .badRequest("there is no time zone '\(name)'")
      }
      found.zone = zone
    }
    return found
  }

  private func userRoots(_ body: Value, _ dialect: TemplateDialect) throws(ServiceError)
    -> [(name: String, value: Value)]
  {
    guard let bytes = Self.bytes(body["user"]) else { return [] }
    if let problem = UserRecordReader.problem(in: bytes, needsID: false) {
      throw ServiceError(rejection: problem)
    }
    guard case .map(let entries)? = try? Value.parse(json: bytes) else { return [] }
    return TextContext.roots(ofRecord: entries, hasUserID: dialect == .agentwallie)
  }
}
