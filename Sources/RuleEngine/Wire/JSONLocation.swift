internal import Expressions

/// Finds where an element stands in JSON text, for messages that point into a file.
public enum JSONLocation {
  /// Line of the value at a path such as `trigger_options[2].rules[0]`, counted from 1; nil when
  /// there is no such value. A path that breaks off gives the line of what is there.
  public static func line(of path: String, in json: [UInt8]) -> Int? {
    json.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return nil }
      var cursor = JSONCursor(base, from: 0, to: bytes.count)
      _ = cursor.peek()
      var offset = cursor.at
      for step in steps(path) {
        guard let next = try? find(step, &cursor) else { break }
        offset = next
      }
      return SourcePosition(offset: offset, in: bytes).line
    }
  }

  private enum Step {
    case key(String)
    case index(Int)
  }

  private static func steps(_ path: String) -> [Step] {
    path.split(separator: ".").flatMap { part -> [Step] in
      let pieces = part.split(separator: "[")
      let key = pieces.first.map { [Step.key(String($0))] } ?? []
      return key + pieces.dropFirst().compactMap { Int($0.dropLast()).map { .index($0) } }
    }
  }

  private struct NotFound: Error {}

  /// Moves the cursor to the member or element and gives its offset.
  private static func find(_ step: Step, _ cursor: inout JSONCursor) throws -> Int {
    var found: Int?
    var count = 0
    var walker = cursor
    switch step {
    case .key(let name):
      guard walker.peek() == UInt8(ascii: "{") else { throw NotFound() }
      try walker.forEachMember(nesting: 1_000) { (inner, key) throws(JSONFault) in
        _ = inner.peek()
        if key.text == name { found = inner.at }
        try inner.skipValue(nesting: 1_000)
      }
    case .index(let index):
      guard walker.peek() == UInt8(ascii: "[") else { throw NotFound() }
      try walker.forEachElement(nesting: 1_000) { (inner) throws(JSONFault) in
        _ = inner.peek()
        if count == index { found = inner.at }
        count += 1
        try inner.skipValue(nesting: 1_000)
      }
    }
    guard let found else { throw NotFound() }
    cursor.at = found
    return found
  }
}
