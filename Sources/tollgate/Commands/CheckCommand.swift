internal import ArgumentParser
internal import Expressions
internal import RuleEngine

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Find what is wrong in a config.",
    discussion: """
      Reads a config, compiles every expression, and prints what it finds with the line, the \
      expression, a mark under the place, and what to write instead; and what SDKs in the field do \
      about it. The exit code is 1 when there is an error.
      """)

  @OptionGroup var source: ConfigOptions

  @Option(
    help: ArgumentHelp(
      "A file with products, as the command products takes it, to check with the config.",
      valueName: "file"))
  var products: String?

  @Flag(help: "Print one JSON object a line instead of text.")
  var json = false

  @Flag(help: "Count warnings as errors.")
  var strict = false

  @Flag(help: "Count what makes an SDK in the field reject the whole config as an error.")
  var elsewhere = false

  @Flag(help: "Leave out notes.")
  var quiet = false

  @Flag(
    help: ArgumentHelp(
      "Tell which clauses come to something else in cel, or on another platform.",
      discussion: """
        Each clause is evaluated in cel and as on ios, android and web, on values that its \
        constants suggest; where it differs, an example shows with which.
        """))
  var dialectReport = false

  func run() throws {
    let file = try source.file()
    let shown = file.diagnostics.filter { !quiet || $0.severity != .note }
    for diagnostic in shown {
      FileText.print(json ? diagnostic.json.json : file.render(diagnostic) + "\n")
    }
    if !json { FileText.print(summary(file)) }
    if dialectReport, let config = file.config { printReport(DialectReport(config), file) }
    let productDiagnostics = try checkProducts()
    let failing: [Diagnostic.Severity] = strict ? [.error, .warning] : [.error]
    let isRejected = elsewhere && file.diagnostics.contains { $0.peerSeverity == .error }
    let found = file.diagnostics + productDiagnostics
    if isRejected || found.contains(where: { failing.contains($0.severity) }) {
      throw ExitCode(1)
    }
  }

  private func printReport(_ report: DialectReport, _ file: ConfigFile) {
    if json {
      for finding in report.findings { FileText.print(finding.json.json) }
    } else {
      FileText.print("\n" + DialectReportText.render(report, in: file))
    }
  }

  /// Prints what there is to say about the products, and gives it.
  private func checkProducts() throws -> [Diagnostic] {
    guard let products else { return [] }
    let file = try ProductsFile(products)
    let sheets = try ProductsReport.sheets(
      file.list, nil, PricingContext(now: Clock.milliseconds()))
    let found = (file.diagnostics + sheets.flatMap(\.diagnostics))
      .filter { !quiet || $0.severity != .note }
    if json {
      for diagnostic in found { FileText.print(diagnostic.json.json) }
    } else {
      for text in file.render(found) { FileText.print("\n" + text) }
      FileText.print("\(file.list.products.count) products: \(found.count) findings")
    }
    return found
  }

  private func summary(_ file: ConfigFile) -> String {
    func count(_ severity: Diagnostic.Severity) -> String {
      let number = file.diagnostics.filter { $0.severity == severity }.count
      return "\(number) \(severity.rawValue)\(number == 1 ? "" : "s")"
    }
    let placements = file.config?.placements ?? []
    let audiences = placements.reduce(0) { $0 + $1.audiences.count }
    let attributes = file.ruleSet?.requirements.count ?? 0
    return """
      \(placements.count) placements, \(audiences) audiences, \(attributes) attributes: \
      \(count(.error)), \(count(.warning)), \(count(.note))\(elsewhereSummary(file))
      """
  }
}

extension CheckCommand {
  /// `; rejected whole by iOS and Android`
  private func elsewhereSummary(_ file: ConfigFile) -> String {
    let rejecting = file.diagnostics.flatMap(\.peers).filter { $0.severity == .error }
    let names = Diagnostic.PeerEffect.Peer.allCases.filter { peer in
      rejecting.contains { $0.peers.contains(peer) }
    }
    if names.isEmpty { return "" }
    return "; rejected whole by the SDKs for " + names.map(\.rawValue).joined(separator: ", ")
  }
}

extension Diagnostic {
  /// The diagnostic as one JSON object.
  var json: Value {
    var entries: [Value.Entry] = []
    func add(_ key: String, _ value: Value) {
      entries.append(Value.Entry(key: .string(key), value: value))
    }
    add("code", .string(code.rawValue))
    add("severity", .string(severity.rawValue))
    add("path", .string(path))
    if let range {
      add("range", .object(["from": .int(Int64(range.from)), "to": .int(Int64(range.to))]))
    }
    add("message", .string(message))
    if !peers.isEmpty {
      add(
        "elsewhere",
        .list(
          peers.map { effect in
            var entries: [Value.Entry] = [
              Value.Entry(
                key: "sdks", value: .list(effect.peers.map { .string($0.rawValue) })),
              Value.Entry(key: "severity", value: .string(effect.severity.rawValue)),
              Value.Entry(key: "consequence", value: .string(effect.consequence.rawValue)),
            ]
            if let detail = effect.detail {
              entries.append(Value.Entry(key: "detail", value: .string(detail)))
            }
            return .map(entries)
          }))
    }
    if !notes.isEmpty { add("notes", .list(notes.map { .string($0) })) }
    if let suggestion { add("suggestion", .string(suggestion)) }
    return .map(entries)
  }
}
