/// The Pike matcher: all threads through a ``PikeProgram`` advance together, one character at a time, in order of
/// preference. The time is bounded by characters times instructions, whatever the pattern. The result is the match that
/// trying the alternatives one after the other would find first.
final class PikeMatcher: @unchecked Sendable {
  // SAFETY: The program is never written to after `init`, and `deinit` frees it. Everything a
  // search writes is in the caller's scratch, so threads can share a matcher.
  // Tests: RegexDifferentialTests, tsan.

  /// The program in memory without reference counts. The code does not change after `init`.
  fileprivate struct Code {
    let instructions: UnsafeMutablePointer<PikeInstruction>
    let instructionCount: Int
    let sets: UnsafeMutablePointer<PikeSet>
    let ranges: UnsafeMutablePointer<ScalarRange>
    let firstBytes: UnsafeMutablePointer<Bool>
    let hasFirstBytes: Bool
    let prefix: UnsafeMutablePointer<UInt8>
    let prefixCount: Int
    let start: UInt32
    let isAnchored: Bool
  }

  private let code: Code
  /// The number of slots: two for each group, including the whole match.
  let slotCount: Int

  /// The maximum number of bytes for recording the groups of one program.
  private static let maximumSlotBytes = 32 << 20
  /// The maximum length of a subject in bytes. Longer subjects would need more marks than exist.
  private static let maximumSubjectBytes = 1 << 30

  init(_ program: PikeProgram) {
    slotCount = program.slotCount
    code = Code(
      instructions: Self.copy(program.instructions),
      instructionCount: program.instructions.count, sets: Self.copy(program.sets),
      ranges: Self.copy(program.ranges), firstBytes: Self.copy(program.firstBytes),
      hasFirstBytes: !program.firstBytes.isEmpty, prefix: Self.copy(program.prefix),
      prefixCount: program.prefix.count, start: program.start, isAnchored: program.isAnchored)
  }

  deinit {
    code.instructions.deallocate()
    code.sets.deallocate()
    code.ranges.deallocate()
    code.firstBytes.deallocate()
    code.prefix.deallocate()
  }

  /// All copied elements are trivial, so there is nothing to deinitialize.
  private static func copy<Element: BitwiseCopyable>(
    _ elements: [Element]
  ) -> UnsafeMutablePointer<Element> {
    let memory = UnsafeMutablePointer<Element>.allocate(capacity: max(elements.count, 1))
    for (index, element) in elements.enumerated() {
      (memory + index).initialize(to: element)
    }
    return memory
  }

  /// Searches for the first match at or after `offset` in text that is known to be valid UTF-8. If `capturing`, the slots of the
  /// groups are in the scratch afterwards.
  func match(
    _ subject: UnsafeBufferPointer<UInt8>, from offset: Int, capturing: Bool, matchLimit: Int,
    scratch: inout PikeScratch
  ) -> RegexVerdict {
    let slots = capturing ? slotCount : 0
    let slotBytes = 2 * code.instructionCount * slots * MemoryLayout<Int>.stride
    guard slotBytes <= Self.maximumSlotBytes, subject.count <= Self.maximumSubjectBytes else {
      return .limitExceeded
    }
    scratch.prepare(
      instructions: code.instructionCount, slots: slots, positions: subject.count)
    var machine = PikeMachine(
      code: code, text: subject.baseAddress ?? UnsafePointer(code.prefix), count: subject.count,
      slotCount: slots, stepsLeft: matchLimit + RegexLimits.stepsPerSubjectByte * subject.count,
      scratch: scratch)
    let allowed = machine.stepsLeft
    let verdict = machine.search(from: offset)
    scratch.stamp = machine.stamp
    // Every step copies the recorded groups.
    scratch.steps = (allowed &- machine.stepsLeft) &* (1 &+ slots / 4)
    return verdict
  }
}

/// One search with a ``PikeMatcher``.
private struct PikeMachine {
  // SAFETY: The pointers belong to the matcher and the scratch, which outlive the search.
  // `PikeScratch.prepare` makes room for every instruction and slot. Positions stay at or below
  // `count`, and the text is valid UTF-8, so decoding stays inside. Tests: RegexDifferentialTests,
  // RegexLimitTests, fuzz regex.

  private let code: PikeMatcher.Code
  private let text: UnsafePointer<UInt8>
  private let count: Int
  /// The number of recorded slots: all, or none if only the verdict is needed.
  private let slotCount: Int
  private let marks: UnsafeMutablePointer<UInt32>
  private let pending: UnsafeMutablePointer<PikePending>
  private let slots: UnsafeMutablePointer<Int>
  private let bestSlots: UnsafeMutablePointer<Int>
  /// Threads that are advancing over a character.
  private var current: PikeThreads
  /// Threads that wait for the character at the current position.
  private var waiting: PikeThreads
  /// The mark of the position that is being filled. An instruction with this mark has been visited.
  fileprivate private(set) var stamp: UInt32
  fileprivate private(set) var stepsLeft: Int
  private var hasMatched = false

  init(
    code: PikeMatcher.Code, text: UnsafePointer<UInt8>, count: Int, slotCount: Int,
    stepsLeft: Int, scratch: borrowing PikeScratch
  ) {
    self.code = code
    self.text = text
    self.count = count
    self.slotCount = slotCount
    self.stepsLeft = stepsLeft
    marks = scratch.marks
    pending = scratch.pending
    slots = scratch.slots
    bestSlots = scratch.bestSlots
    current = scratch.current
    waiting = scratch.waiting
    stamp = scratch.stamp &+ 1
  }

  fileprivate mutating func search(from offset: Int) -> RegexVerdict {
    var position = offset
    while true {
      if waiting.count == 0 {
        if hasMatched { return .matched }
        guard let candidate = nextCandidate(from: position) else { return .notMatched }
        if candidate > position { stamp &+= 1 }
        position = candidate
      }
      if canBegin(at: position) {
        // A match that begins here has a lower preference than a match that began earlier.
        for slot in 0..<slotCount { slots[slot] = -1 }
        if slotCount > 0 { slots[0] = position }
        follow(code.start, at: position)
        if hasMatched, slotCount == 0 { return .matched }
      }
      if stepsLeft < 0 { return .limitExceeded }
      if position == count {
        finish(at: position)
        return hasMatched ? .matched : .notMatched
      }
      position += step(at: position)
      if hasMatched, slotCount == 0 { return .matched }
    }
  }

  /// Whether a match can begin at this position or later.
  @inline(__always)
  private func canBegin(at position: Int) -> Bool {
    if hasMatched || (code.isAnchored && position > 0) { return false }
    guard code.hasFirstBytes else { return true }
    return position < count && code.firstBytes[Int(text[position])]
  }

  /// The first position at or after the given position where a match can begin.
  private func nextCandidate(from position: Int) -> Int? {
    if code.isAnchored { return position == 0 ? 0 : nil }
    if code.prefixCount > 0 { return nextPrefix(from: position) }
    guard code.hasFirstBytes else { return position <= count ? position : nil }
    var candidate = position
    while candidate < count {
      if code.firstBytes[Int(text[candidate])] { return candidate }
      candidate += 1
    }
    return nil
  }

  private func nextPrefix(from position: Int) -> Int? {
    let last = count - code.prefixCount
    let first = code.prefix[0]
    var candidate = position
    while candidate <= last {
      if text[candidate] == first {
        var matched = 1
        while matched < code.prefixCount, text[candidate + matched] == code.prefix[matched] {
          matched += 1
        }
        if matched == code.prefixCount { return candidate }
      }
      candidate += 1
    }
    return nil
  }

  /// Advances every waiting thread over the character at `position`, and returns the character's length.
  @inline(__always)
  private mutating func step(at position: Int) -> Int {
    let (scalar, width) = UTF8Text.decode(text + position)
    stamp &+= 1
    stepsLeft -= waiting.count
    swap(&current, &waiting)
    waiting.count = 0
    for thread in 0..<current.count {
      let instruction = code.instructions[Int(current.instructions[thread])]
      let passes: Bool
      switch instruction.operation {
      case .scalar: passes = scalar == instruction.argument
      case .set: passes = contains(scalar, set: Int(instruction.argument))
      case .any: passes = true
      case .match:
        recordMatch(current, thread, endingAt: position)
        passes = false
      default: passes = false
      }
      // Threads with a lower preference than a match are dropped.
      if instruction.operation == .match { break }
      guard passes else { continue }
      if slotCount > 0 {
        let first = thread * slotCount
        for slot in 0..<slotCount { slots[slot] = current.slots[first + slot] }
      }
      follow(instruction.next, at: position + width)
    }
    return width
  }

  /// Searches for a match among the threads that wait at the end of the text.
  private mutating func finish(at position: Int) {
    for thread in 0..<waiting.count {
      let instruction = code.instructions[Int(waiting.instructions[thread])]
      if instruction.operation == .match {
        return recordMatch(waiting, thread, endingAt: position)
      }
    }
  }

  private mutating func recordMatch(_ threads: PikeThreads, _ thread: Int, endingAt end: Int) {
    hasMatched = true
    guard slotCount > 0 else { return }
    let first = thread * slotCount
    for slot in 0..<slotCount { bestSlots[slot] = threads.slots[first + slot] }
    bestSlots[1] = end
  }

  /// Follows all instructions that consume nothing, and adds the others to the waiting threads.
  private mutating func follow(_ start: UInt32, at position: Int) {
    // SAFETY: `marks` lets each instruction run once per position, and each pushes at most one
    // entry. So `pending` and `waiting` stay within the number of instructions.
    // Tests: RegexDifferentialTests, fuzz regex.
    var depth = 0
    var index = start
    while true {
      stepsLeft -= 1
      if marks[Int(index)] != stamp {
        marks[Int(index)] = stamp
        let instruction = code.instructions[Int(index)]
        switch instruction.operation {
        case .split:
          pending[depth] = PikePending(
            index: Int32(instruction.argument), isSlot: false, value: 0)
          depth += 1
          index = instruction.next
          continue
        case .save:
          save(Int(instruction.argument), position, &depth)
          index = instruction.next
          continue
        case .assertion:
          if holds(instruction.argument, at: position) {
            index = instruction.next
            continue
          }
        default:
          if slotCount == 0, instruction.operation == .match { hasMatched = true }
          wait(index)
        }
      }
      if depth == 0 { return }
      guard let next = takePending(&depth) else { return }
      index = next
    }
  }

  @inline(__always)
  private mutating func wait(_ index: UInt32) {
    waiting.instructions[waiting.count] = index
    let first = waiting.count * slotCount
    for slot in 0..<slotCount { waiting.slots[first + slot] = slots[slot] }
    waiting.count += 1
  }

  @inline(__always)
  private func save(_ slot: Int, _ position: Int, _ depth: inout Int) {
    guard slotCount > 0 else { return }
    pending[depth] = PikePending(index: Int32(slot), isSlot: true, value: slots[slot])
    depth += 1
    slots[slot] = position
  }

  /// The next pending thread. On the way, slots are reset to their old values.
  @inline(__always)
  private func takePending(_ depth: inout Int) -> UInt32? {
    while depth > 0 {
      depth -= 1
      let entry = pending[depth]
      guard entry.isSlot else { return UInt32(entry.index) }
      slots[Int(entry.index)] = entry.value
    }
    return nil
  }
}

// MARK: - Characters and positions

extension PikeMachine {
  @inline(__always)
  private func contains(_ scalar: UInt32, set index: Int) -> Bool {
    let set = code.sets + index
    if scalar < 64 { return set.pointee.asciiLow >> UInt64(scalar) & 1 != 0 }
    if scalar < 128 { return set.pointee.asciiHigh >> UInt64(scalar - 64) & 1 != 0 }
    switch set.pointee.others {
    case .none: return false
    case .all: return true
    case .some: return containsOther(scalar, set.pointee)
    }
  }

  private func containsOther(_ scalar: UInt32, _ set: PikeSet) -> Bool {
    var from = set.firstRange
    var to = from + set.rangeCount
    while from < to {
      let middle = (from + to) / 2
      if code.ranges[middle].high < scalar { from = middle + 1 } else { to = middle }
    }
    let end = set.firstRange + set.rangeCount
    var inside = from < end && code.ranges[from].low <= scalar
    if !inside, !set.categories.isEmpty, let value = Unicode.Scalar(scalar) {
      inside = !set.categories.isDisjoint(with: RegexCategories(of: value))
    }
    return inside != set.isNegated
  }

  private func holds(_ argument: UInt32, at position: Int) -> Bool {
    switch RegexAssertion(rawValue: argument) {
    case .textStart: position == 0
    case .textEnd: position == count
    case .lineStart: position == 0 || text[position - 1] == 0x0A
    case .lineEnd: position == count || text[position] == 0x0A
    case .wordBoundary: isWordBoundary(at: position)
    case .notWordBoundary: !isWordBoundary(at: position)
    case .unicodeWordBoundary: isUnicodeWordBoundary(at: position)
    case .notUnicodeWordBoundary: !isUnicodeWordBoundary(at: position)
    case nil: false
    }
  }

  private func isWordBoundary(at position: Int) -> Bool {
    let before = position > 0 && RegexParser.isWord(text[position - 1])
    let after = position < count && RegexParser.isWord(text[position])
    return before != after
  }

  private func isUnicodeWordBoundary(at position: Int) -> Bool {
    let before = position > 0 && isWord(UTF8Text.decodeBackwards(text, before: position))
    let after = position < count && isWord(UTF8Text.decode(text + position).scalar)
    return before != after
  }

  private func isWord(_ scalar: UInt32) -> Bool {
    if scalar < 0x80 { return RegexParser.isWord(UInt8(scalar)) }
    guard let value = Unicode.Scalar(scalar) else { return false }
    return RegexCategories.word.contains(RegexCategories(of: value))
  }
}
