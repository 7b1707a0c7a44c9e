/// A byte stream that allows reading ahead.
final class Lookahead {
  /// Puts the next bytes into memory, at least one byte, and returns their number; 0 at the end.
  typealias Source = (UnsafeMutableRawBufferPointer) throws -> Int

  private let source: Source
  private var ahead: [UInt8] = []
  private var isAtEnd = false

  private static let step = 1 << 16

  init(_ source: @escaping Source) { self.source = source }

  /// The next bytes, at least this many unless the stream ends.
  func peek(_ count: Int) throws -> [UInt8] {
    while ahead.count < count, try peekMore() {}
    return ahead
  }

  /// Calls the body with a growing number of the next bytes until the answer is not nil. `isWhole` is true for all
  /// bytes of the stream.
  func peek<Answer>(_ body: (_ next: [UInt8], _ isWhole: Bool) -> Answer?) throws -> Answer {
    while true {
      if let answer = body(ahead, isAtEnd) { return answer }
      _ = try peekMore()
    }
  }

  private func peekMore() throws -> Bool {
    // SAFETY: The array has room for what was there and one step more. Only what was copied and
    // read counts. Tests: InputFileTests, EncodingTests.
    if isAtEnd { return false }
    let before = ahead.count
    ahead = try [UInt8](unsafeUninitializedCapacity: before + Lookahead.step) { memory, count in
      _ = memory.update(fromContentsOf: ahead)
      count = before
      let rest = UnsafeMutableRawBufferPointer(
        UnsafeMutableBufferPointer(rebasing: memory[before...]))
      count += try source(rest)
    }
    isAtEnd = ahead.count == before
    return !isAtEnd
  }

  /// Skips bytes that were read ahead.
  func drop(_ count: Int) { ahead.removeFirst(min(count, ahead.count)) }

  /// Puts the next bytes into memory: at least one byte, or no bytes at the end.
  func read(into memory: UnsafeMutableRawBufferPointer) throws -> Int {
    // SAFETY: At most as many bytes are copied as fit. Tests: InputFileTests.
    if ahead.isEmpty { return isAtEnd ? 0 : try source(memory) }
    let count = min(memory.count, ahead.count)
    memory.copyBytes(from: ahead[..<count])
    ahead.removeFirst(count)
    return count
  }
}
