internal import Expressions

/// A page about the numbers of a command: sections of cards, findings, tables with charts, and
/// command lines. A command creates this value from its counts, and ``html()`` turns it into a
/// self-contained page.
///
/// Strings are plain text. All special characters are escaped when the page is written.
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
/// A command that creates pages has the options ``ReportOptions``, which check the file before it
/// begins.
struct ReportPage {
  /// A fact about the page, shown below its title.
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
  /// The question that the section answers, as a sentence.
  var about = ""
  /// The placement of the section. Filtering for other placements hides the section.
  var placement: String?
  var blocks: [ReportBlock] = []
}

/// The content of a section.
enum ReportBlock {
  case text(String)
  case cards([ReportCard])
  case findings([ReportFinding])
  case table(ReportTable)
  case chart(ReportChart)
  case commands(ReportCommands)
}

/// The meaning of an item, by its class in the style sheet. Colors are never the only sign: a word or a number always
/// accompanies a color.
enum ReportTone: String {
  case plain, good, warning, bad
  /// Outcomes in charts: a paywall, a holdout, nothing, another outcome.
  case first = "f"
  case second = "s"
  case none = "e"
  case other = "o"
  /// A gain, with ``other`` as the loss.
  case won = "p"
  /// Parts of a funnel: users that stay, and users that leave.
  case narrow = "r"
  case wide = "w"
  /// A line across a bar for an expected value.
  case tick = "t"
  /// Steps from low to high.
  case step1 = "q1"
  case step2 = "q2"
  case step3 = "q3"
  case step4 = "q4"
  case step5 = "q5"
}

/// An important number.
struct ReportCard {
  var name: String
  var value: String
  var note = ""
}

/// A point to review, or a passed check.
struct ReportFinding {
  var tone: ReportTone
  var text: String
  /// The anchor of the section with the numbers.
  var section: String?
  var placement: String?
}

/// Command lines to copy.
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

/// Rows of numbers, strings and bars.
struct ReportTable {
  struct Column {
    var name: String
    /// The class of the column in the style sheet. Columns of numbers have no class.
    fileprivate var form: String?

    static func text(_ name: String) -> Column { Column(name: name, form: "l") }
    static func number(_ name: String) -> Column { Column(name: name) }
    static func bar(_ name: String) -> Column { Column(name: name, form: "g") }
  }

  /// A part of a bar. Shares are from 0 to 1.
  struct Part {
    var tone: ReportTone
    var from: Double
    var to: Double

    /// Stacked parts of a bar with this total.
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
    /// An item with its components below.
    case named(String, code: String)
    /// An item with a note below.
    case noted(String, String)
    case number(Int)
    /// A number that is already formatted.
    case count(String)
    case share(Double)
    case link(String, section: String)
    case mark(ReportTone, String)
    case bar([Part])
    /// Bars over time.
    case chart(ReportChart)
    /// A number in a matrix. A larger share, from 0 to 1, makes the cell darker. A nil share marks users that stay.
    case shaded(Int, Double?)
    /// Removed and added lines.
    case lines(gone: [String], new: [String])
    /// A text with marked and struck parts.
    case passage([Passage])
  }

  /// A part of a text within one line.
  struct Passage {
    var text: String
    var isMarked = false
    var isStruck = false
    var isNewLine = false
  }

  struct Row {
    var cells: [Cell]
    var placement: String?

    init(_ cells: [Cell], placement: String? = nil) {
      self.cells = cells
      self.placement = placement
    }
  }

  /// The title of the table; nil if the section's title is enough.
  var title: String?
  var columns: [Column]
  var rows: [Row]
  /// The meaning of the bars' colors.
  var legend: [(tone: ReportTone, name: String)] = []
  /// Whether the table is collapsed at first. A collapsed table needs a title.
  var isFolded = false
  /// A note below the table.
  var note = ""
  /// Whether rows become blocks on a narrow screen. Otherwise the table scrolls sideways.
  var stacks = true
  /// The name of the set of classes with which the style sheet labels the columns.
  var set: String?
}

// MARK: For templates

extension ReportPage {
  /// The page in the form for its template.
  ///
  /// - Parameter labels: the labels of ``html()``.
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
    case .passage(let parts):
      .object([
        "passage": .list(
          parts.map {
            .members([
              "text": .text($0.text), "marked": $0.isMarked ? .bool(true) : nil,
              "struck": $0.isStruck ? .bool(true) : nil, "new": $0.isNewLine ? .bool(true) : nil,
            ])
          })
      ])
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
  /// A string that every XML reader accepts. Control characters and characters that change the
  /// direction of others become U+FFFD.
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
