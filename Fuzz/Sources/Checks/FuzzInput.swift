/// The bytes of one run, split at zero bytes into strings. Invalid UTF-8 is repaired, because Tollgate's input is strings.
struct FuzzInput {
  let parts: [String]

  init(_ bytes: UnsafeBufferPointer<UInt8>, parts count: Int = .max) {
    parts = bytes.split(separator: 0, maxSplits: count - 1, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// A part, or the empty string.
  subscript(i: Int) -> String { parts.indices.contains(i) ? parts[i] : "" }
}

/// Ends the process unless the condition holds. libFuzzer reports this as a finding.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  if !condition { fatalError("broken promise: " + message()) }
}
