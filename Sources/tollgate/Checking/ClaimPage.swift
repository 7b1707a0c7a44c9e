internal import Expressions
internal import RuleEngine
internal import RuleInsight
internal import SDK

/// The page of `check-template --report`: each paywall's texts as users read them, with their claims.
struct ClaimPage {
  private let run: TemplateCheckRun
  private let options: ClaimOptions

  /// The maximum number of renderings of one text to show. Further ones look similar.
  private static let mostRows = 120

  init(_ run: TemplateCheckRun, settings: ClaimOptions) {
    self.run = run
    options = settings
  }

  var page: ReportPage {
    let texts = run.parts.flatMap { part in
      part.check.claimed.map { (file: part.file, text: $0) }
    }
    let claims = texts.flatMap(\.text.result.claims)
    return ReportPage(
      title: "What paywalls say",
      facts: [
        .init("Texts", run.parts.map(\.file.name).joined(separator: ", ")),
        .init(
          "Locales",
          options.locale.isEmpty ? "the products' own" : options.locale.joined(separator: ", ")),
        .init("Tollgate", SDKVersion.current),
      ],
      sections: [summary(claims, texts.count)]
        + texts.enumerated().map { section($0.offset, $0.element.file, $0.element.text) })
  }

  private func summary(_ claims: [Claim], _ texts: Int) -> ReportSection {
    let failing = claims.filter(\.fails)
    let findings = run.parts.flatMap(\.diagnostics).filter { $0.severity != .note }
    return ReportSection(
      id: "summary", title: "Summary",
      about:
        "Each claim is checked against the store's prices, for users who may have offers and for users who may not.",
      blocks: [
        .cards([
          ReportCard(name: "Texts", value: grouped(texts)),
          ReportCard(name: "Claims", value: grouped(claims.count)),
          ReportCard(
            name: "False", value: grouped(failing.count { !$0.isForIneligibleOnly }),
            note: "for every user who reads them"),
          ReportCard(
            name: "False without the offer",
            value: grouped(failing.count(where: \.isForIneligibleOnly)),
            note: "for users who may not have it any more"),
        ]),
        .findings(
          findings.isEmpty
            ? [
              ReportFinding(tone: .good, text: "No paywall text contradicts the store.")
            ]
            : findings.prefix(200).map {
              ReportFinding(
                tone: $0.severity == .error ? .bad : .warning,
                text: ($0.path.isEmpty ? "" : $0.path + ": ") + $0.message)
            }),
      ])
  }

  private func section(
    _ number: Int, _ file: DescribedFile, _ text: (path: String, result: ClaimCheck.Result)
  ) -> ReportSection {
    let readings = text.result.renderings
    var blocks: [ReportBlock] = []
    let failing = text.result.claims.filter(\.fails)
    blocks.append(
      .table(
        ReportTable(
          columns: [.text("users"), .text("locale"), .text("selected"), .text("text")],
          rows: readings.prefix(Self.mostRows).map { reading in
            ReportTable.Row([
              .text(reading.isEligible ? "may have the offer" : "may not have it"),
              .text(reading.locale), .text(reading.selected ?? ""),
              .text(marked(reading.text, failing)),
            ])
          },
          note: readings.count > Self.mostRows
            ? "\(grouped(readings.count - Self.mostRows)) more" : "")))
    if !text.result.claims.isEmpty {
      blocks.append(
        .table(
          ReportTable(
            columns: [
              .text("verdict"), .text("claim"), .text("product"), .text("words"), .text("why"),
            ],
            rows: text.result.claims.prefix(Self.mostRows).map(row))))
    }
    return ReportSection(
      id: "text\(number)", title: text.path.isEmpty ? file.name : text.path, blocks: blocks)
  }

  /// A text with the words of false claims between marks.
  private func marked(_ text: String, _ claims: [Claim]) -> String {
    var marked = text
    for words in Set(claims.map(\.words)).sorted(by: { $0.count > $1.count }) where !words.isEmpty {
      marked = marked.replacing(words, with: "\u{25B6}\(words)\u{25C0}")
    }
    return marked
  }

  private func row(_ claim: Claim) -> ReportTable.Row {
    let (verdict, reason): (String, String) =
      switch claim.verdict {
      case .holds: ("true", "")
      case .fails(let reason):
        (claim.isForIneligibleOnly ? "false without the offer" : "false", reason)
      case .unknown(let reason): ("not checkable", reason)
      }
    return ReportTable.Row([
      .text(verdict), .text(claim.kind.rawValue), .text(claim.product), .text(claim.words),
      .text(reason),
    ])
  }
}
