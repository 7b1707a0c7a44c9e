internal import CShims
internal import Expressions

/// The draws of a placement's rules for subjects of one length, where the processor has wide vectors: rows
/// wait until all rules have taken theirs, and are drawn for side by side, each behind the prefix of its own
/// rule. The rows of one rule alone are too few, and too far apart, to fill vectors.
struct PlacementDraws {
  /// The rule's group, and its number there.
  private struct Place {
    var group: Int
    var number: Int
  }

  /// By rule of the placement, from ``first`` on; nil for those that cannot draw like this.
  private var places: [Place?] = []
  private let first: Int
  private var groups: [Group] = []
  /// By row: the number of the rule that draws for it, in the group where it waits.
  private var numbers = [UInt8](repeating: 0, count: BlockShape.rows)
  private var isWaiting = false

  init(_ rules: Range<Int>, subjectsOf length: Int, _ chooser: borrowing VariantChooser) {
    var draws: [VariantChooser.Draws?] = []
    for rule in rules { draws.append(chooser[rule].draws(subjectsOf: length)) }
    self.init(draws, from: rules.lowerBound)
  }

  /// - Parameter draws: by rule, from ``first`` on; nil for those that cannot draw like this.
  init(_ draws: [VariantChooser.Draws?], from first: Int) {
    self.first = first
    for draws in draws {
      guard let draws else {
        places.append(nil)
        continue
      }
      let found = groups.firstIndex { $0.takes(draws) } ?? groups.count
      if found == groups.count { groups.append(Group(draws)) }
      places.append(Place(group: found, number: groups[found].rules.count))
      groups[found].rules.append(draws)
    }
    for group in groups.indices { groups[group].layOut() }
  }

  /// Lets the rows that a rule takes wait for ``draw(_:_:_:keepsChoices:)``.
  ///
  /// - Returns: false where the rule cannot draw like this.
  mutating func add(_ rule: Int, _ rows: RowMask) -> Bool {
    guard let place = places[rule - first] else { return false }
    groups[place.group].add(place.number, rows)
    setNumbers(rows, UInt8(truncatingIfNeeded: place.number), to: &numbers)
    isWaiting = true
    return true
  }

  /// Draws for all rows that wait.
  ///
  /// - Parameters:
  ///   - counts: by choice, to which the draws are added.
  ///   - choices: by row of the block, where somebody reads them: writing them takes more memory traffic than
  ///     all tests.
  mutating func draw(
    _ block: borrowing BatchBlock, _ columns: inout SubjectColumns,
    counts: UnsafeMutablePointer<Int>, choices: UnsafeMutablePointer<Int32>?
  ) {
    guard isWaiting else { return }
    isWaiting = false
    for group in groups.indices where !groups[group].waiting.isEmpty {
      let (length, layout) = (groups[group].prefixLength, groups[group].layout)
      groups[group].draw(
        numbers, columns.columns(length, layout, block), counts: counts, choices: choices)
    }
  }
}

extension PlacementDraws {
  /// Rules whose prefixes have one length.
  private struct Group {
    let prefixLength: Int
    let layout: HashLayout
    var rules: [VariantChooser.Draws] = []
    /// The rules that rows wait for, and by rule which these are.
    private(set) var waiting: [Int] = []
    private var taken: [UInt64] = []
    /// The rows that wait for any of them.
    private var rows = [UInt64](repeating: 0, count: BlockShape.words)
    /// By limit, the rows whose draws reach it.
    private var reached: [UInt64] = []
    /// As ``WideDraws`` has them.
    private var tables: [UInt64] = []
    private var size = 0
    private var limits = 0

    /// Numbers of rules are bytes.
    private static let mostRules = 256

    init(_ draws: VariantChooser.Draws) {
      (prefixLength, layout) = (draws.prefixLength, draws.layout)
    }

    func takes(_ draws: VariantChooser.Draws) -> Bool {
      draws.prefixLength == prefixLength && rules.count < Group.mostRules
    }

    /// Lays out the tables, once all rules are there.
    mutating func layOut() {
      size = max(rules.count, 16)
      limits = rules.reduce(0) { max($0, $1.limits.count) }
      // No draw reaches it.
      let unreached = UInt64.max
      tables = Array(
        repeating: 0, count: Int(WideDraws.Table.limits.rawValue) * size)
      tables += Array(repeating: unreached, count: limits * size)
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
      taken = Array(repeating: 0, count: rules.count * BlockShape.words)
      reached = Array(repeating: 0, count: limits * BlockShape.words)
    }

    mutating func add(_ number: Int, _ rows: RowMask) {
      waiting.append(number)
      for word in 0..<BlockShape.words {
        taken[number &* BlockShape.words &+ word] = rows[word]
        self.rows[word] |= rows[word]
      }
    }

    mutating func draw(
      _ numbers: [UInt8], _ columns: UnsafePointer<UInt64>, counts: UnsafeMutablePointer<Int>,
      choices: UnsafeMutablePointer<Int32>?
    ) {
      let hash = rules[0].hash
      tables.withUnsafeBufferPointer { tables in
        WideDraws(
          columns: columns, stride: BlockShape.stride, laneWords: layout.laneWords,
          words: layout.words, rest: layout.rest, known: hash.known, stripes: hash.stripes,
          tables: tables.baseAddress, size: size, limits: limits
        ).draw(rows, numbers, reached: &reached, choices: choices)
      }
      for number in waiting { count(number, counts) }
      waiting.removeAll(keepingCapacity: true)
      for word in 0..<BlockShape.words { rows[word] = 0 }
    }

    /// Adds what the rows of a rule have drawn: how many reach a limit, and how many of these the next one.
    /// Adding one to the count of each draw's variant would wait for the draw before, which mostly has the same.
    private mutating func count(_ number: Int, _ counts: UnsafeMutablePointer<Int>) {
      let (first, limits) = (Int(rules[number].first), rules[number].limits.count)
      taken.withUnsafeMutableBufferPointer { taken in
        reached.withUnsafeBufferPointer { reached in
          guard let all = taken.baseAddress, let reached = reached.baseAddress else { return }
          // The rows that reach a limit are among those that reach the one before.
          let rows = all + number &* BlockShape.words
          var before = countBoth(rows, rows, to: rows)
          for limit in 0..<limits {
            let reaching = countBoth(rows, reached + limit &* BlockShape.words, to: rows)
            counts[first &+ limit] &+= before &- reaching
            before = reaching
          }
          counts[first &+ limits] &+= before
        }
      }
    }
  }
}
