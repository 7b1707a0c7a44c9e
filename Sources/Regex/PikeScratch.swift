/// A thread through the program that waits until a preferred thread has been followed.
struct PikePending {
  /// The instruction to continue at, or a slot to restore.
  var index: Int32
  var isSlot: Bool
  /// The old value of the slot.
  var value: Int
}

/// Threads that wait for the next character, in order of preference.
struct PikeThreads {
  // SAFETY: The memory belongs to the `PikeScratch`, which outlives every search.
  // Tests: RegexDifferentialTests, asan.

  let instructions: UnsafeMutablePointer<UInt32>
  /// The slots of each thread, one after the other.
  let slots: UnsafeMutablePointer<Int>
  var count = 0
}

/// The Pike matcher's memory, which belongs to one thread of the process. The memory grows to the size of the largest
/// program, and is reused for the next program.
@usableFromInline struct PikeScratch: ~Copyable, @unchecked Sendable {
  // SAFETY: The scratch owns its memory, frees it in `deinit` and cannot be copied, so one thread
  // has it at a time. `prepare` grows it before each search, and clears the marks before they run
  // out. Memory for groups is at most 32 MiB. Tests: RegexDifferentialTests, RegexLimitTests, asan.

  private(set) var marks: UnsafeMutablePointer<UInt32>
  private(set) var pending: UnsafeMutablePointer<PikePending>
  private(set) var current: PikeThreads
  private(set) var waiting: PikeThreads
  /// The slots of the thread that is being followed.
  private(set) var slots: UnsafeMutablePointer<Int>
  /// The slots of the best match so far.
  private(set) var bestSlots: UnsafeMutablePointer<Int>
  /// The last mark that was used. Marks only grow, so old marks need not be cleared.
  var stamp: UInt32 = 0
  /// The number of steps of the last search.
  var steps = 0
  private var instructionCapacity: Int
  private var slotCapacity: Int
  private var threadSlotCapacity: Int

  init() {
    instructionCapacity = 0
    slotCapacity = 0
    threadSlotCapacity = 0
    marks = .allocate(capacity: 0)
    pending = .allocate(capacity: 0)
    current = Self.threads(0, slots: 0)
    waiting = Self.threads(0, slots: 0)
    slots = .allocate(capacity: 0)
    bestSlots = .allocate(capacity: 0)
  }

  deinit {
    marks.deallocate()
    pending.deallocate()
    Self.deallocate(current)
    Self.deallocate(waiting)
    slots.deallocate()
    bestSlots.deallocate()
  }

  /// Reserves memory for a program, and marks for every position of a text.
  mutating func prepare(instructions: Int, slots wanted: Int, positions: Int) {
    if instructions > instructionCapacity || instructions * wanted > threadSlotCapacity {
      grow(
        instructions: max(instructions, instructionCapacity),
        threadSlots: max(instructions * wanted, threadSlotCapacity))
    }
    if wanted > slotCapacity {
      slots.deallocate()
      bestSlots.deallocate()
      slots = .allocate(capacity: wanted)
      bestSlots = .allocate(capacity: wanted)
      slotCapacity = wanted
    }
    for slot in 0..<wanted { bestSlots[slot] = -1 }
    // Each position uses one mark, or two marks if the search jumps ahead.
    if UInt64(stamp) + 2 * UInt64(positions) + 4 > UInt64(UInt32.max) {
      marks.update(repeating: 0, count: instructionCapacity)
      stamp = 0
    }
  }

  /// The range of a group after a match, or nil if the group took no part.
  func range(ofGroup group: Int) -> Range<Int>? {
    let from = bestSlots[2 * group]
    let to = bestSlots[2 * group + 1]
    return from >= 0 && from <= to ? from..<to : nil
  }

  private mutating func grow(instructions: Int, threadSlots: Int) {
    marks.deallocate()
    pending.deallocate()
    Self.deallocate(current)
    Self.deallocate(waiting)
    marks = .allocate(capacity: instructions)
    marks.initialize(repeating: 0, count: instructions)
    // Every instruction is followed once per position, so it adds at most one pending thread.
    pending = .allocate(capacity: instructions + 1)
    current = Self.threads(instructions, slots: threadSlots)
    waiting = Self.threads(instructions, slots: threadSlots)
    instructionCapacity = instructions
    threadSlotCapacity = threadSlots
    stamp = 0
  }

  private static func threads(_ instructions: Int, slots: Int) -> PikeThreads {
    PikeThreads(
      instructions: .allocate(capacity: instructions), slots: .allocate(capacity: slots))
  }

  private static func deallocate(_ threads: PikeThreads) {
    threads.instructions.deallocate()
    threads.slots.deallocate()
  }
}
