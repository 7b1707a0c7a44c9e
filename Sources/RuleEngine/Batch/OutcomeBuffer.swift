internal import Expressions

/// Outcomes of a chunk as text. The memory stays when others take their place.
///
/// One thread at a time has it: a worker writes it, then what writes files reads it.
package final class OutcomeBuffer: @unchecked Sendable {
  private var memory: UnsafeMutableRawBufferPointer = .init(start: nil, count: 0)
  private var count = 0

  package init() {}

  deinit { memory.deallocate() }

  /// The outcomes. They are there as long as the buffer is and nothing else is written to it.
  package var content: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory)[0..<count])
  }

  var bytes: [UInt8] { Array(content) }

  /// Replaces the content by up to `capacity` bytes, of which `write` says how many there are.
  func replace(capacity: Int, _ write: (UnsafeMutableRawPointer) -> Int) {
    if memory.count < capacity {
      memory.deallocate()
      memory = .allocate(byteCount: capacity + capacity / 4, alignment: 16)
    }
    count = 0
    if capacity > 0, let start = memory.baseAddress { count = write(start) }
  }
}
