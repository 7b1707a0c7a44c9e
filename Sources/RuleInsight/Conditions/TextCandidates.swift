internal import Expressions
internal import Regex

/// Strings that cover everything that atoms distinguish about strings.
///
/// Equality, order, prefixes, suffixes, substrings, sizes and patterns are regular. A walk over all
/// strings at once, letter by letter, tracks the state of each comparison. For every combination of
/// final states it yields the shortest string.
struct TextCandidates {
  private(set) var values: [Value] = []
  /// The aspects for which strings may be missing.
  private(set) var incomplete: AttributeDemands.Aspects = []

  /// - Parameter binding: how strings are converted on input. If numeric strings become numbers,
  ///   the candidates exclude them.
  init(_ demands: AttributeDemands, _ binding: ValueBinding) {
    for text in demands.texts + demands.parts + demands.endings { add(text) }
    add([])
    if demands.aspects.isDisjoint(with: [.order, .parts, .sizes, .patterns]) {
      add(TextCandidates.other(than: demands.texts))
      return
    }
    var demands = demands
    if walk(demands, binding) { return }
    addSamples(demands)
    // If the walk is too long, aspects are omitted one by one.
    for kind in [AttributeDemands.Aspects.patterns, [.parts, .sizes], .order]
    where !demands.aspects.isDisjoint(with: kind) {
      incomplete.formUnion(kind)
      demands.leaveOut(kind)
      if walk(demands, binding) { break }
    }
    add(TextCandidates.other(than: demands.texts))
  }

  /// Adds strings for all combinations; false when there are too many.
  private mutating func walk(_ demands: AttributeDemands, _ binding: ValueBinding) -> Bool {
    var walk = TextWalk(demands, binding)
    for text in walk.texts() { values.append(.string(text)) }
    return walk.isComplete
  }

  private mutating func add(_ text: [UInt8]) {
    values.append(.string(String(decoding: text, as: UTF8.self)))
  }

  /// A string that differs from all of these strings.
  static func other(than texts: [[UInt8]]) -> [UInt8] {
    let texts = Set(texts)
    var text = Array("other".utf8)
    while texts.contains(text) { text.append(UInt8(ascii: "s")) }
    return text
  }

  /// Adds combinations that are likely to matter.
  private mutating func addSamples(_ demands: AttributeDemands) {
    for pattern in demands.patterns { if let text = pattern.example { add(Array(text.utf8)) } }
    for first in demands.texts.prefix(4) + [[]] {
      for middle in demands.parts.prefix(4) + [[]] {
        for last in demands.endings.prefix(4) + [[], [UInt8(ascii: "a")]] {
          add(first + middle + last)
        }
      }
    }
  }
}
