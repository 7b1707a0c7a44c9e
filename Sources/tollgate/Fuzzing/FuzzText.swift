internal import Expressions
internal import RuleEngine
internal import RuleInsight

/// The results of a search for users that break invariants, in text form and as JSON.
enum FuzzText {
  static func counts(_ counts: FuzzCounts) -> String {
    counted(counts.users, "user")
      + (counts.histories > 0
        ? ", \(counted(counts.histories, "history", plural: "histories"))" : "")
  }

  static func text(_ report: FuzzReport) -> String {
    var lines: [String] = []
    for (number, invariant) in report.plan.invariants.enumerated() {
      let runs = Self.runs(report.counts, invariant.span)
      switch report.verdict(number) {
      case .broken(let broken):
        lines.append("FAILED  \(invariant.name)")
        lines += Self.lines(broken, invariant, report)
      case .brokenByOddUsers(let broken):
        lines.append("odd     \(invariant.name)")
        lines += Self.lines(broken, invariant, report)
      case .proved: lines.append("proved  \(invariant.name)" + never(number, report, runs))
      case .provedForUsual:
        lines.append(
          "proved  \(invariant.name), if attributes have the types that they are compared with"
            + never(number, report, runs))
      case .held:
        let (applied, errors) = report.applied(number)
        lines.append(
          "held    \(invariant.name), in \(runs)"
            + (invariant.when == nil ? "" : ", applied \(grouped(applied)) times")
            + (errors > 0 ? "; 'when' failed \(grouped(errors)) times" : ""))
      case .neverMeant:
        lines.append(
          "vacuous \(invariant.name), never applied: 0 of \(runs)"
            + (report.applied(number).whenErrors > 0 ? "; 'when' failed each time" : ""))
      }
    }
    lines += ownLines(report)
    return lines.map(DiagnosticText.visible).joined(separator: "\n")
  }

  /// The text for an invariant that was never broken because it applied to no user.
  private static func never(_ number: Int, _ report: FuzzReport, _ runs: String) -> String {
    report.applied(number).count == 0 ? "; never applied: 0 of \(runs)" : ""
  }

  private static func runs(_ counts: FuzzCounts, _ span: RuleInvariant.Span) -> String {
    span == .history
      ? counted(counts.histories, "history", plural: "histories") : counted(counts.users, "user")
  }

  private static func lines(
    _ broken: FuzzReport.Broken, _ invariant: RuleInvariant, _ report: FuzzReport
  ) -> [String] {
    var lines = ["  user \(broken.record.json)"]
    if !broken.unusual.isEmpty {
      lines.append(
        "  only where \(listed(broken.unusual, "and")) "
          + "\(broken.unusual.count == 1 ? "is" : "are") of another type than the values that "
          + "conditions compare it with"
      )
    }
    if let error = broken.error { lines.append("  'holds' fails: \(error)") }
    if let test = broken.test, let (got, reasons) = report.explained(test) {
      lines.append("  \(got)")
      lines += reasons
    }
    for shown in broken.shown {
      let paywall = shown["paywall"]?.text.map { " \($0)" } ?? ""
      lines.append(
        "  \(shown["at"]?.text ?? "")  \(shown["placement"]?.text ?? ""): "
          + "\(shown["result"]?.text ?? "")\(paywall)")
    }
    return lines
  }

  private static func ownLines(_ report: FuzzReport) -> [String] {
    var lines: [String] = []
    var held = 0
    for invariant in report.ownInvariants {
      guard let broken = report.failure(invariant) else {
        held += 1
        continue
      }
      lines.append("FAILED  \(invariant.title): an internal error. \(Signals.reporting)")
      lines.append("  user \(broken.record.json)")
      lines.append("  expected \(broken.expected ?? "")")
      lines.append("  got      \(broken.got ?? "")")
    }
    lines.append(
      "held    \(counted(held, "invariant")) of Tollgate's own, in \(counts(report.counts))")
    return lines
  }

  // MARK: JSON

  static func value(_ report: FuzzReport) -> Value {
    let invariants = report.plan.invariants.indices.map { number -> Value in
      let invariant = report.plan.invariants[number]
      let (word, broken): (String, FuzzReport.Broken?) =
        switch report.verdict(number) {
        case .broken(let broken): ("broken", broken)
        case .brokenByOddUsers(let broken): ("odd", broken)
        case .proved: ("proved", nil)
        case .provedForUsual: ("provedForUsual", nil)
        case .held: ("held", nil)
        case .neverMeant: ("vacuous", nil)
        }
      let (applied, errors) = report.applied(number)
      return .members([
        "name": .string(invariant.name), "over": .string(invariant.span.rawValue),
        "verdict": .string(word), "meant": .int(Int64(applied)),
        "whenErrors": .int(Int64(errors)), "user": broken?.record,
        "placement": (broken?.test?.placement).map { .string($0) },
        "error": broken?.error.map { .string($0) },
        "unusual": broken.flatMap {
          $0.unusual.isEmpty ? nil : .list($0.unusual.map { .string($0) })
        },
        "shown": broken.flatMap { $0.shown.isEmpty ? nil : .list($0.shown) },
      ])
    }
    let own = report.ownInvariants.map { invariant -> Value in
      let broken = report.failure(invariant)
      return .members([
        "name": .string(invariant.rawValue), "verdict": broken == nil ? "held" : "broken",
        "user": broken?.record, "expected": broken?.expected.map { .string($0) },
        "got": broken?.got.map { .string($0) },
      ])
    }
    return .object([
      "users": .int(Int64(report.counts.users)), "histories": .int(Int64(report.counts.histories)),
      "invariants": .list(invariants), "own": .list(own),
    ])
  }
}
