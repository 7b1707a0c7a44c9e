/// What decodes a config, and says in a log what it cannot read.
protocol LoggingDecoder {
  var log: DecodingLog { get set }
}

extension LoggingDecoder {
  /// What can be read of a list, and where there is something that cannot: an element, or what stands
  /// in the place of the list.
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
