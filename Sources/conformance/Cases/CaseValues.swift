internal import Expressions

/// Reading of what cases have in common.
enum CaseValues {
  /// A value without the wrappers that tell kinds of numbers: `{"$double":4}`, `{"$float":4.0}`,
  /// `{"$uint":7}`.
  static func unwrapped(_ value: Value) -> Value {
    switch value {
    case .list(let values): return .list(values.map(unwrapped))
    case .map(let entries):
      if entries.count == 1, case .string(let key) = entries[0].key,
        let number = number(entries[0].value)
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

  static func number(_ value: Value?) -> Double? {
    switch value {
    case .int(let number): Double(number)
    case .uint(let number): Double(number)
    case .double(let number): number
    default: nil
    }
  }

  static func text(_ value: Value?) -> String? {
    if case .string(let text)? = value { text } else { nil }
  }

  static func bool(_ value: Value?) -> Bool? {
    if case .bool(let bool)? = value { bool } else { nil }
  }

  static func list(_ value: Value?) -> [Value] {
    if case .list(let values)? = value { values } else { [] }
  }

  static func entries(_ value: Value?) -> [(key: String, value: Value)] {
    guard case .map(let entries)? = value else { return [] }
    return entries.compactMap { entry in
      if case .string(let key) = entry.key { (key, entry.value) } else { nil }
    }
  }

  static func texts(_ value: Value?) -> [String] { list(value).compactMap { text($0) } }

  /// A text or null.
  static func value(_ text: String?) -> Value { text.map { .string($0) } ?? .null }

  /// Lists whose order does not matter are compared sorted.
  static func sorted(_ values: [Value]) -> [Value] { values.sorted { $0.json < $1.json } }
}
