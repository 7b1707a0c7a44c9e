/// A decoder of configs that logs unreadable elements.
protocol LoggingDecoder {
  var log: DecodingLog { get set }
}

extension LoggingDecoder {
  /// The readable elements of a list, and the paths of unreadable elements. If the value is not a list, its own path is
  /// returned.
  mutating func readable<Item>(
    _ key: String, of element: ConfigElement, _ read: (inout Self, ConfigElement) -> Item?
  ) -> (items: [Item], unread: [String]) {
    var items: [Item] = []
    var unread: [String] = []
    if let member = element.member(key), member.elements == nil { unread.append(member.path) }
    for element in log.list(key, of: element) {
      if let item = read(&self, element) {
        items.append(item)
      } else {
        unread.append(element.path)
      }
    }
    return (items, unread)
  }
}
