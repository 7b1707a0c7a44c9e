internal import Expressions
internal import RuleEngine
internal import RuleInsight

/// The coverage of tests, for a terminal: a table by placement, then the gaps.
struct CoverageText {
  let run: CoverageRun
  let config: ConfigFile
  let style: TextStyle

  /// The maximum number of gaps to show. JSON contains all gaps.
  private static let mostGaps = 40

  var text: String {
    let gaps = CoverageGaps(run)
    var lines = table
    let place = CoverageGaps.places(gaps.open + gaps.impossible, in: config.bytes)
    if !gaps.open.isEmpty {
      lines += ["", "Not exercised:"]
      for entry in gaps.open.prefix(Self.mostGaps) {
        lines += [""] + self.lines(entry, place(entry))
      }
      lines += more(gaps.open.count)
    }
    if !gaps.impossible.isEmpty {
      lines += ["", "Excluded: no user can exercise it:"]
      for entry in gaps.impossible.prefix(Self.mostGaps) {
        lines += wrapped("  \(entry.subject): \(entry.text)")
      }
      lines += more(gaps.impossible.count)
    }
    return (lines + [""] + wrapped(run.closingLine)).joined(separator: "\n")
  }

  private func more(_ count: Int) -> [String] {
    count > Self.mostGaps
      ? ["", "... and \(grouped(count - Self.mostGaps)) more; --json has all of them"] : []
  }

  private func wrapped(_ line: String) -> [String] { style.wrapped(DiagnosticText.visible(line)) }

  private func lines(_ entry: CoverageGaps.Entry, _ place: DiagnosticPlaces.Place?) -> [String] {
    var lines = wrapped("\(entry.subject): \(entry.text)")
    if let position = place?.position {
      lines.append(
        DiagnosticText.visible("  --> \(config.name):\(position.line):\(position.column)"))
    }
    if let source = entry.source, let range = entry.range {
      lines += DiagnosticText.excerpt(source, range)
    }
    return [style.findings(lines.joined(separator: "\n"))]
  }

  // MARK: The table

  private var table: [String] {
    let groups = run.groups
    var rows = [["placement"] + groups.filter { $0 != .texts }.map(\.rawValue) + ["covered"]]
    let columns = groups.filter { $0 != .texts }
    func row(_ name: String, _ points: [CoveragePoint]) -> [String] {
      [name]
        + columns.map { group in
          let share = run.search.share(of: points.lazy.filter { $0.group == group })
          return share.all == 0 ? "-" : "\(grouped(share.exercised))/\(grouped(share.all))"
        } + [CoverageRun.percent(run.search.share(of: points))]
    }
    let placements = run.placements
    rows += placements.map { row($0.name, $0.points) }
    let texts = run.search.points.filter { $0.group == .texts }
    if !texts.isEmpty {
      let share = run.search.share(of: texts)
      rows.append(
        ["texts of paywalls"] + columns.map { _ in "" } + [CoverageRun.percent(share)])
    }
    // A single row needs no sum.
    let hasSum = placements.count > 1 || !texts.isEmpty
    if hasSum { rows.append(row("all", run.search.points)) }
    // The share is the most important column.
    return TextTable(
      rows: rows.map { $0.map(DiagnosticText.visible) },
      spare: columns.isEmpty ? [] : [Set(1...columns.count)],
      ruled: hasSum ? [rows.count - 1] : []
    ).lines(style)
  }
}
