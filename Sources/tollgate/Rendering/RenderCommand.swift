internal import ArgumentParser
internal import Expressions
internal import Pricing
internal import Requests
internal import RuleEngine

struct RenderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Render a paywall's text.",
    discussion: HelpText(
      """
      Renders a template such as "Only << products.selected.price >>" for products, a user, a locale and a \
      time. Problems are reported on standard error, never in the text. An attribute that no product has is \
      a warning. The exit code is 1 if the template has errors, a product cannot be used, or a limit ended \
      the rendering.
      """,
      examples: [
        .init(
          "a file with a template",
          "tollgate render headline.liquid --products products.json --user user.json"),
        .init(
          "a template in place",
          "tollgate render 'Only {{ products.primary.price }}' --products products.json"),
        .init(
          "the same for users that had a trial before",
          "tollgate render headline.liquid --products products.json --eligible no"),
        .init(
          "a native paywall, in German",
          "tollgate render --paywall-schema native-paywall.json --products products.json --locale de_DE"
        ),
      ],
      codes: [
        ("0", "done"),
        ("1", "an error in the template or the products, or a limit"),
        ("2", "usage error, or a file that cannot be read"),
      ]
    ).text)

  @Argument(
    help: ArgumentHelp(
      "A template, or a file with a template; - reads standard input.", valueName: "template"),
    completion: .file())
  var template: String?

  @Option(
    help: ArgumentHelp(
      "A native paywall's schema (JSON). Prints the schema with rendered texts and without hidden components.",
      valueName: "file"), completion: .file())
  var paywallSchema: String?

  @OptionGroup(title: "Product Options") var products: TextProductOptions

  @OptionGroup(title: "User Options") var user: UserOptions

  @OptionGroup(title: "User Options") var eligibility: EligibilityOptions

  @Option(help: OptionHelp.now("A trial begins at this time."))
  var now: String?

  @Option(
    help: OptionHelp.timeZone(
      """
      Dates and the beginning of trials use this time zone. By default, dates keep the offset that they were \
      written with.
      """))
  var timeZone: String?

  @Option(help: OptionHelp.pricesVersion, transform: SDKSelection.argument)
  var sdkVersion = SDKSelection.newest

  @OptionGroup(title: "Template Options") var reading: TemplateOptions

  @Flag(help: OptionHelp.json("The output is one object with the text and the errors."))
  var json = false

  @OptionGroup var appearance: ColorOptions

  func validate() throws {
    if template != nil, paywallSchema != nil {
      throw ValidationError(
        "give a template, or a native paywall with --paywall-schema, not both")
    }
    if template == nil, paywallSchema == nil {
      throw ValidationError("give a template, or a native paywall with --paywall-schema")
    }
    try StandardInput.check(user.paths + [template, paywallSchema, products.products])
  }

  func run() throws {
    let time = try Clock.time(now, in: timeZone ?? "UTC")
    if let paywallSchema { return try render(paywall: paywallSchema, time) }
    guard let template else { return }
    let source = try TemplateText(template)
    let environment = reading.environment()
    let compiled = environment.compile(source.text)
    let found = ForeignBraces.helped(compiled.diagnostics, in: source.text)
    for diagnostic in found { FileText.printError(source.render(diagnostic)) }
    guard let output = compiled.output else {
      if json { FileText.print(RenderAnswer(found).value.json) }
      throw ExitCode(Ending.findings)
    }
    let form = products.form(
      in: timeZone, isEligible: eligibility.isEligible, sdkVersion: sdkVersion)
    let file = try products.products.map { try ProductsFile.reporting($0) }
    let record = try record()
    let made = try makeProducts(
      file?.list.products ?? [], form, environment.dialect, time, user: record)
    let answer = try RenderAnswer(
      output, made, selected: try selected(in: made, form), user: record, environment,
      try options(form, time), source: source.text)
    if json {
      FileText.print(answer.value.json)
    } else {
      FileText.print(answer.text ?? "")
      for diagnostic in answer.diagnostics { FileText.printError(source.render(diagnostic)) }
    }
    let reported = answer.diagnostics + made.diagnostics + (file?.diagnostics ?? [])
    if reported.contains(where: { $0.severity == .error }) { throw ExitCode(Ending.findings) }
  }

  private func makeProducts(
    _ list: [PricedProduct], _ form: TextForm, _ dialect: TemplateDialect, _ time: Instant,
    user: [UInt8]?
  ) throws -> TextProducts {
    let made = try TextProductOptions.pricing(in: timeZone) { () throws(PricingError) in
      try form.products(list, for: dialect, now: time, user: user)
    }
    for diagnostic in made.diagnostics where diagnostic.severity != .note {
      FileText.printError(DiagnosticText.render(diagnostic, source: nil))
    }
    return made
  }

  private func selected(in products: TextProducts, _ form: TextForm) throws -> Int? {
    try ValidationError.asking { () throws(RequestError) in try form.selected(in: products) }
  }

  private func options(_ form: TextForm, _ time: Instant) throws -> RenderOptions {
    try TextProductOptions.pricing(in: timeZone) { () throws(PricingError) in
      try form.options(now: time, isHTML: reading.html)
    }
  }

  /// The user's record, which does not need an ID.
  private func record() throws -> [UInt8]? {
    guard let given = try user.given() else { return nil }
    if let problem = UserRecordReader.problem(in: given.bytes, needsID: false) {
      throw given.error(problem)
    }
    return given.bytes
  }
}

// MARK: Native paywalls

extension RenderCommand {
  private func render(paywall path: String, _ time: Instant) throws {
    let file = try DescribedFile(path)
    if let kind = FileKind.ofSound(file.bytes), kind != .paywall {
      throw CommandError(
        "\(file.name) is \(kind.name), not \(FileKind.paywall.name), which has 'components'")
    }
    let decoded = PaywallSchema.decode(json: file.bytes)
    guard let schema = decoded.output else { throw file.unusable(decoded.diagnostics) }
    func tell(_ diagnostics: [Diagnostic], _ sources: [String: String] = [:]) {
      for text in file.render(diagnostics, sources: sources) { FileText.printError(text) }
    }
    tell(decoded.diagnostics.filter { $0.severity != .note })
    let environment = reading.environment(.agentwallie)
    let texts = PaywallTexts(schema, environment: environment)
    let sources = Dictionary(
      zip(texts.textPaths, texts.sources), uniquingKeysWith: { first, _ in first })
    tell(texts.diagnostics, sources)
    let products = try self.products.products.map { try ProductsFile.reporting($0) }
    let listed = products?.list.products ?? []
    let form = self.products.form(
      in: timeZone, isEligible: eligibility.isEligible, sdkVersion: sdkVersion)
    let record = try record()
    let made = try makeProducts(
      schema.slots.isEmpty ? listed : schema.filled(from: listed), form, environment.dialect, time,
      user: record)
    tell(texts.missing(in: made, environment), sources)
    let selected = try selected(in: made, form)
    let options = try options(form, time)
    let user = TextContext.roots(of: record, environment.dialect)
    func root(_ name: String) -> Value { user.last { $0.name == name }?.value ?? .map([]) }
    let resolved: PaywallTexts.Resolved
    do throws(EvaluationError) {
      resolved = try texts.resolve(
        products: made.slotted, selected: selected, user: root("user"), device: root("device"),
        params: root("params"), options: options)
    } catch {
      throw CommandError("the products and the user record cannot be read: \(error.kind.slug)")
    }
    FileText.print(resolved.json(of: schema).json)
    let errors = resolved.errors.map { place, error in
      var diagnostic = error.diagnostic
      diagnostic.path = place
      return diagnostic
    }
    tell(errors, sources)
    let found = decoded.diagnostics + texts.diagnostics + (products?.diagnostics ?? [])
    let isWrong = found.contains { $0.severity == .error }
    if isWrong { throw ExitCode(Ending.findings) }
  }
}

extension PaywallSchema {
  /// Puts the products of a list into the slots of the paywall: by slot, otherwise by the product's
  /// identifiers.
  func filled(from products: [PricedProduct]) -> [PricedProduct] {
    slots.map { slot in
      let found =
        products.first { $0.slot == slot.slot }
        ?? products.first {
          slot.productID != nil && ($0.configID ?? $0.identifier) == slot.productID
        }
      var product = found ?? PricedProduct(identifier: slot.productID ?? slot.slot)
      product.slot = slot.slot
      product.label = slot.label
      if let id = slot.productID { product.configID = id }
      return product
    }
  }
}

extension PaywallTexts.Resolved {
  /// The schema with its components as the user sees them.
  func json(of schema: PaywallSchema) -> Value {
    guard case .map(var entries) = schema.json else { return .list(components) }
    if let place = entries.firstIndex(where: { $0.key == "components" }) {
      entries[place].value = .list(components)
    }
    entries.append(Value.Entry(key: "hidden", value: .list(hidden.map { .string($0) })))
    return .map(entries)
  }
}

/// A template from the command line: a file, standard input, or the text itself.
struct TemplateText {
  /// The file that the template was read from; nil if the argument is the template.
  private let file: DescribedFile?
  let text: String

  init(_ argument: String) throws {
    file = try Self.isFile(argument) ? DescribedFile(argument) : nil
    // A text may contain commas like a table.
    if let file, let kind = FileKind.ofSound(file.bytes), kind != .table {
      throw CommandError("\(file.name) is \(kind.name), not a template")
    }
    text = file?.text ?? argument
  }

  /// Whether an argument names a file: it has no tags, and the file exists.
  ///
  /// - Throws: when the argument looks like the name of a missing file.
  private static func isFile(_ argument: String) throws -> Bool {
    if argument == "-" { return true }
    if ["{{", "{%", "<<", "<%"].contains(where: { argument.contains($0) }) { return false }
    if FileText.isFile(argument) { return true }
    guard !argument.contains(where: \.isWhitespace) else { return false }
    // The file may exist, but be unreadable.
    if argument.contains("/") { return true }
    let endings = [".liquid", ".liqid", ".html", ".htm", ".txt", ".json"]
    guard endings.contains(where: argument.lowercased().hasSuffix) else { return false }
    throw CommandError("the file \(argument) does not exist")
  }

  func render(_ diagnostic: Diagnostic) -> String {
    file?.render([diagnostic]).first
      ?? DiagnosticText.render(diagnostic, source: text, place: "template")
  }
}
