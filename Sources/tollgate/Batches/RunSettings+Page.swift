internal import RuleEngine
internal import SDK

/// What pages say of a run's settings, and of lines that it has refused.
extension RunSettings {
  /// The name of the config's file.
  var configName: String { config == "-" ? "a config" : FilePlace.parts(config).name }

  /// What decisions depend on beside config and users; then more.
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
  /// What has made the page.
  static var tollgate: Self { Self("Tollgate", SDKVersion.current) }
}

extension RejectKinds {
  /// Why lines were refused; nil when none were.
  ///
  /// - Parameters:
  ///   - lines: how many they are.
  ///   - files: by their numbers.
  func section(_ lines: Int, files: [String], about: String) -> ReportSection? {
    if lines == 0 { return nil }
    var rows = kinds.map { kind in
      let file = files.indices.contains(kind.file) ? files[kind.file] : ""
      let first = files.count > 1 ? "\(file):\(kind.line)" : "line \(grouped(kind.line))"
      return ReportTable.Row([.text(kind.reason), .text(first), .number(kind.lines)])
    }
    if others > 0 { rows.append(.init([.text("other reasons"), .text(""), .number(others)])) }
    return ReportSection(
      id: "refused", title: "Refused lines", about: about,
      blocks: [
        .table(
          ReportTable(
            columns: [.text("reason"), .text("first"), .number("lines")], rows: rows))
      ])
  }
}
