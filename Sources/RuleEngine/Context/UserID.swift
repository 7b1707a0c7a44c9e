package import Expressions

/// User IDs as the SDKs read them: without white space at both ends.
package enum UserID {
  // SAFETY: Views are slices of the caller's, and offsets come from a string of the same bytes.
  // Tests: UserIDTests.

  /// How IDs of user records are read.
  package enum Reading: String, CaseIterable, Sendable {
    /// White space at both ends is removed, as the SDKs do.
    case sdk
    /// IDs are read unchanged, byte for byte.
    case bytes
  }

  /// Whether an ID has no white space at either end.
  @inlinable package static func isTrimmed(_ id: ByteView) -> Bool {
    guard let first = id.first, let last = id.last else { return true }
    if first &- 0x21 < 0x5E, last &- 0x21 < 0x5E { return true }
    return trimmed(id).count == id.count
  }

  /// Removes white space at both ends of an ID. An ID of only white space becomes empty.
  package static func trimmed(_ id: ByteView) -> ByteView {
    let text = String(decoding: id, as: UTF8.self)
    // Invalid UTF-8 stays unchanged, because a string would have different bytes.
    guard text.utf8.count == id.count else { return id }
    let ends = text.trimmedRange
    let from = text.utf8.distance(from: text.startIndex, to: ends.lowerBound)
    let to = text.utf8.distance(from: text.startIndex, to: ends.upperBound)
    return ByteView(rebasing: id[from..<to])
  }
}

extension String {
  /// The range between the white space at the beginning and at the end.
  fileprivate var trimmedRange: Range<String.Index> {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return startIndex..<startIndex }
    return first..<index(after: last)
  }

  /// The string without white space at both ends.
  package var trimmed: String { String(self[trimmedRange]) }
}
