/// The uncompressed content of a file, one member after the other.
final class CompressedInput {
  // SAFETY: `rest` is a part of `memory`, which stays until `deinit`. A decoder reports no more
  // bytes than it was given. Tests: CompressedOutputTests.contentInPieces, EncodingTests.

  private let path: String
  private let source: Lookahead.Source
  private let compression: Compression
  private let decoder: any Compression.Decoder
  private let memory: UnsafeMutableRawBufferPointer
  /// The part of the memory that is not decompressed yet.
  private var rest: UnsafeRawBufferPointer
  /// Whether the input is between members, where it may end.
  private var isBetweenMembers = true
  private var hasMember = false
  private var isAtEnd = false

  /// - Parameters:
  ///   - source: puts the next compressed bytes into memory and returns their number.
  init(_ path: String, _ compression: Compression, _ source: @escaping Lookahead.Source) throws {
    self.path = path
    self.source = source
    self.compression = compression
    decoder = try compression.decoder()
    memory = .allocate(byteCount: 1 << 17, alignment: 16)
    rest = UnsafeRawBufferPointer(rebasing: memory[..<0])
  }

  deinit { memory.deallocate() }

  /// Puts the next bytes of the content into memory: at least one byte, or no bytes at the end.
  func read(into target: UnsafeMutableRawBufferPointer) throws -> Int {
    guard !target.isEmpty, !isAtEnd else { return 0 }
    while true {
      if rest.isEmpty, try !refill() { return 0 }
      if isBetweenMembers, hasMember, try !beginMember() { continue }
      let step = try decode(into: target)
      if step.written > 0 { return step.written }
    }
  }

  private func decode(into target: UnsafeMutableRawBufferPointer) throws -> Compression.Step {
    do {
      let step = try decoder.decode(rest, into: target)
      rest = UnsafeRawBufferPointer(rebasing: rest[step.read...])
      if step.isAtEnd {
        isBetweenMembers = true
        hasMember = true
      } else if step.read > 0 || step.written > 0 {
        isBetweenMembers = false
      }
      return step
    } catch {
      throw CommandError("\(path) \(error.message)")
    }
  }

  /// Skips zeros after a member. Tapes and some tools pad blocks with zeros.
  ///
  /// - Returns: whether another member begins here.
  private func beginMember() throws -> Bool {
    guard let from = rest.firstIndex(where: { $0 != 0 }) else {
      rest = UnsafeRawBufferPointer(rebasing: rest[rest.endIndex...])
      return false
    }
    guard compression.mayBegin(with: rest[from]) else {
      throw CommandError(
        "\(path) is damaged: its \(compression.rawValue) data is followed by other data")
    }
    rest = UnsafeRawBufferPointer(rebasing: rest[from...])
    return true
  }

  /// Reads compressed bytes; false at the end.
  private func refill() throws -> Bool {
    let count = try source(memory)
    rest = UnsafeRawBufferPointer(rebasing: memory[..<count])
    guard count == 0 else { return true }
    guard isBetweenMembers else {
      throw CommandError(
        "\(path) is damaged: it ends in the middle of its \(compression.rawValue) data")
    }
    isAtEnd = true
    return false
  }
}
