internal import Expressions

extension ReportPage {
  /// The page: one self-contained file that makes no requests.
  func html() throws -> [UInt8] {
    let text = try RenderedText(
      ReportTemplates.page, parts: ReportTemplates.parts, ["page": labelled], escaping: .html)
    guard text.isComplete, text.errors.isEmpty else {
      throw CommandError(
        "the report is too large: name fewer placements with --placement")
    }
    return text.withBytes { Array($0) }
  }

  /// The page with a set of labels for each kind of table. On a narrow screen, a row is a block that labels its own
  /// numbers.
  private var labelled: Value {
    var sets: [[String]] = []
    var sections = sections
    for section in sections.indices {
      for block in sections[section].blocks.indices {
        guard case .table(var table) = sections[section].blocks[block],
          table.stacks, table.columns.allSatisfy(\.isLabel)
        else { continue }
        let names = table.columns.map(\.name)
        let number = sets.firstIndex(of: names) ?? sets.count
        if number == sets.count { sets.append(names) }
        table.set = "k k\(number)"
        sections[section].blocks[block] = .table(table)
      }
    }
    var page = self
    page.sections = sections
    let labels = sets.enumerated().flatMap { number, names in
      names.enumerated().dropFirst().filter { !$0.element.isEmpty }.map { column, name in
        Value.object([
          "set": .string("k\(number)"), "column": .int(Int64(column + 1)), "name": .string(name),
        ])
      }
    }
    return page.value(labels: labels)
  }
}

extension ReportTable.Column {
  /// Whether the name is allowed in a style sheet.
  fileprivate var isLabel: Bool {
    name.utf8.allSatisfy { byte in
      byte == UInt8(ascii: " ") || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
    }
  }
}

extension ReportOptions {
  /// Writes the page and reports it, if a page was requested. Otherwise the page is not created.
  func write(_ page: @autoclosure () throws -> ReportPage, isQuiet: Bool) throws {
    guard let report else { return }
    try SavedFile.write(page().html(), to: report)
    if !isQuiet { FileText.printError("Report: \(report)") }
  }
}
