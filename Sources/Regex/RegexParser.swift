/// Parses a pattern into a tree that a linear-time matcher can run, or reports why that is impossible.
///
/// The parser has its own stack of open groups, so that the depth of a pattern does not use the thread's stack.
struct RegexParser {
  /// The settings of `(?ims-U)` and similar flags.
  struct Flags {
    var foldsCase = false
    var multiLine = false
    var dotMatchesNewline = false
    var swapsGreed = false
    /// White space and comments are not part of the pattern.
    var extended = false
    /// `\d \w \s \b` have Unicode's definitions.
    var unicode = false
  }

  /// A finished part with the height of its tree.
  struct Item {
    var node: RegexNode
    var height: Int
  }

  /// A group that is being parsed. The first group is the pattern itself.
  struct OpenGroup {
    /// Number of a capturing group.
    var index: Int?
    /// Offset of the parenthesis.
    var start: Int
    /// The flags to restore after the group.
    var outerFlags: Flags
    var branches: [Item] = []
    var items: [Item] = []
  }

  let bytes: [UInt8]
  let flavor: RegexFlavor
  let limits: RegexLimits
  var position = 0
  var flags: Flags
  var groups: [OpenGroup]
  var groupNames: [String?] = [nil]
  var sets: [RegexSet] = []
  var setIndexes: [RegexSet: Int] = [:]
  var foldedSets: [RegexSet: RegexSet] = [:]
  /// The number of ranges in all sets. Ranges take memory that the count of instructions does not include.
  var rangeCount = 0

  /// Parses a pattern in UTF-8.
  static func parse(
    _ bytes: [UInt8], flavor: RegexFlavor, unicodeClasses: Bool, limits: RegexLimits
  ) throws(RegexSyntaxError) -> ParsedRegex {
    guard bytes.count <= limits.patternBytes else {
      throw RegexSyntaxError(
        .patternTooLong, at: 0..<bytes.count,
        "the pattern has \(bytes.count) bytes, more than the limit of \(limits.patternBytes)")
    }
    if let offset = UTF8Text.firstInvalidOffset(in: bytes) {
      throw RegexSyntaxError(
        .invalidUTF8, at: offset..<offset + 1, "the pattern is not valid UTF-8")
    }
    var parser = RegexParser(
      bytes: bytes, flavor: flavor, unicodeClasses: unicodeClasses, limits: limits)
    return try parser.parse()
  }

  private init(bytes: [UInt8], flavor: RegexFlavor, unicodeClasses: Bool, limits: RegexLimits) {
    self.bytes = bytes
    self.flavor = flavor
    self.limits = limits
    flags = Flags(unicode: unicodeClasses)
    groups = [OpenGroup(index: nil, start: 0, outerFlags: flags)]
  }

  private mutating func parse() throws(RegexSyntaxError) -> ParsedRegex {
    var previous: RepeatToken?
    while position < bytes.count {
      if flags.extended, skipExtendedSpace() { continue }
      previous = try parseToken(after: previous)
    }
    guard groups.count == 1 else {
      let start = groups[groups.count - 1].start
      throw RegexSyntaxError(
        .missingParenthesis, at: start..<start + 1, "this group is never closed",
        suggestion: "add ) or write \\( for the character itself")
    }
    let root = finishGroup()
    return ParsedRegex(root: root.node, sets: sets, groupNames: groupNames)
  }

  /// Parses one token outside of classes. The result is whether the token was a repetition operator.
  private mutating func parseToken(
    after previous: RepeatToken?
  ) throws(RegexSyntaxError) -> RepeatToken? {
    let from = position
    let byte = bytes[position]
    switch byte {
    case UInt8(ascii: "("): try openGroup()
    case UInt8(ascii: ")"): try closeGroup()
    case UInt8(ascii: "|"):
      position += 1
      finishBranch()
    case UInt8(ascii: "["): append(try parseClass())
    case UInt8(ascii: "\\"): try parseEscape()
    case UInt8(ascii: "."):
      try requireUnicodeFlag(for: ".")
      position += 1
      append(node(for: flags.dotMatchesNewline ? .everything : .notNewline))
    case UInt8(ascii: "^"):
      position += 1
      append(.assertion(flags.multiLine ? .lineStart : .textStart))
    case UInt8(ascii: "$"):
      position += 1
      append(.assertion(flags.multiLine ? .lineEnd : .textEnd))
    case UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "?"), UInt8(ascii: "{"):
      guard let token = try parseRepeat() else {
        position = from + 1
        append(.scalar(UInt32(byte)))
        return nil
      }
      try apply(token, after: previous)
      return token
    default:
      appendLiteral(nextScalar())
    }
    return nil
  }
}

// MARK: - Parts of a group

extension RegexParser {
  /// Adds a part that contains no other parts.
  mutating func append(_ node: RegexNode) {
    groups[groups.count - 1].items.append(Item(node: node, height: 1))
  }

  /// Adds a code point according to the flags.
  mutating func appendLiteral(_ scalar: UInt32) {
    append(literal(scalar))
  }

  /// The node of a code point, with its case partners if the flags require them.
  mutating func literal(_ scalar: UInt32) -> RegexNode {
    var members = [ScalarRange(low: scalar, high: scalar)]
    if flags.foldsCase {
      members += CaseFolding.others(of: scalar).map { ScalarRange(low: $0, high: $0) }
    }
    return node(for: RegexSet(members))
  }

  /// The node of a set. Equal sets are stored once.
  mutating func node(for set: RegexSet) -> RegexNode {
    if let only = set.onlyScalar { return .scalar(only) }
    if let index = setIndexes[set] { return .set(index) }
    sets.append(set)
    setIndexes[set] = sets.count - 1
    rangeCount += set.ranges.count
    return .set(sets.count - 1)
  }

  /// Ends one alternative.
  mutating func finishBranch() {
    let last = groups.count - 1
    let items = groups[last].items
    groups[last].items = []
    groups[last].branches.append(Self.join(items, empty: .empty) { .concatenation($0) })
  }

  /// Ends the innermost group and returns its content.
  private mutating func finishGroup() -> Item {
    finishBranch()
    let group = groups.removeLast()
    var item = Self.join(group.branches, empty: .empty) { .alternation($0) }
    if let index = group.index {
      item = Item(node: .group(item.node, index: index), height: item.height + 1)
    }
    return item
  }

  private static func join(
    _ items: [Item], empty: RegexNode, _ combine: ([RegexNode]) -> RegexNode
  ) -> Item {
    switch items.count {
    case 0: return Item(node: empty, height: 1)
    case 1: return items[0]
    default:
      let height = items.reduce(0) { max($0, $1.height) }
      return Item(node: combine(items.map { $0.node }), height: height + 1)
    }
  }

  private mutating func closeGroup() throws(RegexSyntaxError) {
    guard groups.count > 1 else {
      throw RegexSyntaxError(
        .unexpectedParenthesis, at: position..<position + 1, "there is no group to close here",
        suggestion: "remove it or write \\) for the character itself")
    }
    position += 1
    flags = groups[groups.count - 1].outerFlags
    let item = finishGroup()
    groups[groups.count - 1].items.append(item)
  }

  /// Opens a group after its parenthesis and flags, which are between `start` and `position`.
  mutating func pushGroup(
    index: Int?, start: Int, outerFlags: Flags
  ) throws(RegexSyntaxError) {
    try checkNesting(groups.count, at: start)
    groups.append(OpenGroup(index: index, start: start, outerFlags: outerFlags))
  }

  /// Rejects a depth above the limit.
  func checkNesting(_ depth: Int, at offset: Int) throws(RegexSyntaxError) {
    guard depth <= limits.nesting else {
      throw RegexSyntaxError(
        .nestingTooDeep, at: offset..<offset + 1,
        "groups and classes are nested deeper than the limit of \(limits.nesting)")
    }
  }
}

// MARK: - Reading text

extension RegexParser {
  /// Whether an ASCII character comes next.
  func isNext(_ character: Unicode.Scalar, offset: Int = 0) -> Bool {
    position + offset < bytes.count && bytes[position + offset] == UInt8(ascii: character)
  }

  /// Skips an ASCII character if it comes next.
  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard isNext(character) else { return false }
    position += 1
    return true
  }

  /// Reads one code point, which must exist.
  mutating func nextScalar() -> UInt32 {
    // SAFETY: The initializer rejects patterns that are not valid UTF-8, and `position` is before
    // the end. So the whole character is in the buffer. Tests: RegexRejectionTests, fuzz regex.
    let (scalar, width) = bytes.withUnsafeBufferPointer { buffer in
      // The pattern is valid UTF-8, and the caller knows that this is not the end.
      UTF8Text.decode(buffer.baseAddress! + position)
    }
    position += width
    return scalar
  }

  /// A range of the pattern as a string.
  func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  /// Skips white space or a comment, which `(?x)` allows between tokens.
  mutating func skipExtendedSpace() -> Bool {
    let from = position
    if skip("#") {
      while position < bytes.count, bytes[position] != 0x0A { position += 1 }
      return true
    }
    let scalar = nextScalar()
    if let value = Unicode.Scalar(scalar), value.properties.isPatternWhitespace { return true }
    position = from
    return false
  }

  /// Rejects a construct without Unicode mode in Rust's flavor, because the construct would match parts of characters.
  func requireUnicodeFlag(for construct: String) throws(RegexSyntaxError) {
    guard flavor == .rust, !flags.unicode else { return }
    throw RegexSyntaxError(
      .anyByte, at: position..<position + 1,
      "without Unicode mode, \(construct) could match a part of a character",
      suggestion: "leave Unicode mode on here")
  }
}
