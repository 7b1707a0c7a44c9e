internal import Expressions
internal import RuleEngine

extension ConfigElement {
  /// The value at a path such as `trigger_options[2].rules[0]`; nil if there is none.
  func value(at path: String) -> Value? {
    var value = value
    for part in path.split(separator: ".") {
      let pieces = part.split(separator: "[")
      if let key = pieces.first, !part.hasPrefix("[") {
        guard let next = value[String(key)] else { return nil }
        value = next
      }
      for piece in part.hasPrefix("[") ? pieces[...] : pieces.dropFirst() {
        guard case .list(let elements) = value, let index = Int(piece.dropLast()),
          elements.indices.contains(index)
        else { return nil }
        value = elements[index]
      }
    }
    return value
  }

  /// The elements of the list under a key; empty without a list.
  func list(_ key: String) -> [ConfigElement] { member(key)?.elements ?? [] }
}
