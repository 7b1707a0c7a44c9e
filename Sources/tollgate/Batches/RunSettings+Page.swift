internal import RuleEngine
internal import SDK

/// The facts of pages about a run's settings, and about its rejected lines.
extension RunSettings {
  /// The name of the config's file.
  var configName: String { config == "-" ? "a config" : FilePlace.parts(config).name }

  /// The inputs of decisions other than the config and the users, followed by further facts.
  func facts(_ more: [ReportPage.Fact]) -> [ReportPage.Fact] {
    var facts = [
      ReportPage.Fact("As of", now.text ?? "\(now.milliseconds) ms"),
      ReportPage.Fact("Assigner", assigner),
    ]
    if !seed.isEmpty { facts.append(.init("Seed", seed)) }
    if timeZone != "UTC" { facts.append(.init("Time zone", timeZone)) }
    return facts + more + [.tollgate]
  }
}

extension ReportPage.Fact {
  /// The generator of the page.
  static var tollgate: Self { Self("Tollgate", SDKVersion.current) }
}

extension RejectKinds {
  /// The reasons of rejected lines; nil if no line was rejected.
  ///
  /// - Parameters:
  ///   - lines: the number of rejected lines.
  ///   - files: the names of files, by number.
  func section(_ lines: Int, files: [String], about: String) -> ReportSection? {
    if lines == 0 { return nil }
    var rows = kinds.map { kind in
      let file = files.indices.contains(kind.file) ? files[kind.file] : ""
      let first = files.count > 1 ? "\(file):\(kind.line)" : "line \(grouped(kind.line))"
      return ReportTable.Row([.text(kind.reason), .text(first), .number(kind.lines)])
    }
    if others > 0 { rows.append(.init([.text("other reasons"), .text(""), .number(others)])) }
    return ReportSection(
      id: "refused", title: "Rejected lines", about: about,
      blocks: [
        .table(
          ReportTable(
            columns: [.text("reason"), .text("first"), .number("lines")], rows: rows))
      ])
  }
}
