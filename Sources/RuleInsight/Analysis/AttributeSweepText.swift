package import Expressions
internal import RuleEngine

extension AttributeSweep.Outcome {
  /// The outcome as JSON: `{"result", "audience", "variant", "paywall"}`.
  package var value: Value {
    .object([
      "result": .string(result), "audience": audience.map { .int(Int64($0)) } ?? .null,
      "variant": variant.map { .string($0) } ?? .null,
      "paywall": paywall.map { .string($0) } ?? .null,
    ])
  }

  package var text: String {
    let place = label.map { "audience \($0), " } ?? ""
    let shown = variant.map { " (variant \($0))" } ?? ""
    return switch result {
    case "paywall": "\(place)paywall \(paywall ?? "")\(shown)"
    case "holdout": "\(place)holdout\(shown)"
    case "noAudienceMatch": "no audience matches"
    default: "\(place)\(result)"
    }
  }
}

extension AttributeSweep {
  /// The sweep as JSON: `{"path", "now"?, "stretches": [{"from"?, "after"?, "to"?, "before"?,
  /// "startsWith"?, "outcome"}], "values": [{"value"?, "absent"?, "others"?, "outcome"}],
  /// "partial"?}`. A stretch without a bound is open on that side.
  package var value: Value {
    .members([
      "path": .string(path), "now": own,
      "stretches": .list(
        stretches.map { stretch in
          .members([
            "from": stretch.isAfter ? nil : stretch.from,
            "after": stretch.isAfter ? stretch.from : nil,
            "to": stretch.isBefore ? nil : stretch.to,
            "before": stretch.isBefore ? stretch.to : nil,
            "startsWith": stretch.prefix.map { .string($0) },
            "outcome": stretch.outcome.value,
          ])
        }),
      "values": .list(
        singles.map { single in
          .members([
            "value": single.value, "absent": single.value == nil ? true : nil,
            "others": single.isAnyOther ? true : nil, "outcome": single.outcome.value,
          ])
        }),
      "partial": isPartial ? true : nil,
    ])
  }

  private struct Row {
    var range: String
    var outcome: String
    var isOwn: Bool
  }

  /// A line for each stretch and value, or a single line if all outcomes are the same.
  package var text: String {
    let now = own.map { "now \($0.json)" } ?? "now missing"
    var lines = ["\(path) (\(now))"]
    let rows =
      textRows + singles.map { Row(range: $0.text, outcome: $0.outcome.text, isOwn: $0.isOwn) }
    if let first = rows.first, rows.allSatisfy({ $0.outcome == first.outcome }) {
      lines.append(
        isPartial
          ? "  the outcome is the same for all values that were tried: \(first.outcome)"
          : "  changes nothing: always \(first.outcome)")
    } else {
      lines += Self.lines(rows)
    }
    if isPartial {
      lines.append(
        "  (values between these may give other outcomes: the conditions are only partly understood)"
      )
    }
    return lines.joined(separator: "\n")
  }

  private static func lines(_ rows: [Row]) -> [String] {
    let width = min(48, rows.map { $0.range.count }.max() ?? 0)
    return rows.map { row in
      let padding = String(repeating: " ", count: max(0, width - row.range.count))
      return "  \(row.range)\(padding)  \(row.outcome)" + (row.isOwn ? "  <- this user" : "")
    }
  }

  /// The stretches. Strings that no condition names are merged into one row if their outcomes are
  /// the same, because the order of strings is meaningless if no condition uses it.
  private var textRows: [Row] {
    func row(_ stretch: Stretch) -> Row {
      Row(range: stretch.text, outcome: stretch.outcome.text, isOwn: stretch.isOwn)
    }
    let named = stretches.filter { !$0.isOfTexts || $0.isNamed }
    let others = stretches.filter { $0.isOfTexts && !$0.isNamed }
    guard let first = others.first, others.count > 1,
      others.allSatisfy({ $0.outcome == first.outcome })
    else { return stretches.map(row) }
    let other = Row(
      range: "any other string", outcome: first.outcome.text,
      isOwn: others.contains(where: { $0.isOwn }))
    return named.map(row) + [other]
  }
}

extension AttributeSweep.Single {
  fileprivate var text: String {
    guard let value else { return "missing" }
    return isAnyOther ? "any other string" : value.json
  }
}

extension AttributeSweep.Stretch {
  /// Whether the stretch is a single string, or has a prefix.
  fileprivate var isNamed: Bool { prefix != nil || from != nil && from == to }

  fileprivate var text: String {
    if let prefix { return "starts with \(Value.string(prefix).json)" }
    if let prefixBefore {
      let first = "after all strings that start with \(Value.string(prefixBefore).json)"
      guard let to else { return first }
      return "\(first), " + (isBefore ? "before \(to.json)" : "up to \(to.json)")
    }
    switch (from, to) {
    case (nil, nil): return isOfTexts ? "any text" : "any number"
    case (nil, let to?):
      return isBefore ? "\(isOfTexts ? "before" : "less than") \(to.json)" : "up to \(to.json)"
    case (let from?, nil):
      return isAfter ? "\(isOfTexts ? "after" : "more than") \(from.json)" : "from \(from.json)"
    case (let from?, let to?):
      if from == to, !isAfter, !isBefore { return from.json }
      let first =
        isAfter ? "\(isOfTexts ? "after" : "more than") \(from.json)" : "from \(from.json)"
      guard isBefore else { return "\(first) to \(to.json)" }
      return "\(first), \(isOfTexts ? "before" : "less than") \(to.json)"
    }
  }
}
