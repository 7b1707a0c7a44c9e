// Substring search. The standard library only has substring search in _StringProcessing, which adds 1.3 MB of regular
// expressions when linked statically. These declarations take precedence over the standard library's. Strings are
// compared byte by byte. `TextSearch` is for long parts in strings of users.
extension StringProtocol {
  /// Whether another string is a part of this string.
  package func contains(_ part: String) -> Bool { firstRange(of: part) != nil }

  /// The first place of another string in this string.
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
  /// This string with all occurrences of a part replaced.
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
