package import Expressions

/// Finds the positions of elements in JSON, for messages that point into a file.
package enum JSONLocation {
  /// The lines of the values at paths such as `trigger_options[2].rules[0]`, counted from 1, in one walk over the JSON.
  /// If a path does not exist, the line of its last existing element is returned.
  package static func lines(of paths: some Sequence<String>, in json: [UInt8]) -> [String: Int] {
    lines(find(paths, in: json).mapValues { $0.lowerBound }, json)
  }

  /// The byte ranges of the values at paths. If a path does not exist, the range is empty and at the start of the
  /// path's last existing element. Values after a syntax error have no ranges.
  package static func places(of paths: some Sequence<String>, in json: [UInt8]) -> [String: Range<
    Int
  >] {
    find(paths, in: json)
  }

  /// The bytes of a file for a part of a string. The file may contain escapes.
  ///
  /// - Parameters:
  ///   - range: the part of the string.
  ///   - string: the place of the string, with its quotes.
  package static func range(_ range: SourceRange, ofStringAt string: Range<Int>, in json: [UInt8])
    -> SourceRange
  {
    var at = string.lowerBound + 1
    let end = max(at, string.upperBound - 1)
    var decoded = 0
    var from: Int?
    while at < end, decoded < range.to || from == nil {
      if from == nil, decoded >= range.from { from = at }
      if decoded >= range.to { break }
      let (length, bytes) = character(at: at, end, json)
      at += length
      decoded += bytes
    }
    return SourceRange(from: from ?? at, to: at)
  }

  /// The number of bytes, in the file and in the string, of the byte or escape at an offset.
  private static func character(at: Int, _ end: Int, _ json: [UInt8]) -> (Int, Int) {
    // SAFETY: Twelve bytes of source become at most 18, and the buffer has 24. Places are limited
    // to `end`. Tests: JSONLocationTests.
    guard json[at] == UInt8(ascii: "\\"), at + 1 < end else { return (1, 1) }
    guard json[at + 1] == UInt8(ascii: "u") else { return (2, 1) }
    // A surrogate pair is one character. A lone surrogate counts as its replacement.
    return json.withUnsafeBufferPointer { buffer in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { memory in
        guard let target = memory.baseAddress else { return (1, 1) }
        func decoded(_ count: Int) -> Int {
          JSONCursor.unescape(ByteView(rebasing: buffer[at..<min(at + count, end)]), into: target)
        }
        let one = decoded(6)
        if at + 12 <= end, json[at + 6] == UInt8(ascii: "\\"), json[at + 7] == UInt8(ascii: "u"),
          decoded(12) == 4, one == 3
        {
          return (12, 4)
        }
        return (6, one)
      }
    }
  }

  /// The byte ranges of the values at paths. A path that does not exist has no range.
  package static func ranges(of paths: some Sequence<String>, in json: [UInt8]) -> [String: Range<
    Int
  >] {
    find(paths, in: json).filter { !$0.value.isEmpty }
  }

  /// The place of the value at each path. If the value is missing, the place is an empty range where the value would
  /// be.
  private static func find(_ paths: some Sequence<String>, in json: [UInt8])
    -> [String: Range<Int>]
  {
    var root = PathTree()
    for path in Set(paths) { root.add(path, steps(path)[...]) }
    var found: [String: Range<Int>] = [:]
    // SAFETY: The cursor stays in the closure; paths and ranges are copies.
    // Tests: JSONLocationTests.
    json.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return }
      var cursor = JSONCursor(base, from: 0, to: bytes.count)
      // Values after a syntax error get the line of their parent.
      try? visit(root, &cursor, &found, nesting: 1_000)
    }
    return found
  }

  private enum Step: Hashable {
    case key(String)
    case index(Int)
  }

  /// The requested paths by their steps.
  private struct PathTree {
    var paths: [String] = []
    var below: [Step: PathTree] = [:]

    mutating func add(_ path: String, _ steps: ArraySlice<Step>) {
      guard let step = steps.first else {
        paths.append(path)
        return
      }
      below[step, default: PathTree()].add(path, steps.dropFirst())
    }

    /// Assigns an offset to all paths of the tree.
    func mark(_ offset: Int, _ found: inout [String: Range<Int>]) {
      for path in paths { found[path] = offset..<offset }
      for tree in below.values { tree.mark(offset, &found) }
    }
  }

  private static func steps(_ path: String) -> [Step] {
    path.split(separator: ".").flatMap { part -> [Step] in
      let pieces = part.split(separator: "[")
      let key = pieces.first.map { [Step.key(String($0))] } ?? []
      return key + pieces.dropFirst().compactMap { Int($0.dropLast()).map { .index($0) } }
    }
  }

  private static func visit(
    _ tree: PathTree, _ cursor: inout JSONCursor, _ found: inout [String: Range<Int>],
    nesting: Int
  ) throws(JSONFault) {
    let first = cursor.peek()
    let start = cursor.at
    tree.mark(start, &found)
    switch first {
    case UInt8(ascii: "{") where !tree.below.isEmpty && nesting > 0:
      try cursor.forEachMember(nesting: nesting) { (cursor, key) throws(JSONFault) in
        try visit(tree.below[.key(key.text)], &cursor, &found, nesting: nesting - 1)
      }
    case UInt8(ascii: "[") where !tree.below.isEmpty && nesting > 0:
      var index = 0
      try cursor.forEachElement(nesting: nesting) { (cursor) throws(JSONFault) in
        try visit(tree.below[.index(index)], &cursor, &found, nesting: nesting - 1)
        index += 1
      }
    default: try cursor.skipValue(nesting: nesting)
    }
    for path in tree.paths { found[path] = start..<cursor.at }
  }

  private static func visit(
    _ tree: PathTree?, _ cursor: inout JSONCursor, _ found: inout [String: Range<Int>],
    nesting: Int
  ) throws(JSONFault) {
    guard let tree else { return try cursor.skipValue(nesting: nesting) }
    try visit(tree, &cursor, &found, nesting: nesting)
  }

  /// Lines of offsets, counting newlines once.
  private static func lines(_ offsets: [String: Int], _ json: [UInt8]) -> [String: Int] {
    var lines: [String: Int] = [:]
    var line = 1
    var at = 0
    for (path, offset) in offsets.sorted(by: { $0.value < $1.value }) {
      while at < min(offset, json.count) {
        if json[at] == UInt8(ascii: "\n") { line += 1 }
        at += 1
      }
      lines[path] = line
    }
    return lines
  }
}
