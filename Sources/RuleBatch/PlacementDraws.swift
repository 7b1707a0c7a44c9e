internal import CShims
internal import Expressions
internal import RuleEngine

/// The draws of a placement's rules for subjects of one length, on processors with wide vectors.
/// Rows wait until all rules have decided. The rows are then drawn side by side, each with the
/// prefix of its own rule, because a single rule has too few rows to fill vectors.
///
/// The tables are plain memory, because arrays would cost a reference count and a uniqueness check
/// each time that a rule waits.
final class PlacementDraws {
  // SAFETY: `init` allocates and initializes tables for all rules and limits, and masks for 512
  // rows; `deinit` frees them. Tables have a place for each rule of a group, and at least 16. A
  // precondition stops a rule that waits twice. Tests: PlacementDrawsTests, BatchDifferentialTests,
  // asan with AVX-512.

  /// The data for a rule's draws. Rules without a group cannot be drawn this way.
  private struct Rule {
    var group: Int?
    /// The rule's number in the tables of the group.
    var number = 0
    /// The first choice of the rule, and the number of limits for the other choices.
    var first: Int32 = 0
    var limits = 0
  }

  /// Rules whose prefixes have the same length.
  private struct Group {
    let prefixLength: Int
    let layout: HashLayout
    let known: Int
    let stripes: Int
    /// The tables in the form of ``WideDraws``.
    let tables: UnsafeMutablePointer<UInt64>
    let size: Int
    let limits: Int
    /// The rows of the group that wait.
    let rows: RowMask
  }

  private let first: Int
  private let ruleCount: Int
  private let groupCount: Int
  private let rules: UnsafeMutablePointer<Rule>
  private let groups: UnsafeMutablePointer<Group>
  /// The waiting rows of each rule.
  private let taken: RowMask
  /// The rules with waiting rows.
  private let waiting: UnsafeMutablePointer<Int>
  private var waitingCount = 0
  /// For each waiting row, the number of its rule in the group.
  private let numbers: UnsafeMutablePointer<UInt8>
  /// For each limit, the rows whose draws reach it.
  private let reached: RowMask

  /// The maximum number of rules in a group. Numbers of rules are bytes.
  private static let mostRules = 256
  /// The maximum number of limits. Rows are compared with as many limits as any rule of their group
  /// has, so rules with more limits draw alone and do not slow the others down.
  static let mostLimits = 16

  convenience init(
    _ rules: Range<Int>, subjectsOf length: Int, _ chooser: borrowing VariantChooser
  ) {
    var draws: [VariantChooser.Draws?] = []
    for rule in rules { draws.append(chooser[rule].draws(subjectsOf: length)) }
    self.init(draws, from: rules.lowerBound)
  }

  /// - Parameter draws: by rule, starting with ``first``; nil for rules that cannot be drawn this
  ///   way.
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
    // The unused limits are the maximum, which no draw reaches.
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

  /// Queues the rows of a rule for ``draw(_:_:counts:choices:)``.
  ///
  /// - Returns: false if the rule cannot be drawn this way.
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

  /// Draws for all waiting rows.
  ///
  /// - Parameters:
  ///   - counts: the counts by choice, to which the draws are added.
  ///   - choices: receives the choices by row of the block; nil if they are not read. Writing them
  ///     takes more memory traffic than all tests.
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

  /// Adds the draws of a rule's rows to the counts. The count of a variant is the number of draws
  /// that reach its limit minus the number that reach the next limit. Incrementing a count for each
  /// draw would be slow, because each increment would wait for the previous one.
  private func count(_ place: Int, _ counts: UnsafeMutablePointer<Int>) {
    let own = counts + Int(rules[place].first)
    let limits = rules[place].limits
    // The rows that reach a limit also reach all earlier ones.
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
