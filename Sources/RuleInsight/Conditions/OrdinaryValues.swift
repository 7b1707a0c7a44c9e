package import Expressions

extension ConditionModel {
  private static let most = 8

  /// Values that people would expect an attribute to have, based on the constants in conditions:
  /// all strings that the attribute is compared with, and lists if its contents are tested. The
  /// values need not be in the class of a value that a search has found.
  package func ordinaryValues(at path: [String]) -> [Value] {
    guard let group = groups.firstIndex(where: { $0.question == nil && $0.path == path }) else {
      return []
    }
    var (texts, members): ([[UInt8]], [Cell]) = ([], [])
    var asksText = false
    for atom in atoms where atom.group == group {
      guard let demands = atom.demands else { continue }
      for text in demands.texts where !text.isEmpty && !texts.contains(text) { texts.append(text) }
      for member in demands.members where !members.contains(member) { members.append(member) }
      let other: AttributeDemands.Aspects = [.texts, .order, .parts, .patterns]
      if !demands.aspects.isDisjoint(with: other) { asksText = true }
    }
    if !members.isEmpty {
      let lists = members.prefix(Self.most).map { Value.list([Value($0)]) }
      return [.list([]), .list(["other"])] + lists
    }
    return texts.prefix(Self.most).map { Value.string(String(decoding: $0, as: UTF8.self)) }
      + (asksText ? ["other"] : [])
  }
}
