/// Paths as superscript 1.0.12 writes them: names separated by dots.
enum KeptPaths {
  // SAFETY: Views of local cells stay in their closures. Tests: SuperscriptReferenceTests.

  /// Paths as one string, so that equal sets are one constant. Each path ends with a zero byte.
  static func text(_ paths: [[UInt8]]) -> [UInt8] {
    paths.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 + [0] }
  }

  /// The paths in a string.
  static func paths(_ text: Cell) -> [[UInt8]] {
    withUnsafePointer(to: text) { place in
      place.textBytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
        .map { Array($0) }
    }
  }

  /// Whether a string contains the empty path, which comes first.
  static func holdsOwn(_ text: Cell) -> Bool {
    withUnsafePointer(to: text) { $0.textBytes.first == 0 }
  }

  static func joined(_ names: [String]) -> [UInt8] {
    Array(names.joined(separator: ".").utf8)
  }

  /// The rest of each path that begins with a prefix. For the prefix itself, the rest is empty.
  static func below(_ path: [UInt8], among paths: [[UInt8]]) -> [[UInt8]] {
    paths.compactMap { other in
      guard other.starts(with: path) else { return nil }
      if other.count == path.count { return [] }
      guard other[path.count] == UInt8(ascii: ".") else { return nil }
      return Array(other[(path.count + 1)...])
    }
  }
}
