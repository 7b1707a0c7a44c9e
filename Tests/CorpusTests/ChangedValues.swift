import Expressions

extension Value {
  /// The value with another key in place of one, at a path of keys.
  func renaming(_ path: ArraySlice<String>, to name: String) -> Value {
    guard case .map(let entries) = self, let key = path.first else { return self }
    return .map(
      entries.map { entry in
        guard entry.key == .string(key) else { return entry }
        return path.count == 1
          ? Entry(key: .string(name), value: entry.value)
          : Entry(key: entry.key, value: entry.value.renaming(path.dropFirst(), to: name))
      })
  }

  func setting(_ path: ArraySlice<String>, to value: Value) -> Value {
    guard let key = path.first else { return value }
    guard case .map(let entries) = self else { return self }
    return .map(
      entries.map { entry in
        entry.key == .string(key)
          ? Entry(key: entry.key, value: entry.value.setting(path.dropFirst(), to: value)) : entry
      })
  }

  var keyNames: [String] { (members ?? []).map(\.key) }
}
