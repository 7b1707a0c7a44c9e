extension RegexParser {
  /// The operation of `&&`, `--` and `~~` on the sets at both sides, in Rust's flavor.
  private enum SetOperator {
    case intersection
    case difference
    case symmetricDifference
  }

  /// A class in brackets that is being parsed.
  private struct OpenClass {
    var start: Int
    var isNegated: Bool
    var builder = RegexSetBuilder()
    /// The set before the last operator.
    var left: RegexSet?
    var pending: SetOperator?
    /// Whether nothing was parsed yet. A bracket at the beginning does not close the class.
    var isFirst = true
  }

  /// Parses a class in brackets.
  mutating func parseClass() throws(RegexSyntaxError) -> RegexNode {
    var open: [OpenClass] = []
    try openClass(&open)
    while true {
      guard position < bytes.count else {
        throw RegexSyntaxError(
          .missingBracket, at: open[0].start..<open[0].start + 1, "this class is never closed",
          suggestion: "add ] or write \\[ for the character itself")
      }
      if flags.extended, skipExtendedSpace() { continue }
      let last = open.count - 1
      if isNext("]"), !open[last].isFirst {
        position += 1
        let set = Self.finish(open.removeLast())
        guard !open.isEmpty else { return node(for: set) }
        open[last - 1].builder.add(set)
        continue
      }
      if flavor == .rust, parseSetOperator(&open[last]) { continue }
      open[last].isFirst = false
      if isNext("["), let set = try parsePosixClass() {
        open[last].builder.add(set)
      } else if flavor == .rust, isNext("[") {
        try openClass(&open)
      } else if isNext("\\"), let set = try parseClassEscape() {
        open[last].builder.add(set)
        if flavor == .rust { try refuseRangeBehindSet() }
      } else {
        try parseClassRange(&open[last].builder)
      }
    }
  }

  private mutating func openClass(_ open: inout [OpenClass]) throws(RegexSyntaxError) {
    let start = position
    try checkNesting(groups.count + open.count - 1, at: start)
    position += 1
    let isNegated = skip("^")
    if isNegated { try requireUnicodeFlag(for: "a negated class") }
    var level = OpenClass(start: start, isNegated: isNegated)
    // Hyphens at the beginning are not operators.
    while flavor == .rust, skip("-") {
      level.builder.add(0x2D, 0x2D)
      level.isFirst = false
    }
    open.append(level)
  }

  /// Parses an operator between two sets, if there is one.
  private mutating func parseSetOperator(_ level: inout OpenClass) -> Bool {
    let found: SetOperator
    if isNext("&"), isNext("&", offset: 1) {
      found = .intersection
    } else if isNext("-"), isNext("-", offset: 1) {
      found = .difference
    } else if isNext("~"), isNext("~", offset: 1) {
      found = .symmetricDifference
    } else {
      return false
    }
    position += 2
    level.left = Self.combine(level)
    level.pending = found
    level.builder = RegexSetBuilder()
    level.isFirst = false
    return true
  }

  /// Combines the sets before and after the operator to the set so far.
  private static func combine(_ level: OpenClass) -> RegexSet {
    let right = level.builder.finish()
    guard let left = level.left, let pending = level.pending else { return right }
    let a = left.explicitRanges
    let b = right.explicitRanges
    switch pending {
    case .intersection: return RegexSet(a.intersected(with: b))
    case .difference: return RegexSet(a.intersected(with: b.complemented()))
    case .symmetricDifference:
      return RegexSet(
        a.intersected(with: b.complemented()) + b.intersected(with: a.complemented()))
    }
  }

  private static func finish(_ level: OpenClass) -> RegexSet {
    if level.left == nil { return level.builder.finish(isNegated: level.isNegated) }
    let set = combine(level)
    return level.isNegated ? set.complement : set
  }

  /// Parses one character or a range of characters.
  private mutating func parseClassRange(
    _ builder: inout RegexSetBuilder
  ) throws(RegexSyntaxError) {
    let start = position
    let low = try parseClassScalar()
    var high = low
    if startsRange {
      position += 1
      high = try parseClassScalar()
    }
    guard low <= high else {
      throw RegexSyntaxError(
        .badClassRange, at: start..<position, "the range \(text(start..<position)) runs backwards",
        suggestion: "put the lower character first")
    }
    builder.add(folded(RegexSet([ScalarRange(low: low, high: high)])))
  }

  private var startsRange: Bool {
    isNext("-") && position + 1 < bytes.count && !isNext("]", offset: 1)
      && !(flavor == .rust && isNext("-", offset: 1))
  }

  /// Rejects a hyphen after a set, where Rust's flavor would begin a range. In RE2, such a hyphen means itself.
  private func refuseRangeBehindSet() throws(RegexSyntaxError) {
    guard startsRange else { return }
    throw RegexSyntaxError(
      .badClassRange, at: position..<position + 1,
      "a range begins with one character, not with a set", suggestion: "write \\- for a hyphen")
  }

  private mutating func parseClassScalar() throws(RegexSyntaxError) -> UInt32 {
    guard isNext("\\") else { return nextScalar() }
    let start = position
    if let name = position + 1 < bytes.count ? bytes[position + 1] : nil,
      "dDsSwWpP".utf8.contains(name)
    {
      throw RegexSyntaxError(
        .badClassRange, at: start..<start + 2, "a range ends with one character, not with a set",
        suggestion: "write \\- for a hyphen")
    }
    return try parseScalarEscape()
  }

  /// Parses `[:alpha:]` or `[:^alpha:]`. The result is nil if the bracket is not a POSIX class.
  private mutating func parsePosixClass() throws(RegexSyntaxError) -> RegexSet? {
    guard isNext(":", offset: 1) else { return nil }
    let start = position
    var end = start + 2
    while end + 1 < bytes.count, bytes[end] != UInt8(ascii: ":") || bytes[end + 1] != 0x5D {
      end += 1
    }
    guard end + 1 < bytes.count else { return nil }
    let isNegated = isNext("^", offset: 2)
    let name = text(start + (isNegated ? 3 : 2)..<end)
    let ranges = Self.asciiClass(named: name)
    guard !ranges.isEmpty else {
      // In Rust's flavor, anything but a known name is a class within the class.
      if flavor == .rust { return nil }
      throw RegexSyntaxError(
        .badClassName, at: start..<end + 2, "there is no class named \(name)",
        suggestion: "names are alpha, digit, alnum, upper, lower, punct, space, word and so on")
    }
    position = end + 2
    let set = folded(RegexSet(ranges))
    return isNegated ? set.complement : set
  }

  /// The POSIX classes, which only have ASCII members. The result is empty for other names.
  static func asciiClass(named name: String) -> [ScalarRange] {
    let bounds: [(UInt32, UInt32)]
    switch name {
    case "alnum": bounds = [(0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)]
    case "alpha": bounds = [(0x41, 0x5A), (0x61, 0x7A)]
    case "ascii": bounds = [(0x00, 0x7F)]
    case "blank": bounds = [(0x09, 0x09), (0x20, 0x20)]
    case "cntrl": bounds = [(0x00, 0x1F), (0x7F, 0x7F)]
    case "digit": bounds = [(0x30, 0x39)]
    case "graph": bounds = [(0x21, 0x7E)]
    case "lower": bounds = [(0x61, 0x7A)]
    case "print": bounds = [(0x20, 0x7E)]
    case "punct": bounds = [(0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)]
    case "space": bounds = [(0x09, 0x0D), (0x20, 0x20)]
    case "upper": bounds = [(0x41, 0x5A)]
    case "word": bounds = [(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)]
    case "xdigit": bounds = [(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)]
    default: bounds = []
    }
    return bounds.map { ScalarRange(low: $0.0, high: $0.1) }
  }
}
