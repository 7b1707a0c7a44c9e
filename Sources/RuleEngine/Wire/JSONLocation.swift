internal import Expressions

/// Finds where elements stand in JSON text, for messages that point into a file.
public enum JSONLocation {
  /// Lines of the values at paths such as `trigger_options[2].rules[0]`, counted from 1, in one
  /// walk over the text. A path that breaks off has the line of what is there.
  public static func lines(of paths: some Sequence<String>, in json: [UInt8]) -> [String: Int] {
    var root = PathTree()
    for path in Set(paths) { root.add(path, steps(path)[...]) }
    var offsets: [String: Int] = [:]
    json.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return }
      var cursor = JSONCursor(base, from: 0, to: bytes.count)
      // What lies behind a fault keeps the line of what surrounds it.
      try? visit(root, &cursor, &offsets, nesting: 1_000)
    }
    return lines(offsets, json)
  }

  private enum Step: Hashable {
    case key(String)
    case index(Int)
  }

  /// The wanted paths by their steps.
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

    /// Gives all paths of the tree an offset.
    func mark(_ offset: Int, _ offsets: inout [String: Int]) {
      for path in paths { offsets[path] = offset }
      for tree in below.values { tree.mark(offset, &offsets) }
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
    _ tree: PathTree, _ cursor: inout JSONCursor, _ offsets: inout [String: Int], nesting: Int
  ) throws(JSONFault) {
    let first = cursor.peek()
    tree.mark(cursor.at, &offsets)
    guard !tree.below.isEmpty, nesting > 0 else { return try cursor.skipValue(nesting: nesting) }
    switch first {
    case UInt8(ascii: "{"):
      try cursor.forEachMember(nesting: nesting) { (cursor, key) throws(JSONFault) in
        if let inner = tree.below[.key(key.text)] {
          try visit(inner, &cursor, &offsets, nesting: nesting - 1)
        } else {
          try cursor.skipValue(nesting: nesting - 1)
        }
      }
    case UInt8(ascii: "["):
      var index = 0
      try cursor.forEachElement(nesting: nesting) { (cursor) throws(JSONFault) in
        if let inner = tree.below[.index(index)] {
          try visit(inner, &cursor, &offsets, nesting: nesting - 1)
        } else {
          try cursor.skipValue(nesting: nesting - 1)
        }
        index += 1
      }
    default: try cursor.skipValue(nesting: nesting)
    }
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
