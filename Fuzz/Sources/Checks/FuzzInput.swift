/// The bytes of one run, cut at zero bytes into parts: a text for each, with broken UTF-8 mended,
/// because strings are what Tollgate is given.
struct FuzzInput {
  let parts: [String]

  init(_ bytes: UnsafeBufferPointer<UInt8>, parts count: Int = .max) {
    parts = bytes.split(separator: 0, maxSplits: count - 1, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// A part, or the empty text.
  subscript(i: Int) -> String { parts.indices.contains(i) ? parts[i] : "" }
}

/// Ends the process, which is how libFuzzer learns of a finding, unless the condition holds.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  if !condition { fatalError("broken promise: " + message()) }
}
