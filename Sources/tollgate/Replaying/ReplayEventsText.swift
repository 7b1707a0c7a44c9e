internal import CivilTime
internal import Expressions
internal import RuleEngine

/// The report of `replay --events`.
struct ReplayEventsReport {
  let tally: ReplayTally
  /// The number of differences that are explained.
  let shown: Int

  /// Whether rows were compared and none differed. If no row could be compared, nothing was confirmed.
  var isClean: Bool {
    tally.all.rows > 0 && tally.all.reproduced == tally.all.rows
      && !tally.balances.verdicts.contains(where: \.isMismatch)
  }

  /// Names the first rows that cannot be read, on standard error.
  func tellRejected(_ name: String) {
    for row in tally.rejectedExamples {
      FileText.printError(DiagnosticText.visible("warning: \(name):\(row.line): \(row.reason)"))
    }
    let rest = tally.rejected - tally.rejectedExamples.count
    if rest > 0 { FileText.printError("... and \(counted(rest, "row")) more that cannot be read") }
  }

  // MARK: Text

  func text(_ style: TextStyle) -> String {
    let days = tally.days.map { ", \(Self.day($0.lowerBound)) to \(Self.day($0.upperBound))" } ?? ""
    var lines = [
      "\(grouped(tally.all.reproduced)) of \(counted(tally.all.rows, "decision")) reproduced"
        + " (\(ReportNumber.percent(tally.all.reproduced, of: tally.all.rows)))\(days)"
    ]
    lines += notCompared.map { "  " + $0 }
    for (title, counts) in [
      ("SDK", tally.byVersion), ("placement", tally.byPlacement),
      ("recorded result", tally.byResult),
    ] where !counts.isEmpty {
      lines += [""] + Self.table(title, counts, style)
    }
    lines += differences(style)
    if !tally.balances.isEmpty { lines += [""] + balances(style) }
    return lines.map { DiagnosticText.visible($0) }.joined(separator: "\n")
  }

  private static func table(
    _ title: String, _ counts: [String: ReplayTally.Count], _ style: TextStyle
  ) -> [String] {
    let rows = counts.sorted { ($1.value.rows, $0.key) < ($0.value.rows, $1.key) }
    return TextTable(
      rows: [[title, "decisions", "reproduced", ""]]
        + rows.map { name, count in
          [
            name, grouped(count.rows), grouped(count.reproduced),
            ReportNumber.percent(count.reproduced, of: count.rows),
          ]
        }
    ).lines(style)
  }

  /// A line for each reason why rows are not compared.
  private var notCompared: [String] {
    var lines = tally.passed.sorted { ($1.value, "\($0.key)") < ($0.value, "\($1.key)") }.map {
      "\(counted($0.value, "row")) not compared: \($0.key.text)"
    }
    if tally.rejected > 0 { lines.append("\(counted(tally.rejected, "row")) cannot be read") }
    if tally.withoutPlatform > 0 {
      lines.append(
        "\(counted(tally.withoutPlatform, "row")) without a known platform: decided as iOS")
    }
    if tally.withoutVersion > 0 {
      lines.append(
        "\(counted(tally.withoutVersion, "row")) without a readable SDK version: decided as the newest version"
      )
    }
    if tally.newer > 0 {
      lines.append(
        "\(counted(tally.newer, "row")) of SDK versions newer than all that are known: decided as the newest version"
      )
    }
    return lines
  }

  private func differences(_ style: TextStyle) -> [String] {
    guard !tally.differences.isEmpty else { return [] }
    let sorted = tally.differences.sorted { ($1.rows, $0.line) < ($0.rows, $1.line) }
    var lines: [String] = []
    for difference in sorted.prefix(shown) {
      let key = difference.key
      lines += [
        "",
        "\(counted(difference.rows, "row")) at '\(key.placement)': recorded \(key.recorded), decided "
          + key.decided,
        "  first in line \(grouped(difference.line)): '\(difference.userID)', \(difference.sdk)",
      ]
      lines += tally.causes(difference).map { "  \($0)" }
      lines += difference.explanation.split(separator: "\n").map { "  \($0)" }
    }
    let rest =
      sorted.dropFirst(shown).reduce(0) { $0 + $1.rows } + tally.otherDifferences
    if rest > 0 {
      lines += ["", "\(counted(rest, "row")) more that differ; --differences shows more"]
    }
    return lines
  }

  private func balances(_ style: TextStyle) -> [String] {
    let verdicts = tally.balances.verdicts
    var rows = [["experiment", "users", "variants", "chi-square", "p"]]
    var notes: [String] = []
    for verdict in verdicts {
      let experiment = verdict.experiment
      rows.append([
        experiment.id, grouped(experiment.all.users), Self.variants(experiment),
        verdict.fit.map {
          $0.statistic.isFinite ? ReportNumber.decimal($0.statistic, 1) : "infinite"
        } ?? "",
        verdict.fit.map { ReportNumber.probability($0.p) }
          ?? (experiment.all.isOneVariant ? "one variant" : "too few users"),
      ])
      if verdict.isMismatch { notes.append(Self.mismatch(verdict)) }
      if experiment.unknown > 0 {
        notes.append(
          "\(experiment.id): \(counted(experiment.unknown, "user")) with a variant that the config does "
            + "not have")
      }
    }
    if notes.isEmpty { notes = ["All experiments with enough users have their configured shares."] }
    return TextTable(rows: rows, left: [0, 2]).lines(style) + notes
  }

  /// The actual and the expected shares: `v1 50.2 % of 50 %, v2 ...`.
  private static func variants(_ experiment: VariantBalances.Experiment) -> String {
    let sum = experiment.all.expected.reduce(0, +)
    return experiment.variants.indices.map { place in
      guard experiment.all.counts.indices.contains(place) else { return experiment.variants[place] }
      let drawn = ReportNumber.percent(
        experiment.all.counts[place], of: experiment.all.users)
      let share = ReportNumber.percent(sum > 0 ? experiment.all.expected[place] / sum : 0)
      return "\(experiment.variants[place]) \(drawn) of \(share)"
    }.joined(separator: ", ")
  }

  private static func mismatch(_ verdict: VariantBalances.Verdict) -> String {
    var text =
      "warning: \(verdict.experiment.id) does not have its configured shares (sample ratio mismatch)"
    if let since = verdict.since { text += ", since \(day(number: since))" }
    if !verdict.versions.isEmpty { text += ", in " + verdict.versions.joined(separator: ", ") }
    return text
  }

  private static func day(_ time: Instant) -> String { String((time.text ?? "").prefix(10)) }

  private static func day(number: Int) -> String {
    day(Instant(milliseconds: Int64(number) * 86_400_000))
  }

  // MARK: JSON

  var value: Value {
    func counts(_ counts: [String: ReplayTally.Count], _ name: String) -> Value {
      .list(
        counts.sorted { ($1.value.rows, $0.key) < ($0.value.rows, $1.key) }.map { key, count in
          .object([
            name: .string(key), "decisions": .whole(count.rows),
            "reproduced": .whole(count.reproduced),
          ])
        })
    }
    return .object([
      "decisions": .whole(tally.all.rows), "reproduced": .whole(tally.all.reproduced),
      "rejected": .whole(tally.rejected), "withoutPlatform": .whole(tally.withoutPlatform),
      "withoutVersion": .whole(tally.withoutVersion),
      "newerVersions": .whole(tally.newer),
      "notCompared": .list(
        tally.passed.sorted { ($1.value, "\($0.key)") < ($0.value, "\($1.key)") }.map {
          .object(["reason": .string($0.key.text), "rows": .whole($0.value)])
        }),
      "versions": counts(tally.byVersion, "sdk"),
      "placements": counts(tally.byPlacement, "placement"),
      "results": counts(tally.byResult, "result"),
      "differences": .list(tally.differences.map(value)),
      "experiments": .list(tally.balances.verdicts.map(Self.value)),
    ])
  }

  private func value(_ difference: ReplayTally.Difference) -> Value {
    .object([
      "placement": .string(difference.key.placement), "recorded": .string(difference.key.recorded),
      "decided": .string(difference.key.decided), "rows": .whole(difference.rows),
      "line": .whole(difference.line), "userId": .string(difference.userID),
      "sdk": .string(difference.sdk), "missing": .texts(difference.key.missing),
      "notExported": .texts(tally.notExported(difference)),
      "needsHistory": .bool(difference.key.needsHistory),
      "unknown": difference.unknown.map { .string($0) } ?? .null,
      "explanation": .string(difference.explanation),
    ])
  }

  private static func value(_ verdict: VariantBalances.Verdict) -> Value {
    let experiment = verdict.experiment
    return .members([
      "id": .string(experiment.id), "users": .whole(experiment.all.users),
      "variants": .list(
        experiment.variants.indices.filter { $0 < experiment.all.counts.count }.map { place in
          .object([
            "id": .string(experiment.variants[place]),
            "users": .whole(experiment.all.counts[place]),
            "expected": .double(experiment.all.expected[place]),
          ])
        }),
      "unknownVariants": .whole(experiment.unknown),
      "chiSquare": verdict.fit.flatMap { $0.statistic.isFinite ? .double($0.statistic) : nil },
      "p": verdict.fit.map { .double($0.p) },
      "mismatch": .bool(verdict.isMismatch),
      "since": verdict.since.map { .string(day(number: $0)) },
      "versions": verdict.versions.isEmpty ? nil : .texts(verdict.versions),
    ])
  }
}

extension ReplayTally {
  /// Readable reasons why rows of a kind may differ.
  func causes(_ difference: Difference) -> [String] {
    let never = notExported(difference)
    let missing = difference.key.missing.filter { !never.contains($0) }
    var lines = [difference.unknown].compactMap { $0 }
    if !never.isEmpty {
      lines.append("no row of the export has \(never.joined(separator: ", ")), so export it")
    }
    if !missing.isEmpty { lines.append("the row lacks \(missing.joined(separator: ", "))") }
    if difference.key.needsHistory {
      lines.append("it depends on earlier events or presentations, which exports do not contain")
    }
    return lines
  }
}

extension ReplayTally.Passed {
  /// A readable description.
  var text: String {
    switch self {
    case .otherResult(let name): "the result '\(name)' is not decided by rules"
    case .otherBuild(let build): "no --config has the build ID '\(build)'"
    case .noBuild: "the row has no config_build_id, and there are several configs"
    case .undecidable(let reason): "undecidable, as \(reason)"
    case .others: "other reasons"
    }
  }
}
