internal import Expressions
internal import RuleEngine
internal import RuleInsight
internal import SDK

/// The page of `check-template --report`: each paywall's texts as users read them, with their claims.
struct ClaimPage {
  private let run: TemplateCheckRun
  private let options: ClaimOptions

  /// The maximum number of renderings of one text to show. Further renderings look similar.
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
        "Each claim is checked against the store's prices, with and without eligibility for offers.",
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
            note: "for users that are no longer eligible"),
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
    var blocks: [ReportBlock] = []
    if let gap = text.result.gap { blocks.append(.text("Not checked: \(gap).")) }
    if !text.result.renderings.isEmpty { blocks.append(.table(readings(text.result.renderings))) }
    let claims = text.result.claims.filter(\.fails) + text.result.claims.filter { !$0.fails }
    if !claims.isEmpty {
      blocks.append(
        .table(
          ReportTable(
            columns: [.text("verdict"), .text("words"), .text("product"), .text("why")],
            rows: claims.prefix(Self.mostRows).map(row),
            note: claims.count > Self.mostRows
              ? "\(grouped(claims.count - Self.mostRows)) more" : "")))
    }
    return ReportSection(
      id: "text\(number)", title: text.path.isEmpty ? file.name : text.path, blocks: blocks)
  }

  /// The distinct texts, each with its users and locales.
  private func readings(_ all: [ClaimCheck.Rendering]) -> ReportTable {
    var rows: [(reading: ClaimCheck.Rendering, locales: [String])] = []
    for reading in all {
      if let same = rows.firstIndex(where: {
        $0.reading.pieces == reading.pieces && $0.reading.selected == reading.selected
          && $0.reading.isEligible == reading.isEligible
      }) {
        rows[same].locales.append(reading.locale)
      } else {
        rows.append((reading, [reading.locale]))
      }
    }
    let hasSelected = rows.contains { $0.reading.selected != nil }
    return ReportTable(
      columns: [.text("text"), .text("users"), .text("locales")]
        + (hasSelected ? [.text("selected")] : []),
      rows: rows.prefix(Self.mostRows).map { entry in
        let users = entry.reading.isEligible.map { $0 ? "eligible" : "not eligible" }
        return ReportTable.Row(
          [
            .passage(entry.reading.pieces.flatMap(Self.parts)), .text(users ?? "all"),
            .text(entry.locales.joined(separator: ", ")),
          ] + (hasSelected ? [.text(entry.reading.selected ?? "")] : []))
      },
      note: rows.count > Self.mostRows ? "\(grouped(rows.count - Self.mostRows)) more" : "")
  }

  /// A piece of a text, split into lines.
  private static func parts(_ piece: ClaimCheck.Rendering.Piece) -> [ReportTable.Passage] {
    let lines = piece.text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.enumerated().map { place, line in
      ReportTable.Passage(
        text: String(line), isMarked: piece.isFalse, isStruck: piece.isStruck,
        isNewLine: place > 0)
    }
  }

  private func row(_ claim: Claim) -> ReportTable.Row {
    let (tone, verdict, reason): (ReportTone, String, String) =
      switch claim.verdict {
      case .holds: (.good, "true", "")
      case .fails(let reason):
        claim.isForIneligibleOnly
          ? (.warning, "false without the offer", reason) : (.bad, "false", reason)
      case .unknown(let reason): (.plain, "not checkable", reason)
      }
    return ReportTable.Row([
      .mark(tone, verdict), .noted(claim.words, claim.kind.rawValue), .text(claim.product),
      .text(reason),
    ])
  }
}
