internal import Expressions
internal import RuleBatch
internal import RuleEngine

/// Reads users, and records their experiments and variants.
struct MigrationRun {
  /// The rules of one of the two configs.
  struct Side {
    var ruleSet: RuleSet
    var assigner: Assigner
  }

  private(set) var experiments: [MigratedExperiment]
  private(set) var userCount = 0
  private(set) var refused = 0
  /// The number of lines with users that appeared before.
  private(set) var repeated = 0

  private let old: Side
  private let new: Side
  private let clock: HistoryClock
  /// The concatenated identities of all users, and the end of each.
  private var identities: [UInt8] = []
  private var ends: [Int] = []
  private var seen: Set<UInt64> = []

  /// The maximum length of a line in bytes, as in a run over users.
  private static let lineLimit = 1 << 20

  init(_ experiments: [MigratedExperiment], old: Side, new: Side, clock: HistoryClock) {
    self.experiments = experiments
    self.old = old
    self.new = new
    self.clock = clock
  }

  mutating func read(_ paths: [String], _ format: UserForm?, isQuiet: Bool) throws {
    // SAFETY: Lines are slices of a part of the input, found by their line feeds. States are copied
    // before the part goes away, and the next record resets frames and readers.
    // Tests: MigrateWeightsTests.
    var progress = ReadingProgress("read", paths, isQuiet: isQuiet)
    defer { progress.interrupt() }
    var input = try UserInput(paths, form: format, lineLimit: Self.lineLimit)
    let segments = SegmentReader(lineLimit: Self.lineLimit)
    var oldFrame = Frame(for: old.ruleSet.program)
    var newFrame = Frame(for: new.ruleSet.program)
    var oldReader = UserRecordReader(old.ruleSet, at: clock)
    var newReader = UserRecordReader(new.ruleSet, at: clock)
    while let part = try input.next() {
      try Signals.check()
      var unusable = 0
      unusable += try part.withLines(segments, lineLimit: Self.lineLimit) { lines in
        var at = 0
        while at < lines.count {
          let end = LineScan.newline(in: lines, from: at)
          let line = ByteView(rebasing: lines[at..<end])
          at = end + 1
          guard line.contains(where: { ![0x20, 0x09, 0x0D].contains($0) }) else { continue }
          guard line.count <= Self.lineLimit else {
            unusable += 1
            continue
          }
          do throws(UserRecordReader.Rejection) {
            try oldReader.read(line, into: &oldFrame)
            try newReader.read(line, into: &newFrame)
          } catch {
            unusable += 1
            continue
          }
          add(
            oldReader.state(now: clock.now), &oldFrame, newReader.state(now: clock.now), &newFrame)
        }
      }
      refused += unusable
      progress.update(userCount, part)
    }
  }

  private mutating func add(
    _ oldState: DecisionState, _ oldFrame: inout Frame, _ newState: DecisionState,
    _ newFrame: inout Frame
  ) {
    var subject = newState.subjectID
    // SAFETY: The view of the string stays in the closure. Tests: MigrateWeightsTests.
    let hash = subject.withUTF8 { XXH64.hash(UnsafeRawBufferPointer($0)) }
    guard seen.insert(hash).inserted else {
      repeated += 1
      return
    }
    userCount += 1
    for number in experiments.indices {
      let experiment = experiments[number]
      guard
        let drawn = new.variant(
          of: experiment.id, at: experiment.placements.new, &newFrame, newState)
      else { continue }
      let stored = oldState.assignments.last {
        $0.experimentID.utf8.elementsEqual(experiment.id.utf8)
      }
      let former =
        old.variant(of: experiment.id, at: experiment.placements.old, &oldFrame, oldState)
        ?? stored?.variantID
      experiments[number].add(
        subject, number: ends.count, former: former, drawn: drawn)
    }
    identities += subject.utf8
    ends.append(identities.count)
  }

  private func identity(_ user: Int) -> String {
    String(decoding: identities[(user == 0 ? 0 : ends[user - 1])..<ends[user]], as: UTF8.self)
  }

  /// Calls the body with each user in an experiment, and the user's variants after the fewest possible moves.
  func forEachUser(
    _ results: [WeightMigration.Result],
    _ body: (String, [(experiment: String, variant: String)]) throws -> Void
  ) rethrows {
    var next = Array(repeating: 0, count: experiments.count)
    for user in ends.indices {
      var assigned: [(experiment: String, variant: String)] = []
      for (number, experiment) in experiments.enumerated() {
        let place = next[number]
        guard place < experiment.users.count, Int(experiment.users[place]) == user else { continue }
        next[number] += 1
        let variant = Int(results[number].variants[place])
        assigned.append((experiment.id, experiment.variants[variant].variant.id))
      }
      if !assigned.isEmpty { try body(identity(user), assigned) }
    }
  }
}

extension MigrationRun {
  /// Appends the assignments of a user, as a user record or as rows of CSV.
  static func append(
    _ user: String, _ assigned: [(experiment: String, variant: String)], isCSV: Bool,
    to bytes: inout [UInt8]
  ) {
    // SAFETY: The view of the string stays in the closure. Tests: MigrateWeightsTests.
    guard isCSV else {
      let line = Value.object([
        "userId": .string(user),
        "assignments": .list(
          assigned.map { experiment, variant in
            .object(["experimentId": .string(experiment), "variantId": .string(variant)])
          }),
      ])
      bytes += Array((line.json + "\n").utf8)
      return
    }
    for (experiment, variant) in assigned {
      for (number, text) in [user, experiment, variant].enumerated() {
        if number > 0 { bytes.append(UInt8(ascii: ",")) }
        var text = text
        text.withUTF8 { OutcomeFragments.append(cell: $0, to: &bytes) }
      }
      bytes.append(UInt8(ascii: "\n"))
    }
  }
}

extension MigrationRun.Side {
  /// The variant of a user in an experiment, at the first placement where it decides.
  fileprivate func variant(
    of experiment: String, at placements: [String], _ frame: inout Frame, _ state: DecisionState
  ) -> String? {
    for placement in placements {
      let decision = ruleSet.decide(placement, frame: &frame, state: state, assigner: assigner)
      guard let rule = decision.rule, decision.verdict.variant >= 0,
        rule.audience.experimentID.utf8.elementsEqual(experiment.utf8)
      else { continue }
      return rule.audience.variants[Int(decision.verdict.variant)].id
    }
    return nil
  }
}
