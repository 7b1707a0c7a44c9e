// Searching a text for another, which the standard library has in _StringProcessing alone. Linked
// statically that module brings its own regular expressions, 1.3 MB of them; what is declared here goes
// before it. Texts are compared byte by byte; `TextSearch` is for long parts in the texts of others.
extension StringProtocol {
  /// Whether another text is a part of this one.
  package func contains(_ part: String) -> Bool { firstRange(of: part) != nil }

  /// Where another text stands first.
  package func firstRange(of part: String) -> Range<Index>? {
    let wanted = part.utf8
    guard let first = wanted.first else { return startIndex..<startIndex }
    var rest = utf8[...]
    while let place = rest.firstIndex(of: first) {
      rest = rest[place...]
      if rest.starts(with: wanted) {
        return place..<rest.index(place, offsetBy: wanted.count)
      }
      rest = rest.dropFirst()
    }
    return nil
  }
}

extension String {
  /// This text with another in the place of a part, wherever that stands.
  package func replacing(_ part: String, with other: String) -> String {
    var text = ""
    var start = startIndex
    while !part.isEmpty, let range = self[start...].firstRange(of: part) {
      text += self[start..<range.lowerBound] + other
      start = range.upperBound
    }
    return text + self[start...]
  }
}
