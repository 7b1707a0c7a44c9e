@testable import Expressions
@testable import RuleBatch
@testable import RuleEngine

/// A config of either format, a zero byte, and records of users, one per line. A user has the same outcome alone and in a
/// batch, first and among similar users, in long lines and in wide ones, twice. The explanation has the outcome of the
/// decision, and the effects follow from the table.
public enum DecideCheck {
  private static let now: Instant = 1_772_366_400_000
  private static let assigner = Assigner.hash(salt: "fuzz")

  public static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let end = bytes.firstIndex(of: 0) else { return }
    guard let config = Config.decode(bytes[..<end]).output,
      let rules = RuleSet.compile(config).output, rules.placementNames.count <= 8
    else { return }
    let lines = bytes[(end + 1)...].split(separator: 0x0A, maxSplits: 7).map { Array($0) }
    for line in lines { check(line, rules) }
    checkWide(lines, rules)
  }

  private static func outcomes(
    _ lines: [[UInt8]], _ rules: RuleSet, layout: OutcomeLayout = .long
  ) -> (lines: [Value], refused: Int) {
    var worker = BatchWorker(
      BatchPlan(rules, now: now, assigner: assigner, layout: layout))
    let output = worker.process(Array(lines.joined(separator: [0x0A])) + [0x0A])
    let values = output.outcomes.split(separator: 0x0A).map { line -> Value in
      guard let value = try? Value.parse(json: line) else {
        fatalError(
          "broken promise: an outcome is no JSON: \(String(decoding: line, as: UTF8.self))")
      }
      return value
    }
    return (values, output.rejected.count)
  }

  private static func check(_ line: [UInt8], _ rules: RuleSet) {
    let clock = HistoryClock(now: now)
    var frame = Frame(for: rules.program)
    var reader = UserRecordReader(rules, at: clock)
    let batch = outcomes([line, line, line], rules)
    do throws(UserRecordReader.Rejection) {
      try reader.read(json: line, into: &frame)
    } catch {
      require(!error.reason.isEmpty, "refused without a reason")
      let isBlank = line.allSatisfy { [0x20, 0x09, 0x0D].contains($0) }
      require(
        batch.lines.isEmpty && (batch.refused == 3 || isBlank), "refused alone, decided in a batch")
      return
    }
    let state = reader.state(now: now)
    var alone: [Value] = []
    for name in rules.placementNames {
      let decision = rules.decide(name, frame: &frame, state: state, assigner: assigner)
      let again = rules.decide(name, frame: &frame, state: state, assigner: assigner)
      let explanation = rules.explain(
        name, frame: &frame, state: state, assigner: assigner, clock: clock)
      _ = explanation.text
      let errors = rules.errors(name, frame: &frame, state: state)
      let outcome = decision.outcomeLine(subjectID: state.subjectID, errors: errors)
      for other in [again, explanation.decision] {
        let told = other.outcomeLine(subjectID: state.subjectID, errors: errors)
        require(told == outcome, "\(outcome.json), and then \(told.json)")
      }
      checkEffects(decision)
      alone.append(outcome)
    }
    let wanted = alone + alone + alone
    require(
      batch.lines == wanted, "alone \(wanted.map(\.json)), in a batch \(batch.lines.map(\.json))")
  }

  /// A request that only asks for the outcome has no more effects than a presentation.
  private static func checkEffects(_ decision: Decision) {
    for table in [EffectTable.ios, .android, .tollgate] {
      let asked = decision.effects(for: .getPresentationResult, table: table)
      let real = decision.effects(for: .presentation, table: table)
      require(asked.count <= real.count, "asking does more than presenting")
    }
  }

  private static func checkWide(_ lines: [[UInt8]], _ rules: RuleSet) {
    let long = outcomes(lines, rules)
    let wide = outcomes(lines, rules, layout: .wide)
    require(long.refused == wide.refused, "other lines are refused in the wide layout")
    let count = rules.placementNames.count
    require(long.lines.count == wide.lines.count * count, "other users in the wide layout")
    for (i, line) in long.lines.enumerated() {
      let row = wide.lines[i / count]
      let isSame = row["userId"] == line["userId"]
      require(isSame, "another user in the wide layout: \(row.json), \(line.json)")
    }
  }
}
