internal import ArgumentParser
internal import Expressions
internal import Pricing
internal import RuleEngine

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Find what is wrong in a config.",
    discussion: """
      Reads a config, compiles every expression, and prints what it finds with its place in the \
      file, the expression, a mark under the place, and what to write instead; and what SDKs in the \
      field do about it. The exit code is 1 when there is an error.
      """)

  /// How much what SDKs in the field do counts.
  enum Elsewhere: String, ExpressibleByArgument, CaseIterable {
    case off, on, strict
  }

  @OptionGroup var source: ConfigOptions

  @Option(
    help: ArgumentHelp(
      "A products file, as for the products command, to check together with the config.",
      valueName: "file"))
  var products: String?

  @Flag(help: "Print one JSON object per line instead of text.")
  var json = false

  @Flag(help: "Treat warnings as errors.")
  var strict = false

  @Option(
    defaultAsFlag: .strict, parsing: .next,
    help: ArgumentHelp(
      "What SDKs in the field reject: off, on or strict.",
      discussion: """
        By default a value of which an SDK rejects the whole config is an error (would-reject), and \
        required keys that are not there are a warning (not-an-export). With strict both are errors, \
        with off both are notes. --elsewhere alone is strict.
        """, valueName: "off|on|strict"))
  var elsewhere: Elsewhere?

  @Flag(help: "Leave out notes.")
  var quiet = false

  @Flag(
    help: ArgumentHelp(
      "Show which clauses give a different result in cel, or on another platform.",
      discussion: """
        Each clause is evaluated in cel and as on ios, android and web, on values that its \
        constants suggest; where it differs, an example shows with which.
        """))
  var dialectReport = false

  func run() throws {
    let file = try source.file()
    let found = file.diagnostics.map { $0.counted(elsewhere ?? .on) }
    for diagnostic in found where !quiet || diagnostic.severity != .note {
      FileText.print(json ? file.json(diagnostic).json : file.render(diagnostic) + "\n")
    }
    if !json { FileText.print(summary(file, found)) }
    if dialectReport, let config = file.config { printReport(DialectReport(config), file) }
    let all = found + (try checkProducts())
    let failing: [Diagnostic.Severity] = strict ? [.error, .warning] : [.error]
    if all.contains(where: { failing.contains($0.severity) }) { throw ExitCode(1) }
  }

  private func printReport(_ report: DialectReport, _ file: ConfigFile) {
    if json {
      for finding in report.findings {
        FileText.print(DialectReportText.json(finding, in: file).json)
      }
    } else {
      FileText.print("\n" + DialectReportText.render(report, in: file))
    }
  }

  /// Prints what there is to say about the products, and gives it.
  private func checkProducts() throws -> [Diagnostic] {
    guard let products else { return [] }
    let file = try ProductsFile(products)
    let sheets = try ProductsReport.sheets(
      file.list, nil, PricingContext(now: Clock.now()))
    let found = (file.diagnostics + sheets.flatMap(\.diagnostics))
      .filter { !quiet || $0.severity != .note }
    if json {
      for diagnostic in file.json(found) { FileText.print(diagnostic.json) }
    } else {
      for text in file.render(found) { FileText.print("\n" + text) }
      FileText.print(
        "\(counted(file.list.products.count, "product")): \(counted(found.count, "finding"))")
    }
    return found
  }

  private func summary(_ file: ConfigFile, _ found: [Diagnostic]) -> String {
    func count(_ severity: Diagnostic.Severity) -> String {
      counted(found.filter { $0.severity == severity }.count, severity.rawValue)
    }
    let placements = file.config?.placements ?? []
    let audiences = placements.reduce(0) { $0 + $1.audiences.count }
    let attributes = file.ruleSet?.requirements.count ?? 0
    return """
      \(counted(placements.count, "placement")), \(counted(audiences, "audience")), \
      \(counted(attributes, "attribute")): \
      \(count(.error)), \(count(.warning)), \(count(.note))\(elsewhereSummary(found))
      """
  }

  /// `; rejected whole by iOS and Android`
  private func elsewhereSummary(_ found: [Diagnostic]) -> String {
    let rejecting = found.flatMap(\.peers).filter { $0.severity == .error }
    let names = Diagnostic.PeerEffect.Peer.all.filter { peer in
      rejecting.contains { $0.peers.contains(peer) }
    }
    if names.isEmpty { return "" }
    return "; rejected whole by the SDKs for " + names.map(\.id).joined(separator: ", ")
  }
}

extension Diagnostic {
  /// The diagnostic with the severity that it has where what SDKs do counts so much.
  fileprivate func counted(_ elsewhere: CheckCommand.Elsewhere) -> Diagnostic {
    var diagnostic = self
    switch (code, elsewhere) {
    case (.wouldReject, .off), (.notAnExport, .off): diagnostic.severity = .note
    case (.notAnExport, .strict): diagnostic.severity = .error
    default: break
    }
    return diagnostic
  }
}
