internal import Expressions
internal import RuleEngine

/// What an earlier run has decided by the same rules, to be looked up by record. Shared by all workers.
///
/// Everything is checked when it is taken in: what a file says is used as places in memory afterwards.
package final class EarlierDecisions: @unchecked Sendable {
  private let memory: UnsafeMutableRawBufferPointer
  private let form: DecisionForm
  /// Whether the time and the time zone are those of the earlier run: without them nothing is known of
  /// users whose records tell of the past.
  private let isSameTime: Bool
  /// By hash, with what does not fit behind it: where an entry begins, plus 1; 0 is free.
  private var places: [UInt64] = []
  private let mask: Int
  package let count: Int
  /// Where the entries begin.
  let first: Int

  /// - Parameters:
  ///   - byteCount: bytes of the file.
  ///   - start: where the entries begin.
  ///   - isSameTime: whether time and time zone are those of the earlier run.
  ///   - fill: writes the content of the file.
  /// - Returns: nil when they are no entries of such a plan.
  package init?(
    of plan: BatchPlan, byteCount: Int, entriesFrom start: Int, isSameTime: Bool,
    fill: (UnsafeMutableRawBufferPointer) throws -> Void
  ) throws {
    form = plan.decisionForm
    first = start
    self.isSameTime = isSameTime
    memory = .allocate(byteCount: max(byteCount, 1), alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    var starts: [UInt64] = []
    do {
      let all = UnsafeMutableRawBufferPointer(rebasing: memory[..<byteCount])
      try fill(all)
      var at = start
      while at < byteCount {
        guard
          let end = EarlierDecisions.end(of: at, UnsafeRawBufferPointer(all), form, plan.ruleSet)
        else {
          (mask, count) = (0, 0)
          return nil
        }
        starts.append(UInt64(at))
        at = end
      }
    } catch {
      (mask, count) = (0, 0)
      throw error
    }
    count = starts.count
    var size = 16
    while size < starts.count + starts.count / 2 { size *= 2 }
    mask = size - 1
    places = Array(repeating: 0, count: size)
    for start in starts { keep(start) }
  }

  deinit { memory.deallocate() }

  private func keep(_ start: UInt64) {
    let hash = hash(at: Int(start))
    var place = Int(truncatingIfNeeded: hash.first) & mask
    while places[place] != 0 {
      // The same record gives the same.
      if self.hash(at: Int(places[place] - 1)) == hash { return }
      place = (place + 1) & mask
    }
    places[place] = start + 1
  }

  private func hash(at start: Int) -> RecordHash {
    func word(_ at: Int) -> UInt64 {
      UInt64(littleEndian: memory.loadUnaligned(fromByteOffset: at, as: UInt64.self))
    }
    return RecordHash(first: word(start), second: word(start + 8))
  }

  /// The entry of a record, from its hash to its end; nil when it has to be decided.
  ///
  /// - Parameter guess: where it may be, which saves a look into the table: records mostly keep their order.
  func entry(_ hash: RecordHash, guess: Int) -> Range<Int>? {
    if guess < memory.count - RecordHash.byteCount, self.hash(at: guess) == hash {
      return usable(guess)
    }
    var place = Int(truncatingIfNeeded: hash.first) & mask
    while places[place] != 0 {
      let start = Int(places[place] - 1)
      if self.hash(at: start) == hash { return usable(start) }
      place = (place + 1) & mask
    }
    return nil
  }

  private func usable(_ start: Int) -> Range<Int>? {
    let size = memory.loadUnaligned(
      fromByteOffset: start + RecordHash.byteCount, as: UInt32.self)
    let content = start + RecordHash.byteCount + 4
    if !isSameTime, memory[content] != 0 { return nil }
    return start..<content + Int(UInt32(littleEndian: size))
  }

  /// The bytes of an entry, which are there as long as this is.
  func bytes(_ entry: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory)[entry])
  }

  // MARK: Checking

  /// Where an entry ends; nil when it is none of the plan.
  private static func end(
    of start: Int, _ bytes: UnsafeRawBufferPointer, _ form: DecisionForm, _ ruleSet: RuleSet
  ) -> Int? {
    var head = EntryCursor(bytes, from: start, to: bytes.count)
    guard head.number(UInt64.self) != nil, head.number(UInt64.self) != nil,
      let size = head.number(UInt32.self), Int(size) <= bytes.count - head.at
    else { return nil }
    let end = head.at + Int(size)
    var cursor = EntryCursor(bytes, from: head.at, to: end)
    guard let past = cursor.number(UInt8.self), past < 2, let subject = cursor.text(),
      !subject.isEmpty
    else { return nil }
    for placement in form.spans.indices {
      guard let number = cursor.number(width: form.width),
        form.choice(number, placement: placement) != nil
      else { return nil }
    }
    while !cursor.isAtEnd {
      guard KeptRemark(&cursor, form, ruleSet) != nil else { return nil }
    }
    return end
  }
}

/// A remark of an entry.
enum KeptRemark {
  case heldBack(rule: Int, count: Int, placement: Int)
  case owned(rule: Int, placement: Int)
  case failed(rule: Int, Failure, placement: Int)
  case stored(placement: Int)
  case unknownKey(ByteView)
  case unknownStatus(ByteView)
  case repeatedKey(ByteView)

  /// Nil when the bytes are none of the plan's.
  init?(_ cursor: inout EntryCursor, _ form: DecisionForm, _ ruleSet: RuleSet) {
    func placement(_ cursor: inout EntryCursor) -> Int? {
      guard let number = cursor.number(UInt32.self), Int(number) < form.spans.count else {
        return nil
      }
      return Int(number)
    }
    func place(_ cursor: inout EntryCursor) -> (placement: Int, rule: Int)? {
      guard let placement = placement(&cursor), let rule = cursor.number(UInt32.self),
        form.spans[placement].rules.contains(Int(rule))
      else { return nil }
      return (placement, Int(rule))
    }
    guard let kind = cursor.number(UInt8.self).flatMap({ DecisionForm.Remark(rawValue: $0) })
    else { return nil }
    switch kind {
    case .heldBack:
      guard let place = place(&cursor), let count = cursor.number(Int64.self) else { return nil }
      self = .heldBack(rule: place.rule, count: Int(count), placement: place.placement)
    case .owned:
      guard let place = place(&cursor) else { return nil }
      self = .owned(rule: place.rule, placement: place.placement)
    case .failed:
      guard let place = place(&cursor), let fault = cursor.number(UInt64.self),
        let slot = cursor.number(Int32.self), let flags = cursor.number(UInt8.self),
        let failure = ruleSet.program.failure(.init(fault: fault, slot: slot, flags: flags))
      else { return nil }
      self = .failed(rule: place.rule, failure, placement: place.placement)
    case .stored:
      guard let placement = placement(&cursor) else { return nil }
      self = .stored(placement: placement)
    case .unknownKey:
      guard let text = cursor.text() else { return nil }
      self = .unknownKey(text)
    case .unknownStatus:
      guard let text = cursor.text() else { return nil }
      self = .unknownStatus(text)
    case .repeatedKey:
      guard let text = cursor.text() else { return nil }
      self = .repeatedKey(text)
    }
  }
}
