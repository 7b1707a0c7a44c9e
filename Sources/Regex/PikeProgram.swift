/// One step of a ``PikeProgram``.
struct PikeInstruction {
  /// The effect of a step.
  enum Operation: UInt8 {
    /// Consumes the code point `argument`.
    case scalar
    /// Consumes a member of the set `argument`.
    case set
    /// Consumes any character.
    case any
    /// Continues at `next`, or at `argument` if `next` leads to no match.
    case split
    /// Stores the position in slot `argument`.
    case save
    /// Continues if the ``RegexAssertion`` `argument` is true at the position.
    case assertion
    /// The pattern has matched.
    case match
  }

  var operation: Operation
  var argument: UInt32
  var next: UInt32
}

/// A set with the data for a quick test.
struct PikeSet {
  /// Whether code points above ASCII are members.
  enum Others: UInt8 {
    case none
    case all
    /// Some code points above ASCII are members, depending on the ranges and categories.
    case some
  }

  var asciiLow: UInt64 = 0
  var asciiHigh: UInt64 = 0
  var others: Others
  var isNegated: Bool
  var categories: RegexCategories
  var firstRange: Int
  var rangeCount: Int
}

/// A pattern, compiled to instructions for ``PikeMachine``. Counted repetitions are written out, so the number of
/// states, which bounds the time per character, is the number of instructions.
struct PikeProgram: Sendable {
  private(set) var instructions: [PikeInstruction]
  private(set) var sets: [PikeSet] = []
  private(set) var ranges: [ScalarRange] = []
  private(set) var start: UInt32 = 0
  /// The number of slots: two for each group, including the whole match.
  let slotCount: Int
  /// Whether a match can only begin at the start of the text.
  let isAnchored: Bool
  /// Bytes that every match begins with.
  private(set) var prefix: [UInt8] = []
  /// For each byte, whether a match can begin with it. The list is empty if the pattern can match the empty string.
  private(set) var firstBytes: [Bool] = []

  /// Compiles a checked pattern whose size is known to be within the limits.
  init(_ regex: ParsedRegex, isAnchored: Bool) {
    self.isAnchored = isAnchored
    slotCount = 2 * (regex.groupCount + 1)
    instructions = [PikeInstruction(operation: .match, argument: 0, next: 0)]
    for set in regex.sets { append(set) }
    start = compile(regex.root, next: 0)
    findStart()
  }

  /// Adds the instructions of a part before `next`, and returns the first of them.
  private mutating func compile(_ node: RegexNode, next: UInt32) -> UInt32 {
    switch node {
    case .empty: return next
    case .scalar(let scalar): return append(.scalar, scalar, next: next)
    case .set(let index):
      let isAny = sets[index].others == .all && sets[index].asciiLow & sets[index].asciiHigh == .max
      return isAny ? append(.any, 0, next: next) : append(.set, UInt32(index), next: next)
    case .assertion(let assertion): return append(.assertion, assertion.rawValue, next: next)
    case .group(let body, let index):
      let end = append(.save, UInt32(2 * index + 1), next: next)
      return append(.save, UInt32(2 * index), next: compile(body, next: end))
    case .concatenation(let parts):
      return parts.reversed().reduce(next) { compile($1, next: $0) }
    case .alternation(let branches):
      var entry = compile(branches[branches.count - 1], next: next)
      for branch in branches.dropLast().reversed() {
        entry = append(.split, entry, next: compile(branch, next: next))
      }
      return entry
    case .repetition(let body, let minimum, let maximum, let greedy):
      return compileRepetition(body, minimum, maximum, greedy, next: next)
    }
  }

  private mutating func compileRepetition(
    _ body: RegexNode, _ minimum: Int, _ maximum: Int?, _ greedy: Bool, next: UInt32
  ) -> UInt32 {
    var entry = next
    var copies = minimum
    if let maximum {
      for _ in minimum..<maximum {
        entry = appendSplit(into: compile(body, next: entry), past: next, greedy)
      }
    } else {
      let loop = append(.split, next, next: next)
      let inside = compile(body, next: loop)
      setSplit(loop, into: inside, past: next, greedy)
      // A loop that may be skipped is entered through its branch. If a round can be empty, the branch is reached again at the
      // same position and would end that round, so such a loop has a separate branch for skipping it.
      entry = inside
      if minimum == 0 {
        entry =
          RegexAnalysis(body).isNullable ? appendSplit(into: inside, past: next, greedy) : loop
      } else {
        copies -= 1
      }
    }
    for _ in 0..<copies { entry = compile(body, next: entry) }
    return entry
  }

  private mutating func append(
    _ operation: PikeInstruction.Operation, _ argument: UInt32, next: UInt32
  ) -> UInt32 {
    instructions.append(
      PikeInstruction(operation: operation, argument: argument, next: next))
    return UInt32(instructions.count - 1)
  }

  private mutating func appendSplit(
    into body: UInt32, past end: UInt32, _ greedy: Bool
  ) -> UInt32 {
    append(.split, greedy ? end : body, next: greedy ? body : end)
  }

  private mutating func setSplit(
    _ index: UInt32, into body: UInt32, past end: UInt32, _ greedy: Bool
  ) {
    instructions[Int(index)].next = greedy ? body : end
    instructions[Int(index)].argument = greedy ? end : body
  }

  private mutating func append(_ set: RegexSet) {
    var compiled = PikeSet(
      others: .some, isNegated: set.isNegated, categories: set.categories,
      firstRange: ranges.count, rangeCount: set.ranges.count)
    for scalar: UInt32 in 0..<0x80 where set.contains(scalar) {
      if scalar < 64 {
        compiled.asciiLow |= 1 << UInt64(scalar)
      } else {
        compiled.asciiHigh |= 1 << UInt64(scalar - 64)
      }
    }
    if set.categories.isEmpty {
      let last = set.ranges.last
      if (last?.high ?? 0) < 0x80 {
        compiled.others = .none
      } else if let last, last.low <= 0x80, last.high == 0x10_FFFF {
        compiled.others = .all
      }
    }
    ranges += set.ranges
    sets.append(compiled)
  }
}

// MARK: - Where a match can begin

extension PikeProgram {
  /// Computes the data for skipping text without running the program.
  private mutating func findStart() {
    prefix = literalPrefix()
    firstBytes = possibleFirstBytes()
  }

  private func literalPrefix() -> [UInt8] {
    var bytes: [UInt8] = []
    var index = start
    while bytes.count < 16 {
      let instruction = instructions[Int(index)]
      switch instruction.operation {
      case .save: break
      case .scalar: bytes += UTF8Text.encode(instruction.argument)
      default: return bytes
      }
      index = instruction.next
    }
    return bytes
  }

  private func possibleFirstBytes() -> [Bool] {
    var possible = [Bool](repeating: false, count: 256)
    var seen = [Bool](repeating: false, count: instructions.count)
    var pending = [start]
    while let index = pending.popLast() {
      if seen[Int(index)] { continue }
      seen[Int(index)] = true
      let instruction = instructions[Int(index)]
      switch instruction.operation {
      case .match, .any: return []
      case .split: pending += [instruction.next, instruction.argument]
      case .save, .assertion: pending.append(instruction.next)
      case .scalar: possible[Int(UTF8Text.encode(instruction.argument)[0])] = true
      case .set:
        let set = sets[Int(instruction.argument)]
        for byte in 0..<64 where set.asciiLow >> UInt64(byte) & 1 != 0 { possible[byte] = true }
        for byte in 0..<64 where set.asciiHigh >> UInt64(byte) & 1 != 0 {
          possible[byte + 64] = true
        }
        // The non-ASCII characters of a set are only checked when such a character occurs.
        if set.others != .none { for byte in 0xC2...0xF4 { possible[byte] = true } }
      }
    }
    return possible
  }
}
