/// Values at paths of names, within maps.
extension Value {
  /// The value at a path below this value, or nil if no value exists there.
  package func value(at path: some Collection<String>) -> Value? {
    guard let name = path.first else { return self }
    return self[name]?.value(at: path.dropFirst())
  }

  /// This value with another value at a path below it. Nil removes the existing value. Values on the path that are not
  /// maps become maps.
  package func setting(_ path: ArraySlice<String>, to value: Value?) -> Value {
    guard let name = path.first else { return value ?? self }
    var entries: [Entry] = []
    if case .map(let own) = self {
      entries = own
    } else if value == nil {
      return self
    }
    let isNamed = { (entry: Entry) in entry.key.text?.utf8.elementsEqual(name.utf8) ?? false }
    var changed = value
    if path.count > 1 {
      let own = self[name]
      if own == nil, value == nil { return self }
      changed = (own ?? .map([])).setting(path.dropFirst(), to: value)
    }
    let place = entries.firstIndex(where: isNamed) ?? entries.count
    entries.removeAll(where: isNamed)
    if let changed { entries.insert(Entry(key: .string(name), value: changed), at: place) }
    return .map(entries)
  }
}
