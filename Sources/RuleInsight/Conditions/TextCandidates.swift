internal import Expressions
internal import Regex

/// Texts of which atoms tell apart whatever they tell apart at all.
///
/// Equality, order, beginnings, endings, parts, sizes and patterns are regular: a walk over all texts
/// at once, letter by letter, remembers how far each has come. Every combination that the walk can end
/// in gives one text, the shortest.
struct TextCandidates {
  private(set) var values: [Value] = []
  /// What there may be more texts for than are here.
  private(set) var incomplete: AttributeDemands.Aspects = []

  /// - Parameter binding: what becomes of texts on their way in. Where those of numbers become numbers,
  ///   the candidates are texts that do not.
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
    // What makes the walk too long is left out, one kind after the other.
    for kind in [AttributeDemands.Aspects.patterns, [.parts, .sizes], .order]
    where !demands.aspects.isDisjoint(with: kind) {
      incomplete.formUnion(kind)
      demands.leaveOut(kind)
      if walk(demands, binding) { break }
    }
    add(TextCandidates.other(than: demands.texts))
  }

  /// Takes in texts for all combinations; false when there are more.
  private mutating func walk(_ demands: AttributeDemands, _ binding: ValueBinding) -> Bool {
    var walk = TextWalk(demands, binding)
    for text in walk.texts() { values.append(.string(text)) }
    return walk.isComplete
  }

  private mutating func add(_ text: [UInt8]) {
    values.append(.string(String(decoding: text, as: UTF8.self)))
  }

  /// A text that is none of these.
  static func other(than texts: [[UInt8]]) -> [UInt8] {
    let texts = Set(texts)
    var text = Array("other".utf8)
    while texts.contains(text) { text.append(UInt8(ascii: "s")) }
    return text
  }

  /// Combinations that are likely to matter.
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
