internal import RuleEngine

extension XXH64 {
  /// The hash of some bytes in the form that manifests and records store.
  static func text(of bytes: [UInt8]) -> String {
    // SAFETY: The view of the array stays in the closure. Tests: PrecomputeFilesTests.
    var stream = Stream()
    bytes.withUnsafeBytes { stream.add($0) }
    return stream.text
  }
}

extension XXH64.Stream {
  /// The hash as a string: `xxh64:` and 16 hexadecimal digits.
  var text: String {
    let digits = String(finish(), radix: 16)
    return "xxh64:" + String(repeating: "0", count: 16 - digits.count) + digits
  }
}
