internal import Expressions
internal import RuleBatch
internal import RuleEngine

/// Reads the lines that begin in a segment of a file, into reused memory.
///
/// Segments are cut without reading the file, so that the worker of a segment can also read it. The first line of a
/// segment begins after the first newline, and the last line ends in a later segment.
final class SegmentReader {
  // SAFETY: The memory has 128 bytes more than the segment, all initialized. Views are made again
  // after it grows, and it is poisoned when the call ends. `deinit` frees it.
  // Tests: InputFormsTests, InputFileTests, asan.

  private var memory: UnsafeMutableRawBufferPointer
  private let lineLimit: Int
  private let isHashing: Bool
  /// The hashes of the segment's blocks, if requested.
  private(set) var blocks: [UInt64] = []

  /// The number of bytes to read after a segment, for its last line.
  private static let overhang = 4_096
  /// The number of bytes after the lines that may be read, whatever they contain.
  static let slack = 128

  init(lineLimit: Int, isHashing: Bool = false) {
    self.lineLimit = lineLimit
    self.isHashing = isHashing
    memory = .allocate(byteCount: 1 << 16, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit {
    ReusedMemory.take(memory.baseAddress, memory.count)
    memory.deallocate()
  }

  /// Calls the body with the lines that begin in `from..<to`. The lines are valid until the call returns.
  ///
  /// A last line that is longer than the limit is cut just after the limit. The cut line is still long enough to be
  /// rejected.
  func withLines<Result>(
    of file: InputFile, from: Int, to: Int, _ body: (ByteView) throws -> Result
  ) throws -> Result {
    ReusedMemory.take(memory.baseAddress, memory.count)
    defer { ReusedMemory.giveBack(memory.baseAddress, memory.count) }
    return try body(try lines(of: file, from: from, to: to))
  }

  private func lines(of file: InputFile, from: Int, to: Int) throws -> ByteView {
    // The preceding byte shows whether a line begins at the first byte.
    let base = max(from - 1, 0)
    let size = file.size ?? to
    var wanted = min(to + SegmentReader.overhang, size) - base
    reserve(wanted, keeping: 0)
    var count = try read(file, base + wanted, base: base, keeping: 0)
    let segment = view(0, min(to - base, count))
    if isHashing {
      blocks = UserHash.blocks(
        of: UnsafeRawBufferPointer(rebasing: memory[from - base..<to - base]))
    }
    var start = from == 0 && hasMark(count) ? 3 : 0
    if from > 0 {
      start = LineScan.newline(in: segment, from: 0) + 1
      if start >= segment.count { return ByteView(start: nil, count: 0) }
    }
    while true {
      let end = LineScan.newline(in: view(0, count), from: max(start, segment.count - 1))
      if end < count { return view(start, end + 1) }
      if base + count >= size { return view(start, count) }
      // The last line continues after the segment, so its beginning is needed.
      let last = lastLine(from: start, segment.count)
      if count - last > lineLimit { return view(start, last + lineLimit + 1) }
      wanted = min(count + max(count - last, SegmentReader.overhang), size - base)
      reserve(wanted, keeping: count)
      count = try read(file, base + wanted, base: base, keeping: count)
    }
  }

  private func view(_ from: Int, _ to: Int) -> ByteView {
    ByteView(
      start: memory.baseAddress.map {
        UnsafePointer($0.assumingMemoryBound(to: UInt8.self)) + from
      },
      count: to - from)
  }

  /// Whether the memory begins with a byte-order mark.
  private func hasMark(_ count: Int) -> Bool {
    count >= 3 && memory[..<3].elementsEqual([0xEF, 0xBB, 0xBF])
  }

  private func lastLine(from start: Int, _ end: Int) -> Int {
    var at = end - 1
    while at > start, memory[at - 1] != UInt8(ascii: "\n") { at -= 1 }
    return at
  }

  private func read(_ file: InputFile, _ end: Int, base: Int, keeping: Int) throws -> Int {
    let part = UnsafeMutableRawBufferPointer(rebasing: memory[keeping..<end - base])
    let count = try keeping + file.read(into: part, at: base + keeping)
    guard count == end - base else {
      throw file.shortened
    }
    return count
  }

  /// Makes room for this many bytes, and for some further bytes that may be read.
  private func reserve(_ count: Int, keeping: Int) {
    guard count + SegmentReader.slack > memory.count else { return }
    let larger = UnsafeMutableRawBufferPointer.allocate(
      byteCount: count + count / 4 + SegmentReader.slack, alignment: 16)
    larger.initializeMemory(as: UInt8.self, repeating: 0)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<keeping]))
    memory.deallocate()
    memory = larger
  }
}
