extension RegexParser {
  /// A repetition operator as written in the pattern.
  struct RepeatToken {
    var range: Range<Int>
    var minimum: Int
    var maximum: Int?
    var greedy: Bool
  }

  /// The highest count in RE2, for a single repetition and for the product of nested repetitions.
  static let maximumCount = 1_000

  /// Parses `*`, `+`, `?` or a count in braces. The result is nil if the brace is a literal in RE2.
  mutating func parseRepeat() throws(RegexSyntaxError) -> RepeatToken? {
    let from = position
    let bounds: (minimum: Int, maximum: Int?)
    position += 1
    switch bytes[from] {
    case UInt8(ascii: "*"): bounds = (0, nil)
    case UInt8(ascii: "+"): bounds = (1, nil)
    case UInt8(ascii: "?"): bounds = (0, 1)
    default:
      guard let counts = parseCounts() else {
        guard flavor == .rust else { return nil }
        throw RegexSyntaxError(
          .badRepeat, at: from..<from + 1, "{ does not begin a count such as {2}, {2,} or {2,5}",
          suggestion: "write \\{ for the character itself")
      }
      bounds = counts
    }
    let operatorEnd = position
    let isLazy = skip("?")
    try checkBounds(bounds.minimum, bounds.maximum, at: from..<operatorEnd)
    return RepeatToken(
      range: from..<position, minimum: bounds.minimum, maximum: bounds.maximum,
      greedy: isLazy == flags.swapsGreed)
  }

  /// Parses the rest of a count in braces.
  private mutating func parseCounts() -> (minimum: Int, maximum: Int?)? {
    guard let minimum = parseCount() else { return nil }
    if skip("}") { return (minimum, minimum) }
    guard skip(",") else { return nil }
    skipBlanksInCount()
    if skip("}") { return (minimum, nil) }
    guard let maximum = parseCount(), skip("}") else { return nil }
    return (minimum, maximum)
  }

  /// Parses digits. If there are far too many digits, the result certainly exceeds every limit.
  private mutating func parseCount() -> Int? {
    skipBlanksInCount()
    let from = position
    var value = 0
    while position < bytes.count, case let digit = bytes[position], (0x30...0x39).contains(digit) {
      value = min(value * 10 + Int(digit - 0x30), 100_000_000)
      position += 1
    }
    guard position > from else { return nil }
    // In RE2, a brace before a leading zero is a literal.
    if flavor == .re2, bytes[from] == UInt8(ascii: "0"), position - from > 1 { return nil }
    skipBlanksInCount()
    return value
  }

  private mutating func skipBlanksInCount() {
    guard flavor == .rust else { return }
    while position < bytes.count, bytes[position] == 0x20 { position += 1 }
  }

  private func checkBounds(
    _ minimum: Int, _ maximum: Int?, at range: Range<Int>
  ) throws(RegexSyntaxError) {
    if let maximum, maximum < minimum {
      throw RegexSyntaxError(
        .badRepeat, at: range, "the first count is higher than the second",
        suggestion: "write {\(maximum),\(minimum)}")
    }
    let limit = flavor == .re2 ? Self.maximumCount : limits.programSize
    guard max(minimum, maximum ?? 0) <= limit else {
      throw RegexSyntaxError(
        .repeatTooLarge, at: range, "counts go up to \(limit)",
        suggestion: "compare the length with size() instead")
    }
  }

  /// Turns the last part of the group into a repetition.
  mutating func apply(
    _ token: RepeatToken, after previous: RepeatToken?
  ) throws(RegexSyntaxError) {
    if flavor == .re2, let previous {
      try refuseStackedRepeat(token, after: previous)
    }
    guard let operand = groups[groups.count - 1].items.popLast() else {
      throw RegexSyntaxError(
        .missingRepeatArgument, at: token.range, "there is nothing to repeat here",
        suggestion: "write \\\(text(token.range.prefix(1))) for the character itself")
    }
    let node = Self.repetition(of: operand.node, token)
    guard operand.height < 4 * limits.nesting + 16 else {
      throw RegexSyntaxError(
        .nestingTooDeep, at: token.range,
        "repetitions are nested deeper than the limit of \(limits.nesting) allows")
    }
    if flavor == .re2 { try checkProduct(node, at: token.range) }
    groups[groups.count - 1].items.append(Item(node: node, height: operand.height + 1))
  }

  private func refuseStackedRepeat(
    _ token: RepeatToken, after previous: RepeatToken
  ) throws(RegexSyntaxError) {
    let range = previous.range.lowerBound..<token.range.upperBound
    let what = text(previous.range)
    if bytes[token.range.lowerBound] == UInt8(ascii: "+") {
      throw RegexSyntaxError(
        .possessiveQuantifier, at: range, "\(flavor.name) has no possessive quantifiers",
        suggestion: "write \(what): a linear-time matcher never backtracks anyway")
    }
    throw RegexSyntaxError(
      .repeatOfRepeat, at: range, "a repetition cannot follow a repetition",
      suggestion: "put the first one into a group: (?:..\(what))")
  }

  /// The tree of a repetition, simplified without changing its matches. Loops of loops take backtracking matchers too
  /// long.
  private static func repetition(of body: RegexNode, _ token: RepeatToken) -> RegexNode {
    if token.maximum == 0, !hasGroup(body) { return .empty }
    switch body {
    case .empty:
      return .empty
    case .assertion:
      return token.minimum == 0 ? .empty : body
    case .repetition(let inner, let minimum, let maximum, let greedy)
    where greedy == token.greedy && isSimple(minimum, maximum)
      && isSimple(token.minimum, token.maximum):
      let isSame = minimum == token.minimum && maximum == token.maximum
      return isSame
        ? body : .repetition(inner, minimum: 0, maximum: nil, greedy: greedy)
    default:
      if token.minimum == 1, token.maximum == 1 { return body }
      return .repetition(
        body, minimum: token.minimum, maximum: token.maximum, greedy: token.greedy)
    }
  }

  private static func hasGroup(_ node: RegexNode) -> Bool {
    switch node {
    case .empty, .scalar, .set, .assertion: false
    case .group: true
    case .concatenation(let parts), .alternation(let parts): parts.contains(where: hasGroup)
    case .repetition(let body, _, _, _): hasGroup(body)
    }
  }

  /// Whether the counts are those of `*`, `+` or `?`.
  private static func isSimple(_ minimum: Int, _ maximum: Int?) -> Bool {
    maximum == nil ? minimum <= 1 : minimum == 0 && maximum == 1
  }

  private func checkProduct(
    _ node: RegexNode, at range: Range<Int>
  ) throws(RegexSyntaxError) {
    guard case .repetition(_, let minimum, let maximum, _) = node, max(minimum, maximum ?? 0) >= 2
    else { return }
    guard Self.staysWithin(Self.maximumCount, node) else {
      throw RegexSyntaxError(
        .repeatTooLarge, at: range,
        "the counts of nested repetitions multiply to more than \(Self.maximumCount)")
    }
  }

  /// Whether the product of the counts along every path of the tree is at most `limit`.
  private static func staysWithin(_ limit: Int, _ node: RegexNode) -> Bool {
    switch node {
    case .empty, .scalar, .set, .assertion: return true
    case .group(let body, _): return staysWithin(limit, body)
    case .concatenation(let parts), .alternation(let parts):
      return parts.allSatisfy { staysWithin(limit, $0) }
    case .repetition(let body, let minimum, let maximum, _):
      let count = maximum ?? minimum
      if maximum == 0 { return true }
      if count > limit { return false }
      return staysWithin(count > 0 ? limit / count : limit, body)
    }
  }
}
