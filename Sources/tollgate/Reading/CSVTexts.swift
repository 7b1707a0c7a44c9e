internal import Expressions
internal import RuleEngine
internal import RuleInsight

/// String cells of CSV that look like other values, as databases write them.
struct CSVTexts: Hashable, Sendable {
  enum Kind: String, CaseIterable, Sendable {
    case bools, nulls, numbers, json
    /// Numbers in quotes, which are reported if rules treat the column as numbers.
    case quoted

    /// The kind of an unquoted string cell; nil for most cells.
    init?(_ content: [UInt8]) {
      // Longer cells cannot be any of the words.
      guard content.count <= 9, let first = content.first else { return nil }
      switch first {
      case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "T"), UInt8(ascii: "F"):
        guard content.count == 1 else { return nil }
        self = .bools
      case UInt8(ascii: "n"), UInt8(ascii: "N"), UInt8(ascii: "\\"), UInt8(ascii: "i"),
        UInt8(ascii: "I"), UInt8(ascii: "-"), UInt8(ascii: "+"):
        switch String(decoding: content, as: UTF8.self) {
        case "NULL", "Null", "\\N": self = .nulls
        case "NaN", "nan", "Infinity", "-Infinity", "+Infinity", "inf", "-inf", "Inf", "-Inf":
          self = .numbers
        default: return nil
        }
      default: return nil
      }
    }

    /// A description of the cells, and advice.
    var text: (what: String, advice: String) {
      switch self {
      case .bools: ("t or f", "export booleans as true and false")
      case .nulls: ("NULL or \\N", "leave the cell empty if the value is missing")
      case .numbers: ("NaN or Infinity", "such numbers are not supported; leave the cell empty")
      case .json: ("that begin like JSON but are not JSON", "export them as JSON")
      case .quoted:
        ("in quotes with a number", "rules compare it with numbers; export numbers without quotes")
      }
    }
  }

  /// The number of cells of each kind, by the column's name.
  private(set) var counts: [String: [Kind: Int]] = [:]
  /// The number of cells with a number in quotes, by the column's number, until ``settle(_:)``. If every cell is
  /// quoted, looking up a name for each cell would be too slow.
  private var quoted: [Int] = []

  var isEmpty: Bool { counts.isEmpty }

  /// Counts a cell with a number in quotes.
  mutating func addQuoted(column: Int, of columns: Int) {
    if quoted.isEmpty { quoted = Array(repeating: 0, count: columns) }
    quoted[column] += 1
  }

  /// Moves the counts by column number to the counts by column name.
  mutating func settle(_ names: [String]) {
    for (name, cells) in zip(names, quoted) where cells > 0 { add(.quoted, column: name, cells) }
    quoted = []
  }

  mutating func add(_ kind: Kind, column: String, _ cells: Int = 1) {
    counts[column, default: [:]][kind, default: 0] += cells
  }

  mutating func add(_ other: CSVTexts) {
    for (column, kinds) in other.counts {
      for (kind, cells) in kinds { add(kind, column: column, cells) }
    }
  }

  /// A line for each column and kind.
  func notes(_ ruleSet: RuleSet, now: Instant) -> [String] {
    let hasQuoted = counts.contains { $0.value[.quoted] != nil }
    let numeric = hasQuoted ? NumericAttributes(ruleSet, now: now) : nil
    return counts.sorted { $0.key < $1.key }.flatMap { column, kinds in
      Kind.allCases.compactMap { kind -> String? in
        let path = column.split(separator: ".").map(String.init)
        guard kind != .quoted || numeric?.contains(path) == true else { return nil }
        return kinds[kind].map { cells in
          DiagnosticText.visible(
            "note: column \(column) has \(counted(cells, "cell")) \(kind.text.what), which "
              + "\(cells == 1 ? "is a string" : "are strings"): \(kind.text.advice)")
        }
      }
    }
  }

  // MARK: Checkpoints

  var value: Value {
    .list(
      counts.sorted { $0.key < $1.key }.flatMap { column, kinds in
        Kind.allCases.compactMap { kind in
          kinds[kind].map { cells in
            [
              "column": .string(column), "kind": .string(kind.rawValue),
              "cells": .int(Int64(cells)),
            ]
          }
        }
      })
  }

  init() {}

  /// Reads counts in the form of ``value``. Fails for any other value.
  init?(_ value: Value) {
    guard let entries = value.elements else { return nil }
    for entry in entries {
      guard let column = entry["column"]?.text, case .int(let cells)? = entry["cells"],
        let kind = entry["kind"]?.text.flatMap({ Kind(rawValue: $0) })
      else { return nil }
      add(kind, column: column, Int(cells))
    }
  }
}
