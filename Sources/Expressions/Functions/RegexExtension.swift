internal import Regex

/// The regex extension of CEL: the first match, all matches, and replacing them.
///
/// For a pattern with one group the result is the group's string, or none for a match in which the group is
/// empty or took no part. A pattern with several groups is an error. Replacements name groups as `\1` to
/// `\9`, and the whole match as `\0`.
enum RegexExtension {
  // SAFETY: Ranges come from the matcher of this very text. Results are views of it, which live as
  // long as the operand, or copies in the arena. Tests: RegexMatchingTests, AnyOperandsTests.

  static func call(
    _ function: Function, _ operands: Operands, _ limits: Limits, _ cache: inout PatternCache,
    _ scratch: inout RegexScratch, _ arena: inout Arena
  ) -> Cell {
    guard operands[0].pointee.isText, operands[1].pointee.isText else {
      return operands.noOverload
    }
    let pattern: RegexPattern
    switch cache.pattern(operands[1].textBytes, .re2, RegexLimits(limits), &scratch.work) {
    case .pattern(let compiled): pattern = compiled
    case .none(let reason): return Cell(fault: reason)
    }
    // The remaining steps of the whole evaluation, in sixteenths of a step.
    scratch.workLimit = limits.steps &<< 4
    defer { scratch.workLimit = .max }
    let text = operands[0].textBytes
    switch function {
    case .regexReplace: return replace(text, pattern, operands, &scratch, &arena)
    case .regexExtract:
      let found = extract(text, pattern, most: 1, &scratch, &arena)
      guard found.isValue else { return found }
      return found.elements.first.map { OptionalFunctions.some($0, in: &arena) }
        ?? OptionalFunctions.none
    default: return extract(text, pattern, most: .max, &scratch, &arena)
    }
  }

  /// Calls the body with each match until it returns false. The result is an error, or nil. As in Go, an empty match
  /// directly after another match does not count.
  private static func forEachMatch(
    _ text: ByteView, _ pattern: RegexPattern, _ scratch: inout RegexScratch,
    _ body: (RegexMatch) -> Bool
  ) -> Cell? {
    var at = 0
    var last = -1
    while at <= text.count {
      switch pattern.find(in: text, from: at, validated: true, scratch: &scratch) {
      case .notFound: return nil
      case .limitExceeded: return Cell(fault: .limitExceeded)
      case .invalidUTF8: return Cell(fault: .conversion)
      case .found(let match):
        let isNone = match.range.isEmpty && match.range.lowerBound == last
        if !isNone, !body(match) { return nil }
        last = match.range.upperBound
        // After an empty match, search from the next character on.
        at = match.range.isEmpty ? match.range.upperBound + 1 : match.range.upperBound
        while at < text.count, text[at] & 0xC0 == 0x80 { at += 1 }
      }
    }
    return nil
  }

  /// A list with the strings of the first `most` matches. The list is shorter if the group of a match is empty.
  private static func extract(
    _ text: ByteView, _ pattern: RegexPattern, most: Int, _ scratch: inout RegexScratch,
    _ arena: inout Arena
  ) -> Cell {
    guard pattern.groupCount <= 1 else { return Cell(fault: .conversion) }
    var found: [Cell] = []
    var matches = 0
    let fault = forEachMatch(text, pattern, &scratch) { match in
      if pattern.groupCount == 0 {
        found.append(Cell(textAt: ByteView(rebasing: text[match.range])))
      } else if let range = match.groups[1], !range.isEmpty {
        found.append(Cell(textAt: ByteView(rebasing: text[range])))
      }
      matches += 1
      return matches < most
    }
    if let fault { return fault }
    // The strings are views. A short string is inside its cell, so the source may be a cell too.
    guard let memory = arena.cells(max(found.count, 1)) else { return Cell(fault: .limitExceeded) }
    for (i, cell) in found.enumerated() { memory[i] = cell }
    return Cell(tag: Tag.list, count: found.count, at: memory)
  }

  private static func replace(
    _ text: ByteView, _ pattern: RegexPattern, _ operands: Operands,
    _ scratch: inout RegexScratch, _ arena: inout Arena
  ) -> Cell {
    guard operands[2].pointee.isText else { return operands.noOverload }
    var most = Int.max
    if operands.count == 4 {
      guard operands[3].pointee.tag == Tag.int else { return operands.noOverload }
      let count = operands[3].pointee.intValue
      most = count < 0 ? .max : Int(count)
    }
    guard most > 0 else { return operands[0].pointee }
    let replacement = operands[2].textBytes
    guard isValid(replacement, groups: pattern.groupCount) else { return Cell(fault: .conversion) }
    var result: [UInt8] = []
    var at = 0
    var count = 0
    let limit = arena.limit
    let fault = forEachMatch(text, pattern, &scratch) { match in
      result += text[at..<match.range.lowerBound]
      append(replacement, match, text, to: &result)
      at = match.range.upperBound
      count += 1
      return count < most && result.count <= limit
    }
    if let fault { return fault }
    result += text[at...]
    return result.withUnsafeBufferPointer { arena.text(copying: $0) } ?? Cell(fault: .limitExceeded)
  }

  /// Whether every backslash is followed by a backslash or the number of a group.
  private static func isValid(_ replacement: ByteView, groups: Int) -> Bool {
    var i = 0
    while i < replacement.count {
      guard replacement[i] == UInt8(ascii: "\\") else {
        i += 1
        continue
      }
      guard i + 1 < replacement.count else { return false }
      let next = replacement[i + 1]
      let isGroup = next &- 0x30 < 10 && Int(next &- 0x30) <= groups
      guard isGroup || next == UInt8(ascii: "\\") else { return false }
      i += 2
    }
    return true
  }

  private static func append(
    _ replacement: ByteView, _ match: RegexMatch, _ text: ByteView, to result: inout [UInt8]
  ) {
    var i = 0
    while i < replacement.count {
      if replacement[i] == UInt8(ascii: "\\"), i + 1 < replacement.count {
        let next = replacement[i + 1]
        if next == UInt8(ascii: "\\") {
          result.append(next)
        } else if let range = match.groups[Int(next &- 0x30)] {
          result += text[range]
        }
        i += 2
      } else {
        result.append(replacement[i])
        i += 1
      }
    }
  }
}
