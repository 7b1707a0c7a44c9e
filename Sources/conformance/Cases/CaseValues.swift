internal import Expressions

/// Reads values that several suites share.
enum CaseValues {
  /// Removes the wrappers that distinguish types of numbers: `{"$double":4}`, `{"$float":4.0}`, `{"$uint":7}`.
  static func unwrapped(_ value: Value) -> Value {
    switch value {
    case .list(let values): return .list(values.map(unwrapped))
    case .map(let entries):
      if entries.count == 1, let key = entries[0].key.text,
        let number = entries[0].value.number
      {
        switch key {
        case "$double", "$float": return .double(number)
        case "$uint": return UInt64(exactly: number).map { .uint($0) } ?? value
        default: break
        }
      }
      return .map(
        entries.map { Value.Entry(key: $0.key, value: unwrapped($0.value)) })
    default: return value
    }
  }

  static func list(_ value: Value?) -> [Value] { value?.elements ?? [] }

  static func entries(_ value: Value?) -> [(key: String, value: Value)] {
    guard case .map(let entries)? = value else { return [] }
    return entries.compactMap { entry in
      if let key = entry.key.text { (key, entry.value) } else { nil }
    }
  }

  static func texts(_ value: Value?) -> [String] { list(value).compactMap(\.text) }

  /// A string or null.
  static func value(_ text: String?) -> Value { text.map { .string($0) } ?? .null }

  /// Sorts a list, to compare lists whose order does not matter.
  static func sorted(_ values: [Value]) -> [Value] { values.sorted { $0.json < $1.json } }
}
