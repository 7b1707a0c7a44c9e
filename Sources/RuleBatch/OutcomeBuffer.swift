internal import Expressions
internal import RuleEngine

/// The outcomes of a chunk as bytes. The memory is reused for later outcomes.
///
/// Only one thread uses it at a time: a worker writes it, then the file writer reads it.
package final class OutcomeBuffer: @unchecked Sendable {
  // SAFETY: One thread has a buffer at a time: a worker, then the writer. A task's result or the
  // pool's `Locked` passes it on. Room is made before writing. Tests: InputFormsTests, tsan over
  // batches, asan.

  private var memory: UnsafeMutableRawBufferPointer = .init(start: nil, count: 0)
  private var count = 0
  /// Whether to record ``ends``.
  var marksEnds = false
  /// The end of each part that was appended.
  private(set) var ends: [Int] = []

  package init() {}

  deinit {
    ReusedMemory.take(memory.baseAddress, memory.count)
    memory.deallocate()
  }

  /// The outcomes. Valid while the buffer exists and is not written to.
  package var content: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory)[0..<count])
  }

  var bytes: [UInt8] { Array(content) }

  /// Clears the buffer. Views of its content must no longer be read.
  package func clear() {
    count = 0
    ends.removeAll(keepingCapacity: true)
    ReusedMemory.giveBack(memory.baseAddress, memory.count)
  }

  /// Appends up to `capacity` bytes. `write` returns the address where they end.
  func append(
    capacity: Int, _ write: (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer
  ) {
    if memory.count - count < capacity {
      let larger = UnsafeMutableRawBufferPointer.allocate(
        byteCount: (count + capacity) * 2, alignment: 16)
      larger.copyMemory(from: content)
      ReusedMemory.giveBack(larger.baseAddress.map { $0 + count }, larger.count - count)
      ReusedMemory.take(memory.baseAddress, memory.count)
      memory.deallocate()
      memory = larger
    }
    defer { if marksEnds { ends.append(count) } }
    guard capacity > 0, let start = memory.baseAddress else { return }
    ReusedMemory.take(start + count, capacity)
    let end = write(start + count) - start
    ReusedMemory.giveBack(start + end, count + capacity - end)
    count = end
  }
}
