internal import ArgumentParser
internal import Expressions
internal import Pricing
internal import RuleEngine
internal import RuleInsight

/// The checks of all texts in one call of `check-template`.
struct TemplateCheckRun {
  /// A file with its findings.
  struct Part {
    var file: DescribedFile
    var check: TemplateCheck
    var diagnostics: [Diagnostic] { check.findings.map(\.diagnostic) }
  }

  private(set) var parts: [Part] = []

  init(_ command: CheckTemplateCommand) throws {
    let file = try command.template()
    let prices = try command.products.map { try ProductsFile.reporting($0).list }
    let declarations = try command.declarations()
    var settings = try command.claiming.settings()
    settings.isEligible = command.eligibility.isEligible
    settings.keepsRenderings = command.reporting.report != nil
    func check(_ config: Config?) -> TemplateCheck {
      TemplateCheck(
        config: config, prices: prices, declarations: declarations,
        eligibility: command.eligibility.isEligible == false ? .none : .all, claims: settings)
    }
    guard FileKind.ofSound(file.bytes) == .config else {
      if command.texts != nil {
        throw ValidationError("--texts needs a config, but \(file.name) is not a config")
      }
      var one = check(try command.config.map { try ConfigFile($0).requireConfig() })
      try one.read(file, command.reading, paywall: command.paywall)
      parts = [Part(file: file, check: one)]
      return
    }
    if command.config != nil {
      throw ValidationError("\(file.name) is already a config: remove --config")
    }
    if command.file == "-" {
      throw ValidationError("a config with its texts must be a file, not standard input")
    }
    let config = try ConfigFile(command.file).requireConfig()
    var native = check(config)
    try native.readNativePaywalls(command.reading.environment(.agentwallie))
    if native.textCount == 0, command.texts == nil {
      FileText.printError(
        "\(file.name) contains no paywall texts; pass them with --texts")
    }
    parts.append(Part(file: file, check: native))
    for path in try Self.files(of: command.texts) {
      parts.append(try Self.part(path, command, check(config)))
    }
  }

  /// The files of a folder of texts, in the order of their names.
  private static func files(of folder: String?) throws -> [String] {
    guard let folder else { return [] }
    let found = ["*.json", "*.liquid", "*/*.liquid"].flatMap {
      FilePattern.paths(folder + "/" + $0)
    }.filter(FileText.isFile)
    if found.isEmpty {
      throw CommandError(
        "\(folder) contains no paywall texts; expected files of texts (*.json), PAYWALL.liquid or PAYWALL/NAME.liquid"
      )
    }
    return found
  }

  private static func part(
    _ path: String, _ command: CheckTemplateCommand, _ check: TemplateCheck
  ) throws -> Part {
    var check = check
    let file = try DescribedFile(path)
    // `PAYWALL/NAME.liquid` or `PAYWALL.liquid`, if the config has the paywall.
    let names = path.split(separator: "/").suffix(2).map(String.init)
    let own = names.last.map { String($0.prefix { $0 != "." }) } ?? ""
    let known = [own, names.first ?? ""].first { check.config?.paywall($0) != nil }
    try check.read(file, command.reading, paywall: path.hasSuffix(".json") ? nil : known)
    return Part(file: file, check: check)
  }

  /// Claims of all texts, as objects.
  var claims: [Value] {
    parts.flatMap { part in
      part.check.claimed.flatMap { text in
        text.result.claims.map { $0.json(file: part.file.path, path: text.path) }
      }
    }
  }

  /// The totals: `5 texts, 10 paths: 0 errors, 1 warning; 8 claims: 7 true, 1 false, 0 not checkable`.
  var summary: String {
    let found = parts.flatMap(\.diagnostics)
    let errors = found.count { $0.severity == .error }
    let warnings = found.count { $0.severity == .warning }
    let texts = parts.reduce(0) { $0 + $1.check.textCount }
    let paths = parts.reduce(into: Set<String>()) { $0.formUnion($1.check.requirements) }
    var text =
      "\(counted(texts, "text")), \(counted(paths.count, "path")): "
      + "\(counted(errors, "error")), \(counted(warnings, "warning"))"
    let claims = parts.flatMap { $0.check.claimed.flatMap(\.result.claims) }
    if claims.isEmpty { return text }
    let failing = claims.count(where: \.fails)
    let unknown = claims.count { if case .unknown = $0.verdict { true } else { false } }
    text +=
      "; \(counted(claims.count, "claim")): \(grouped(claims.count - failing - unknown)) true, "
      + "\(grouped(failing)) false, \(grouped(unknown)) not checkable"
    return text
  }
}
