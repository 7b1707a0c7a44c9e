/// Writes a checked pattern in PCRE2's syntax, so that PCRE2 never parses a user's input.
///
/// The output relies on the options that ``NativePattern`` sets: a dot matches everything, `\N` everything except a line feed,
/// and nothing depends on case flags or on Unicode properties of `\w`. Sets are written as bracketed classes with all their
/// ASCII members, because the generated code tests these with one bit before it looks up any category.
struct PatternTranslation {
  private var text: [UInt8] = []
  private let sets: [RegexSet]
  private let maximumLength: Int
  /// The output for the sets, by index. A set is often used more than once.
  private var setTexts: [Int: [UInt8]] = [:]

  /// The pattern for PCRE2, or nil if it would be longer than `maximumLength`.
  ///
  /// An empty look-behind at the beginning disables an optimisation of PCRE2's JIT, which remembers where a loop has
  /// failed. The optimisation assumes that the loop fails at earlier positions too, which is wrong after a choice
  /// between alternatives of different lengths: `(?:.|)x*-b` would not match `-b` (seen with 10.42). Other
  /// optimisations of the start of a match still work, except that an anchor after the look-behind is not detected.
  /// Anchored patterns have no second start position anyway.
  static func translate(
    _ regex: ParsedRegex, _ analysis: RegexAnalysis, maximumLength: Int
  ) -> [UInt8]? {
    var translation = PatternTranslation(sets: regex.sets, maximumLength: maximumLength)
    if analysis.hasUnevenChoice, !analysis.isAnchored { translation.write("(?<=)") }
    if case .alternation = regex.root {
      translation.writeGrouped(regex.root)
    } else {
      translation.write(regex.root)
    }
    return translation.isTooLong ? nil : translation.text
  }

  private init(sets: [RegexSet], maximumLength: Int) {
    self.sets = sets
    self.maximumLength = maximumLength
  }

  private var isTooLong: Bool { text.count > maximumLength }

  private mutating func write(_ node: RegexNode) {
    guard !isTooLong else { return }
    switch node {
    case .empty: write("(?:)")
    case .scalar(let scalar): Self.write(scalar, to: &text)
    case .set(let index): writeSet(index)
    case .assertion(let assertion): write(assertion)
    case .group(let body, _):
      write("(")
      write(body)
      write(")")
    case .concatenation(let parts):
      for part in parts {
        if case .alternation = part { writeGrouped(part) } else { write(part) }
      }
    case .alternation(let branches):
      for (index, branch) in branches.enumerated() {
        if index > 0 { write("|") }
        if case .alternation = branch { writeGrouped(branch) } else { write(branch) }
      }
    case .repetition(let body, let minimum, let maximum, let greedy):
      writeOperand(body)
      write(Self.quantifier(minimum, maximum))
      if !greedy { write("?") }
    }
  }

  /// Writes the operand of a quantifier.
  private mutating func writeOperand(_ node: RegexNode) {
    switch node {
    case .group, .set, .scalar: write(node)
    default: writeGrouped(node)
    }
  }

  private mutating func writeGrouped(_ node: RegexNode) {
    write("(?:")
    write(node)
    write(")")
  }

  private mutating func write(_ fixed: String) {
    text += fixed.utf8
  }

  private static func quantifier(_ minimum: Int, _ maximum: Int?) -> String {
    switch (minimum, maximum) {
    case (0, nil): "*"
    case (1, nil): "+"
    case (0, 1): "?"
    case (_, nil): "{\(minimum),}"
    case (_, let maximum?): minimum == maximum ? "{\(minimum)}" : "{\(minimum),\(maximum)}"
    }
  }

  /// `^` and `$` occur in line mode only, because a plain `$` would match before a last line feed. The Unicode boundaries are
  /// written out, because PCRE2 defines word characters differently, and has changed the definition between versions.
  private mutating func write(_ assertion: RegexAssertion) {
    let w = Self.unicodeWord
    switch assertion {
    case .textStart: write("\\A")
    case .textEnd: write("\\z")
    case .lineStart: write("(?m:^)")
    case .lineEnd: write("(?m:$)")
    case .wordBoundary: write("\\b")
    case .notWordBoundary: write("\\B")
    case .unicodeWordBoundary: write("(?(?<=\(w))(?!\(w))|(?=\(w)))")
    case .notUnicodeWordBoundary: write("(?(?<=\(w))(?=\(w))|(?!\(w)))")
    }
  }
}

// MARK: - Characters and sets

extension PatternTranslation {
  private static let unicodeWord = String(
    decoding: text(of: RegexSet([], categories: .word)), as: UTF8.self)

  private mutating func writeSet(_ index: Int) {
    if let known = setTexts[index] {
      text += known
    } else {
      let written = Self.text(of: sets[index])
      setTexts[index] = written
      text += written
    }
  }

  /// Writes a code point. Letters and digits mean themselves, and so does ASCII punctuation after a backslash.
  private static func write(_ scalar: UInt32, to text: inout [UInt8]) {
    switch scalar {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x20:
      text.append(UInt8(scalar))
    case 0x21...0x7E:
      text += [UInt8(ascii: "\\"), UInt8(scalar)]
    default:
      text += "\\x{\(String(scalar, radix: 16))}".utf8
    }
  }

  private static func text(of set: RegexSet) -> [UInt8] {
    if set == .everything { return Array(".".utf8) }
    if set == .notNewline { return Array("\\N".utf8) }
    if set == .nothing { return Array("(?:(?!))".utf8) }
    var text = Array("[".utf8)
    if set.categories.isEmpty {
      // A set with the highest code point is shorter and faster as a negated class.
      let isOpen = set.ranges.last?.high == 0x10_FFFF
      if isOpen { text += "^".utf8 }
      write(isOpen ? set.ranges.complemented() : set.ranges, to: &text)
    } else {
      if set.isNegated { text += "^".utf8 }
      write((set.ranges + asciiMembers(of: set.categories)).normalized(), to: &text)
      write(set.categories, to: &text)
    }
    text += "]".utf8
    return text
  }

  private static func write(_ ranges: [ScalarRange], to text: inout [UInt8]) {
    for range in ranges {
      write(range.low, to: &text)
      guard range.high > range.low else { continue }
      if range.high > range.low + 1 { text += "-".utf8 }
      write(range.high, to: &text)
    }
  }

  private static func asciiMembers(of categories: RegexCategories) -> [ScalarRange] {
    (0..<0x80).compactMap { (value: UInt8) in
      let category = RegexCategories(of: Unicode.Scalar(value))
      guard categories.contains(category) else { return nil }
      return ScalarRange(low: UInt32(value), high: UInt32(value))
    }
  }

  /// Writes the names of categories, beginning with the widest categories. A half of a split category has no name in
  /// PCRE2, and is written as ranges.
  private static func write(_ categories: RegexCategories, to text: inout [UInt8]) {
    var rest = categories
    for (name, members) in RegexCategories.names
    where !members.isEmpty && rest.isSuperset(of: members) {
      text += "\\p{\(name)}".utf8
      rest.subtract(members)
    }
    write(rest.rangesOfHalves, to: &text)
  }
}

extension RegexCategories {
  /// The members of the remaining halves of split categories. The word halves of these categories are known without a
  /// table.
  fileprivate var rangesOfHalves: [ScalarRange] {
    if isSubset(of: [.wordSymbol, .wordFormat]) {
      return (contains(.wordSymbol) ? Self.wordSymbolRanges : [])
        + (contains(.wordFormat) ? Self.wordFormatRanges : [])
    }
    return explicitRanges
  }
}
