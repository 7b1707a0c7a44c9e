/// Compresses text into members with the same amount of content, so that the bytes depend only on the text, not on its
/// division or on stops of the run.
final class CompressedOutput {
  // SAFETY: A member holds at most 256 KiB, and `compressed` has the library's own bound for that.
  // `deinit` frees it. Tests: CompressedOutputTests.

  /// The bytes of text in each member except the last.
  static let memberSize = 256 << 10

  /// The text of the member that is not full yet.
  private(set) var pending: [UInt8]
  private let encoder: any Compression.Encoder
  private let compressed: UnsafeMutableRawBufferPointer

  /// - Parameter pending: the pending content of an earlier start of the run.
  init(_ compression: Compression, pending: [UInt8] = []) throws {
    self.pending = pending
    self.pending.reserveCapacity(CompressedOutput.memberSize)
    encoder = try compression.encoder()
    compressed = .allocate(
      byteCount: encoder.bound(CompressedOutput.memberSize), alignment: 16)
  }

  deinit { compressed.deallocate() }

  /// Adds text, and outputs the members that are full.
  func add(_ text: UnsafeRawBufferPointer, _ put: (UnsafeRawBufferPointer) throws -> Void) throws {
    var rest = text[...]
    while pending.count + rest.count >= CompressedOutput.memberSize {
      let part = rest.prefix(CompressedOutput.memberSize - pending.count)
      rest = rest.dropFirst(part.count)
      if pending.isEmpty {
        try compress(UnsafeRawBufferPointer(rebasing: part), put)
      } else {
        pending += part
        try compressPending(put)
      }
    }
    pending += rest
  }

  /// Outputs the last member. The last member may be empty, because an empty file is not a valid compressed file.
  func finish(isEmpty: Bool, _ put: (UnsafeRawBufferPointer) throws -> Void) throws {
    if isEmpty || !pending.isEmpty { try compressPending(put) }
  }

  private func compressPending(_ put: (UnsafeRawBufferPointer) throws -> Void) throws {
    try pending.withUnsafeBytes { try compress($0, put) }
    pending.removeAll(keepingCapacity: true)
  }

  private func compress(
    _ text: UnsafeRawBufferPointer, _ put: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let count = try encoder.encode(text, into: compressed)
    try put(UnsafeRawBufferPointer(rebasing: compressed[..<count]))
  }
}
