internal import CShims
internal import Expressions
internal import RuleEngine

/// The draws of a placement's rules for subjects of one length, where the processor has wide vectors: rows
/// wait until all rules have taken theirs, and are drawn for side by side, each behind the prefix of its own
/// rule. The rows of one rule alone are too few, and too far apart, to fill vectors.
///
/// Its parts are plain memory: a rule waits some hundred times for every few thousand rows, and arrays would
/// be counted and asked whether they are shared as often.
final class PlacementDraws {
  // SAFETY: `init` allocates and initializes tables for all rules and limits, and masks for 512
  // rows; `deinit` frees them. Tables have a place for each rule of a group, and at least 16. A
  // precondition stops a rule that waits twice. Tests: PlacementDrawsTests, BatchDifferentialTests,
  // asan with AVX-512.

  /// What is drawn for a rule; those without a group cannot draw like this.
  private struct Rule {
    var group: Int?
    /// Its number in the tables of the group.
    var number = 0
    /// Its first choice, and limits that lead to others.
    var first: Int32 = 0
    var limits = 0
  }

  /// Rules whose prefixes have one length.
  private struct Group {
    let prefixLength: Int
    let layout: HashLayout
    let known: Int
    let stripes: Int
    /// As ``WideDraws`` has them.
    let tables: UnsafeMutablePointer<UInt64>
    let size: Int
    let limits: Int
    /// The rows that wait.
    let rows: RowMask
  }

  private let first: Int
  private let ruleCount: Int
  private let groupCount: Int
  private let rules: UnsafeMutablePointer<Rule>
  private let groups: UnsafeMutablePointer<Group>
  /// By rule, the rows that wait for it.
  private let taken: RowMask
  /// The rules that rows wait for.
  private let waiting: UnsafeMutablePointer<Int>
  private var waitingCount = 0
  /// By row: the number of the rule that draws for it, in the group where it waits.
  private let numbers: UnsafeMutablePointer<UInt8>
  /// By limit, the rows whose draws reach it.
  private let reached: RowMask

  /// Numbers of rules are bytes.
  private static let mostRules = 256
  /// Rows are compared with as many limits as the rule of their group has that has most: those with more draw
  /// alone, and do not keep the others waiting.
  static let mostLimits = 16

  convenience init(
    _ rules: Range<Int>, subjectsOf length: Int, _ chooser: borrowing VariantChooser
  ) {
    var draws: [VariantChooser.Draws?] = []
    for rule in rules { draws.append(chooser[rule].draws(subjectsOf: length)) }
    self.init(draws, from: rules.lowerBound)
  }

  /// - Parameter draws: by rule, from ``first`` on; nil for those that cannot draw like this.
  init(_ draws: [VariantChooser.Draws?], from first: Int) {
    self.first = first
    ruleCount = draws.count
    rules = .allocate(capacity: max(ruleCount, 1))
    var members: [[VariantChooser.Draws]] = []
    for (number, draws) in draws.enumerated() {
      var rule = Rule()
      if let draws, draws.limits.count <= Self.mostLimits {
        let found = members.firstIndex {
          $0[0].prefixLength == draws.prefixLength && $0.count < Self.mostRules
        }
        let group = found ?? members.count
        if found == nil { members.append([]) }
        rule = Rule(
          group: group, number: members[group].count, first: draws.first,
          limits: draws.limits.count)
        members[group].append(draws)
      }
      (rules + number).initialize(to: rule)
    }
    groupCount = members.count
    groups = .allocate(capacity: max(groupCount, 1))
    for (number, members) in members.enumerated() {
      (groups + number).initialize(to: Self.group(members))
    }
    taken = RowMasks.allocate(max(ruleCount, 1))
    waiting = .allocate(capacity: max(ruleCount, 1))
    waiting.initialize(repeating: 0, count: max(ruleCount, 1))
    numbers = .allocate(capacity: BlockShape.rows)
    numbers.initialize(repeating: 0, count: BlockShape.rows)
    reached = RowMasks.allocate(
      (0..<groupCount).reduce(1) { [groups] in max($0, groups[$1].limits) })
  }

  deinit {
    for group in 0..<groupCount {
      groups[group].tables.deallocate()
      groups[group].rows.deallocate()
    }
    rules.deallocate()
    groups.deallocate()
    taken.deallocate()
    waiting.deallocate()
    numbers.deallocate()
    reached.deallocate()
  }

  private static func group(_ rules: [VariantChooser.Draws]) -> Group {
    let size = max(rules.count, 16)
    let limits = rules.reduce(0) { max($0, $1.limits.count) }
    let fixed = Int(WideDraws.Table.limits.rawValue)
    let tables = UnsafeMutablePointer<UInt64>.allocate(capacity: (fixed + limits) * size)
    tables.initialize(repeating: 0, count: fixed * size)
    // No draw reaches it.
    (tables + fixed * size).initialize(repeating: .max, count: limits * size)
    for (number, rule) in rules.enumerated() {
      func set(_ table: WideDraws.Table, _ values: [UInt64]) {
        for (i, value) in values.enumerated() {
          tables[(Int(table.rawValue) + i) * size + number] = value
        }
      }
      let hash = rule.hash
      set(.first, [UInt64(rule.first)])
      set(.begun, [hash.begun])
      set(.tail, [hash.tail])
      set(.lanes, [hash.lanes.a, hash.lanes.b, hash.lanes.c, hash.lanes.d])
      set(.merging, [hash.merging.a, hash.merging.b, hash.merging.c, hash.merging.d])
      set(.limits, Array(rule.limits))
    }
    return Group(
      prefixLength: rules[0].prefixLength, layout: rules[0].layout, known: rules[0].hash.known,
      stripes: rules[0].hash.stripes, tables: tables, size: size, limits: limits,
      rows: RowMasks.allocate())
  }

  /// Lets the rows that a rule takes wait for ``draw(_:_:counts:choices:)``.
  ///
  /// - Returns: false where the rule cannot draw like this.
  func add(_ rule: Int, _ rows: RowMask) -> Bool {
    let place = rule - first
    guard place >= 0, place < ruleCount, let group = rules[place].group else { return false }
    precondition(waitingCount < ruleCount, "a rule waits once")
    waiting[waitingCount] = place
    waitingCount &+= 1
    let all = groups[group].rows
    let own = taken + place &* BlockShape.words
    for word in 0..<BlockShape.words {
      own[word] = rows[word]
      all[word] |= rows[word]
    }
    setNumbers(rows, UInt8(truncatingIfNeeded: rules[place].number), to: numbers)
    return true
  }

  /// Draws for all rows that wait.
  ///
  /// - Parameters:
  ///   - counts: by choice, to which the draws are added.
  ///   - choices: by row of the block, where somebody reads them: writing them takes more memory traffic than
  ///     all tests.
  func draw(
    _ block: borrowing BatchBlock, _ columns: inout SubjectColumns,
    counts: UnsafeMutablePointer<Int>, choices: UnsafeMutablePointer<Int32>?
  ) {
    guard waitingCount > 0 else { return }
    for number in 0..<groupCount where !RowMasks.isEmpty(groups[number].rows) {
      let group = groups[number]
      WideDraws(
        columns: columns.columns(group.prefixLength, group.layout, block),
        stride: BlockShape.stride, laneWords: group.layout.laneWords, words: group.layout.words,
        rest: group.layout.rest, known: group.known, stripes: group.stripes,
        tables: group.tables, size: group.size, limits: group.limits
      ).draw(group.rows, numbers, reached: reached, choices: choices)
      for i in 0..<waitingCount where rules[waiting[i]].group == number {
        count(waiting[i], counts)
      }
      group.rows.update(repeating: 0, count: BlockShape.words)
    }
    waitingCount = 0
  }

  /// Adds what the rows of a rule have drawn: how many reach a limit, and how many of these the next one.
  /// Adding one to the count of each draw's variant would wait for the draw before, which mostly has the same.
  private func count(_ place: Int, _ counts: UnsafeMutablePointer<Int>) {
    let own = counts + Int(rules[place].first)
    let limits = rules[place].limits
    // The rows that reach a limit are among those that reach the one before.
    let rows = taken + place &* BlockShape.words
    var before = countBoth(rows, rows, to: rows)
    for limit in 0..<limits {
      let reaching = countBoth(rows, reached + limit &* BlockShape.words, to: rows)
      own[limit] &+= before &- reaching
      before = reaching
    }
    own[limits] &+= before
  }
}
