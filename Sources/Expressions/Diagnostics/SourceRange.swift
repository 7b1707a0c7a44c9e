/// A half-open range of UTF-8 byte offsets in an expression, a template or a file.
///
/// ```swift
/// let source = "user.name == 'Zoé' && user.nam != ''"
/// let program = try ExpressionEnvironment().compile(source).get()
/// let error = try #require(throws: EvaluationError.self) {
///   try program.evaluate(["user": ["name": "Zoé"]])
/// }
/// let range = program.range(of: error, in: program.entries[0])!
/// String(decoding: Array(source.utf8)[range.from..<range.to], as: UTF8.self)  // "user.nam != ''"
/// ```
public struct SourceRange: Hashable, Sendable {
  /// Offset of the first byte.
  public var from: Int
  /// Offset after the last byte.
  public var to: Int

  public init(from: Int, to: Int) {
    self.from = from
    self.to = max(from, to)
  }

  /// The smallest range that covers both ranges.
  package func union(_ other: SourceRange) -> SourceRange {
    SourceRange(from: min(from, other.from), to: max(to, other.to))
  }
}

/// The line and column of a byte offset, both counted from 1. Columns count characters.
package struct SourcePosition: Equatable {
  package var line: Int
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  package init(offset: Int, in source: some Collection<UInt8>) {
    var line = 1
    var column = 1
    for byte in source.prefix(max(0, offset)) {
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    self.init(line: line, column: column)
  }

  /// The number of characters from one offset to a later offset, or nil if a line ends between them.
  static func columns(from: Int, to: Int, in source: [UInt8]) -> Int? {
    let between = source[from..<to]
    return between.contains(UInt8(ascii: "\n"))
      ? nil : between.reduce(0) { $0 + ($1 & 0xC0 != 0x80 ? 1 : 0) }
  }

  /// The positions of many offsets, in one walk over the source.
  package static func all(_ offsets: some Sequence<Int>, in source: [UInt8]) -> [Int:
    SourcePosition]
  {
    var positions: [Int: SourcePosition] = [:]
    var position = SourcePosition(line: 1, column: 1)
    var at = 0
    for offset in offsets.sorted() {
      while at < min(offset, source.count) {
        if source[at] == UInt8(ascii: "\n") {
          position.line += 1
          position.column = 1
        } else if source[at] & 0xC0 != 0x80 {
          position.column += 1
        }
        at += 1
      }
      positions[offset] = position
    }
    return positions
  }
}
