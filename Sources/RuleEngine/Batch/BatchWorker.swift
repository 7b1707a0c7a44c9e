internal import Expressions

/// Decides all placements of a plan for one user after the other. Each thread has its own worker.
///
/// A condition that several audiences share is evaluated once per user.
public struct BatchWorker: ~Copyable {
  /// A line that could not be used.
  public struct RejectedLine: Hashable, Sendable {
    /// Number of the line within the chunk, from 0.
    public var line: Int
    public var reason: String
    public var text: [UInt8]
  }

  /// What came of a chunk of lines.
  public struct Output: Sendable {
    public var tally: Tally
    public var outcomes: [UInt8]
    public var rejected: [RejectedLine]
    /// Lines of the chunk, blank ones included.
    public var lines: Int
  }

  private let plan: BatchPlan
  // Copies of the plan's values: reading them through the plan would count references per user.
  private let program: Program
  private let rules: RuleTable
  private let table: BatchTable
  private let assigner: Assigner
  /// What is known of the current user.
  private var state: DecisionState
  private var frame: Frame
  private var reader: UserRecordReader
  private var walk: CountingWalk

  public init(_ plan: BatchPlan) {
    self.plan = plan
    program = plan.ruleSet.program
    rules = plan.ruleSet.storage.table
    table = plan.table
    assigner = plan.assigner
    state = DecisionState(subjectID: "", now: plan.now)
    frame = Frame(for: plan.ruleSet.program)
    reader = UserRecordReader(plan.ruleSet)
    walk = CountingWalk(plan)
  }

  /// Keys of records that nobody knows, with the number of records that had them.
  public var unknownKeys: [String: Int] { reader.unknownKeys }

  /// Decides for every line of a chunk, which must hold whole lines.
  public mutating func process(_ chunk: [UInt8]) -> Output {
    walk.clearCounts()
    var output = Output(tally: plan.emptyTally, outcomes: [], rejected: [], lines: 0)
    if plan.writesOutcomes { output.outcomes.reserveCapacity(8 * chunk.count) }
    chunk.withUnsafeBufferPointer { bytes in
      var start = 0
      while start < bytes.count {
        let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        process(UnsafeBufferPointer(rebasing: bytes[start..<end]), &output)
        output.lines += 1
        start = end + 1
        if plan.stopsAtRejection, !output.rejected.isEmpty { break }
      }
    }
    walk.addCounts(to: &output.tally)
    return output
  }

  private mutating func process(_ line: UnsafeBufferPointer<UInt8>, _ output: inout Output) {
    if line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { return }
    do throws(UserRecordReader.Rejection) {
      guard line.count <= plan.lineLimit else {
        throw UserRecordReader.Rejection(
          reason: "the line has more than \(plan.lineLimit) bytes, which is the limit")
      }
      try reader.read(line, into: &frame)
    } catch {
      output.tally.rejected += 1
      let place = error.offset.map { " at byte \($0)" } ?? ""
      output.rejected.append(
        RejectedLine(line: output.lines, reason: error.reason + place, text: Array(line)))
      return
    }
    output.tally.users += 1
    decide(&output)
  }

  private mutating func beginUser() {
    walk.beginUser()
    state.occurrences = reader.occurrences
    state.entitlements = reader.ownedEntitlements
    state.sessionStart = reader.sessionStart
  }

  private mutating func decide(_ output: inout Output) {
    beginUser()
    let isWide = plan.writesOutcomes && plan.layout == .wide
    if isWide { appendSubject(to: &output.outcomes) }
    for number in 0..<table.ruleRanges.count {
      let result: BatchTable.Variant
      if let range = table.ruleRanges[number],
        let rule = rules.firstMatch(of: range, program, in: &frame, state, &walk)
      {
        walk.taken(rule)
        result = outcome(of: rule)
      } else {
        result = table.unmatched[number]
      }
      walk.count(result.outcome, at: number)
      if plan.writesOutcomes { write(result.text, to: &output.outcomes) }
    }
    if isWide { output.outcomes += [UInt8(ascii: "}"), UInt8(ascii: "\n")] }
  }

  /// What the current user gets from a rule that applies.
  private func outcome(of number: Int) -> BatchTable.Variant {
    let rule = table.rules[number]
    let first = Int(rule.variants.lowerBound)
    guard !rule.variants.isEmpty else { return rule.withoutVariants }
    if !reader.assignments.isEmpty, let variant = storedVariant(of: number) {
      return table.variants[first + variant]
    }
    if rule.variants.count == 1 { return table.variants[first] }
    let draw = draw(number, rule)
    let variant = table.cumulative.withUnsafeBufferPointer { all in
      WeightTable.variant(
        draw: draw,
        cumulative: UnsafeBufferPointer(rebasing: all[first..<first + rule.variants.count]))
    }
    return variant.map { table.variants[first + $0] } ?? rule.withoutVariants
  }

  private func storedVariant(of rule: Int) -> Int? {
    let stored = rules.withExperiment(of: rules.rows[rule]) { experiment in
      reader.assignments.last { $0.experimentID.utf8.elementsEqual(experiment) }
    }
    guard let stored else { return nil }
    return plan.ruleSet.rules[rule].audience.variants.firstIndex {
      $0.id.utf8.elementsEqual(stored.variantID.utf8)
    }
  }

  private func draw(_ number: Int, _ rule: BatchTable.Rule) -> Double {
    switch assigner {
    case .draw(let fraction): return fraction * rule.drawRange
    case .hash: return fraction(rule) * rule.drawRange
    case .djb2:
      return withUnsafePointer(to: reader.subject) { subject in
        rules.withExperiment(of: rules.rows[number]) { experiment in
          DJB2.draw(experiment: experiment, subject: subject.textBytes, range: rule.drawRange)
        }
      }
    }
  }

  private func fraction(_ rule: BatchTable.Rule) -> Double {
    withUnsafePointer(to: reader.subject) { subject in
      let subject = subject.textBytes
      let count = rule.prefix.count
      return withUnsafeTemporaryAllocation(
        byteCount: count + 4 + subject.count, alignment: 8
      ) { buffer in
        table.prefixes.withUnsafeBytes { prefixes in
          guard let from = prefixes.baseAddress, count > 0 else { return }
          buffer.baseAddress?.copyMemory(
            from: from + Int(rule.prefix.lowerBound), byteCount: count)
        }
        return Assigner.fraction(buffer, prefix: count, subject: subject)
      }
    }
  }

  private func appendSubject(to outcomes: inout [UInt8]) {
    JSONWriter.append("{\"userId\":", to: &outcomes)
    withUnsafePointer(to: reader.subject) {
      JSONWriter.append(quoted: $0.textBytes, to: &outcomes)
    }
  }

  private func write(_ text: Range<Int32>, to outcomes: inout [UInt8]) {
    if plan.layout == .long { appendSubject(to: &outcomes) }
    table.text.withUnsafeBufferPointer {
      outcomes.append(
        contentsOf: UnsafeBufferPointer(
          rebasing: $0[Int(text.lowerBound)..<Int(text.upperBound)]))
    }
  }
}

/// Counts what happens to audiences, and remembers the conditions of the current user.
private struct CountingWalk: RuleWalk {
  private let plan: BatchPlan
  /// By rule: the number of its condition, or -1.
  private let conditionOf: [Int32]
  /// By condition: 0 when not evaluated yet, 1 when it holds, 2 when not.
  private var known: [UInt8]
  private var reachedCounts: [Int]
  private var matchedCounts: [Int]
  private var takenCounts: [Int]
  /// By placement, one for each ``BatchTable/OutcomeIndex``.
  private var outcomes: [Int]

  init(_ plan: BatchPlan) {
    self.plan = plan
    conditionOf = plan.ruleSet.rules.map(\.condition)
    known = Array(repeating: 0, count: plan.ruleSet.conditions.count)
    reachedCounts = Array(repeating: 0, count: plan.ruleSet.rules.count)
    matchedCounts = reachedCounts
    takenCounts = reachedCounts
    outcomes = Array(
      repeating: 0, count: plan.placements.count * BatchTable.OutcomeIndex.count)
  }

  mutating func beginUser() {
    known.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
  }

  mutating func clearCounts() {
    for i in reachedCounts.indices {
      reachedCounts[i] = 0
      matchedCounts[i] = 0
      takenCounts[i] = 0
    }
    for i in outcomes.indices { outcomes[i] = 0 }
  }

  // MARK: RuleWalk

  @inline(__always)
  mutating func holds(_ rule: Int, at start: UInt32, _ program: Program, in frame: inout Frame)
    -> Bool
  {
    let number = Int(conditionOf[rule])
    if known[number] == 0 { known[number] = program.holds(at: start, in: &frame) ? 1 : 2 }
    return known[number] == 1
  }

  mutating func reached(_ rule: Int) { reachedCounts[rule] &+= 1 }
  mutating func matched(_ rule: Int) { matchedCounts[rule] &+= 1 }
  mutating func passedOver(_ rule: Int) {}
  mutating func heldBack(_ rule: Int, count: Int) {}

  // MARK: Counting

  mutating func taken(_ rule: Int) { takenCounts[rule] &+= 1 }

  mutating func count(_ outcome: BatchTable.OutcomeIndex, at placement: Int) {
    outcomes[placement &* BatchTable.OutcomeIndex.count &+ outcome.rawValue] &+= 1
  }

  func addCounts(to tally: inout Tally) {
    for (i, placement) in plan.placements.enumerated() {
      func outcome(_ index: BatchTable.OutcomeIndex) -> Int {
        outcomes[i * BatchTable.OutcomeIndex.count + index.rawValue]
      }
      tally.placements[i].paywall += outcome(.paywall)
      tally.placements[i].holdout += outcome(.holdout)
      tally.placements[i].noAudienceMatch += outcome(.noAudienceMatch)
      tally.placements[i].placementNotFound += outcome(.placementNotFound)
      tally.placements[i].error += outcome(.error)
      for (j, rule) in (placement.compiled?.rules ?? 0..<0).enumerated() {
        tally.placements[i].audiences[j].reached += reachedCounts[rule]
        tally.placements[i].audiences[j].matched += matchedCounts[rule]
        tally.placements[i].audiences[j].taken += takenCounts[rule]
      }
    }
  }
}
