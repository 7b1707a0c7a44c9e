package import Expressions

extension AttributeSweep.Outcome {
  /// `{"result", "audience", "variant", "paywall"}`
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
  /// `{"path", "now"?, "stretches": [{"from"?, "after"?, "to"?, "before"?, "outcome"}], "values":
  /// [{"value"?, "absent"?, "others"?, "outcome"}], "partial"?}`; bounds that are left out are open.
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

  /// A line for each stretch and value.
  package var text: String {
    var rows: [(range: String, outcome: String, isOwn: Bool)] = []
    for stretch in stretches {
      rows.append((stretch.text, stretch.outcome.text, stretch.isOwn))
    }
    for single in singles {
      let value = single.value?.json ?? "not there"
      let kind = single.value == nil ? value : single.isAnyOther ? "any other text" : value
      rows.append((kind, single.outcome.text, single.isOwn))
    }
    let width = min(48, rows.map(\.range.count).max() ?? 0)
    let now = own.map { "now \($0.json)" } ?? "now not there"
    var lines = ["\(path) (\(now))"]
    for row in rows {
      let padding = String(repeating: " ", count: max(0, width - row.range.count))
      lines.append(
        "  \(row.range)\(padding)  \(row.outcome)" + (row.isOwn ? "  <- this user" : ""))
    }
    if isPartial {
      lines.append(
        "  (between these values there may be others: not all conditions on it are understood)")
    }
    return lines.joined(separator: "\n")
  }
}

extension AttributeSweep.Stretch {
  fileprivate var text: String {
    switch (from, to) {
    case (nil, nil): return isOfTexts ? "any text" : "any number"
    case (nil, let to?): return isBefore ? "less than \(to.json)" : "up to \(to.json)"
    case (let from?, nil): return isAfter ? "more than \(from.json)" : "from \(from.json)"
    case (let from?, let to?):
      if from == to, !isAfter, !isBefore { return from.json }
      let first = isAfter ? "more than \(from.json)" : "from \(from.json)"
      return isBefore ? "\(first), less than \(to.json)" : "\(first) to \(to.json)"
    }
  }
}
