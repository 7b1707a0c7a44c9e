internal import Expressions

/// A page that tells the numbers of a command: sections of cards, findings, tables with charts in
/// them and command lines. A command makes this value from its counts; ``html()`` makes the page of
/// it, which needs nothing beside itself.
///
/// Texts are texts: whatever they hold is escaped where the page is written.
///
///     var page = ReportPage(title: "Differences", facts: [.init("config", path)])
///     page.sections = [
///       ReportSection(
///         id: "moved", title: "Who moves",
///         blocks: [
///           .table(ReportTable(columns: [.text("placement"), .number("users")], rows: rows))
///         ])
///     ]
///     try reporting.write(page, isQuiet: quiet)
///
/// A command that makes pages has the options ``ReportOptions``, and asks them to check the file
/// before it begins.
struct ReportPage {
  /// Something that the page is about, below its title.
  struct Fact {
    var name: String
    var value: String

    init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  var title: String
  var facts: [Fact] = []
  var sections: [ReportSection] = []
}

/// A part of a page with a heading.
struct ReportSection {
  /// The anchor, unique on the page: letters and digits.
  var id: String
  var title: String
  /// What the section answers, in a sentence.
  var about = ""
  /// The placement that it is about; filtering for others hides it.
  var placement: String?
  var blocks: [ReportBlock] = []
}

/// What stands in a section.
enum ReportBlock {
  case text(String)
  case cards([ReportCard])
  case findings([ReportFinding])
  case table(ReportTable)
  case chart(ReportChart)
  case commands(ReportCommands)
}

/// How something is to be taken, by its class in the style sheet. Colors never say it alone: a word
/// or a number stands beside them.
enum ReportTone: String {
  case plain, good, warning, bad
  /// What charts show: a paywall, a holdout, nothing, something else.
  case first = "f"
  case second = "s"
  case none = "e"
  case other = "o"
  /// What is won, where ``other`` is lost.
  case won = "p"
  /// Parts of a funnel: who stays, and who leaves.
  case narrow = "r"
  case wide = "w"
  /// A line across a bar, where something was expected.
  case tick = "t"
  /// Steps from little to much.
  case step1 = "q1"
  case step2 = "q2"
  case step3 = "q3"
  case step4 = "q4"
  case step5 = "q5"
}

/// One number that matters.
struct ReportCard {
  var name: String
  var value: String
  var note = ""
}

/// Something that somebody should look at, or that is as it should be.
struct ReportFinding {
  var tone: ReportTone
  var text: String
  /// The anchor of the section that has the numbers.
  var section: String?
  var placement: String?
}

/// Command lines to paste.
struct ReportCommands {
  struct Command {
    var purpose: String
    var lines: [String]

    init(purpose: String, lines: [String]) {
      self.purpose = purpose
      self.lines = lines
    }

    init(purpose: String, line: String) { self.init(purpose: purpose, lines: [line]) }
  }

  var title: String
  var commands: [Command]
}

/// Rows of numbers, texts and bars.
struct ReportTable {
  struct Column {
    var name: String
    /// Its class in the style sheet; columns of numbers have none.
    fileprivate var form: String?

    static func text(_ name: String) -> Column { Column(name: name, form: "l") }
    static func number(_ name: String) -> Column { Column(name: name) }
    static func bar(_ name: String) -> Column { Column(name: name, form: "g") }
  }

  /// A part of a bar; shares are from 0 to 1.
  struct Part {
    var tone: ReportTone
    var from: Double
    var to: Double

    /// Parts one behind the other, of a bar that is so much long.
    static func stacked(_ counts: [(count: Int, tone: ReportTone)], of all: Int) -> [Part] {
      var from = 0
      return counts.map { count, tone in
        defer { from += count }
        return Part(
          tone: tone, from: ReportNumber.share(from, of: all),
          to: ReportNumber.share(from + count, of: all))
      }
    }
  }

  enum Cell {
    case text(String)
    case code(String)
    /// Something with what it is made of below.
    case named(String, code: String)
    /// Something with what is to be said of it below.
    case noted(String, String)
    case number(Int)
    /// A number that is written already.
    case count(String)
    case share(Double)
    case link(String, section: String)
    case mark(ReportTone, String)
    case bar([Part])
    /// Bars over time.
    case chart(ReportChart)
    /// A number in a matrix, the darker the larger its share from 0 to 1 is; a nil share is that of what
    /// stays.
    case shaded(Int, Double?)
    /// Lines that are gone, and lines that are new.
    case lines(gone: [String], new: [String])
  }

  struct Row {
    var cells: [Cell]
    var placement: String?

    init(_ cells: [Cell], placement: String? = nil) {
      self.cells = cells
      self.placement = placement
    }
  }

  /// What the table shows; nil where the section's title says it.
  var title: String?
  var columns: [Column]
  var rows: [Row]
  /// What the colors of bars stand for.
  var legend: [(tone: ReportTone, name: String)] = []
  /// Whether it is folded away until somebody asks; it needs a title then.
  var isFolded = false
  /// What stands below it.
  var note = ""
  /// Whether rows become blocks on a narrow screen; otherwise the table is moved sideways.
  var stacks = true
  /// The classes that its columns' names are known by in the style sheet.
  var set: String?
}

// MARK: For templates

extension ReportPage {
  /// The page as its template reads it.
  ///
  /// - Parameter labels: of ``html()``.
  func value(labels: [Value]) -> Value {
    var placements: [String] = []
    var seen: Set<String> = []
    for section in sections {
      if let name = section.placement, seen.insert(name).inserted { placements.append(name) }
    }
    return .object([
      "title": .text(title),
      "facts": .list(facts.map { .object(["name": .text($0.name), "value": .text($0.value)]) }),
      "placements": .list(placements.map(Value.text)), "sections": .list(sections.map(\.value)),
      "labels": .list(labels),
    ])
  }
}

extension ReportSection {
  fileprivate var value: Value {
    .members([
      "id": .text(id), "title": .text(title), "about": about.isEmpty ? nil : .text(about),
      "placement": placement.map(Value.text), "blocks": .list(blocks.map(\.value)),
    ])
  }
}

extension ReportBlock {
  fileprivate var value: Value {
    switch self {
    case .text(let text): .object(["kind": "text", "text": .text(text)])
    case .cards(let cards):
      .object([
        "kind": "cards",
        "cards": .list(
          cards.map {
            .members([
              "name": .text($0.name), "value": .text($0.value),
              "note": $0.note.isEmpty ? nil : .text($0.note),
            ])
          }),
      ])
    case .findings(let findings):
      .object(["kind": "findings", "findings": .list(findings.map(\.value))])
    case .table(let table): .object(["kind": "table", "table": table.value])
    case .chart(let chart): .object(["kind": "chart", "chart": chart.value])
    case .commands(let commands):
      .object([
        "kind": "commands", "title": .text(commands.title),
        "commands": .list(
          commands.commands.map {
            .object(["purpose": .text($0.purpose), "lines": .list($0.lines.map(Value.text))])
          }),
      ])
    }
  }
}

extension ReportFinding {
  fileprivate var value: Value {
    .members([
      "tone": .string(tone.rawValue), "text": .text(text), "section": section.map(Value.text),
      "placement": placement.map(Value.text),
    ])
  }
}

extension ReportTable {
  fileprivate var value: Value {
    .members([
      "title": title.map(Value.text), "set": set.map { .string($0) },
      "folded": isFolded ? true : nil,
      "note": note.isEmpty ? nil : .text(note),
      "columns": .list(
        columns.map { .members(["name": .text($0.name), "form": $0.form.map { .string($0) }]) }),
      "legend": .list(
        legend.map { .object(["tone": .string($0.tone.rawValue), "name": .text($0.name)]) }),
      "rows": .list(
        rows.map {
          .members([
            "cells": .list($0.cells.map(\.value)), "placement": $0.placement.map(Value.text),
          ])
        }),
    ])
  }
}

extension ReportTable.Cell {
  fileprivate var value: Value {
    switch self {
    case .text(let text): .object(["text": .text(text)])
    case .code(let text): .object(["code": .text(text)])
    case .named(let name, let code): .object(["text": .text(name), "code": .text(code)])
    case .noted(let text, let note): .object(["text": .text(text), "note": .text(note)])
    case .count(let text): .object(["number": .text(text)])
    case .number(let number): .object(["number": .string(grouped(number))])
    case .share(let share): .object(["number": .string(ReportNumber.percent(share))])
    case .link(let text, let section): .object(["text": .text(text), "section": .text(section)])
    case .mark(let tone, let text):
      .object(["tone": .string(tone.rawValue), "text": .text(text)])
    case .chart(let chart): .object(["chart": chart.cellValue])
    case .shaded(let number, let share):
      .object([
        "number": .string(number == 0 ? "" : grouped(number)), "shade": .string(Self.shade(share)),
      ])
    case .lines(let gone, let new):
      .object(["gone": .list(gone.map(Value.text)), "new": .list(new.map(Value.text))])
    case .bar(let parts):
      .object([
        "parts": .list(
          parts.filter { $0.to > $0.from }.map {
            .members([
              "tone": .string($0.tone.rawValue),
              "from": $0.from > 0 ? .string(ReportNumber.length($0.from)) : nil,
              "width": .string(ReportNumber.length($0.to - $0.from)),
            ])
          })
      ])
    }
  }
}

extension ReportTable.Cell {
  /// The class of a cell of a matrix.
  private static func shade(_ share: Double?) -> String {
    guard let share else { return "st" }
    return share == 0 ? "h0" : share < 0.05 ? "h1" : share < 0.2 ? "h2" : share < 0.5 ? "h3" : "h4"
  }
}

extension Value {
  /// A text that every reader of XML takes: control characters and what turns the direction of
  /// others are shown as U+FFFD.
  static func text(_ text: String) -> Value {
    let visible = DiagnosticText.visible(text)
    let isPlain = visible.unicodeScalars.allSatisfy { $0.value & 0xFFFE != 0xFFFE }
    if isPlain { return .string(visible) }
    return .string(
      String(
        String.UnicodeScalarView(
          visible.unicodeScalars.map { $0.value & 0xFFFE == 0xFFFE ? "\u{FFFD}" : $0 })))
  }
}
