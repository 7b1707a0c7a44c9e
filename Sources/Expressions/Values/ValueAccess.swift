/// Reads and builds values without traps: a value of another type counts as missing.
extension Value {
  /// The string, or nil if the value is not a string.
  public var text: String? { if case .string(let text) = self { text } else { nil } }

  /// The bool, or nil if the value is not a bool.
  public var truth: Bool? { if case .bool(let truth) = self { truth } else { nil } }

  /// The whole number, even if it is written as `2.0`; nil for other values.
  public var wholeNumber: Int? {
    switch self {
    case .int(let number): Int(exactly: number)
    case .uint(let number): Int(exactly: number)
    case .double(let number): Int(exactly: number)
    default: nil
    }
  }

  /// The number as a double, or nil if the value is not a number. Whole numbers beyond 2^53 are rounded.
  public var number: Double? {
    switch self {
    case .int(let number): Double(number)
    case .uint(let number): Double(number)
    case .double(let number): number
    default: nil
    }
  }

  /// The elements, or nil if the value is not a list.
  public var elements: [Value]? { if case .list(let values) = self { values } else { nil } }

  /// The members of a map with string keys, in their order. If a key is repeated, only its last value is included.
  public var members: [(key: String, value: Value)]? {
    guard case .map(let entries) = self else { return nil }
    var places: [[UInt8]: Int] = [:]
    var members: [(key: String, value: Value)] = []
    for entry in entries {
      guard let key = entry.key.text else { continue }
      if let known = places[Array(key.utf8)] {
        members[known].value = entry.value
      } else {
        places[Array(key.utf8)] = members.count
        members.append((key, entry.value))
      }
    }
    return members
  }

  /// Creates a map from the members that are not nil.
  public static func members(_ pairs: KeyValuePairs<String, Value?>) -> Value {
    .map(pairs.compactMap { key, value in value.map { Entry(key: .string(key), value: $0) } })
  }

  /// Creates a map from a dictionary. The keys are sorted, so that equal dictionaries have the same JSON.
  public static func members(_ dictionary: [String: Value]) -> Value {
    .map(
      dictionary.sorted { $0.key < $1.key }.map { Entry(key: .string($0.key), value: $0.value) })
  }
}

extension Value {
  package var isObject: Bool { if case .map = self { true } else { false } }

  /// The JSON type, for messages.
  package var kindInJSON: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .string: "a string"
    case .list: "a list"
    case .map: "an object"
    default: "a number"
    }
  }

  package static func texts(_ texts: some Sequence<String>) -> Value {
    .list(texts.map { .string($0) })
  }

  package static func whole(_ number: some BinaryInteger) -> Value {
    .int(Int64(clamping: number))
  }

  /// Merges the members of an object into this object, recursively.
  package func merging(patch: Value) -> Value {
    guard var merged = members, let changes = patch.members else { return patch }
    for change in changes {
      if let known = merged.firstIndex(where: { $0.key.utf8.elementsEqual(change.key.utf8) }) {
        if change.value == .null {
          merged.remove(at: known)
        } else {
          merged[known].value = merged[known].value.merging(patch: change.value)
        }
      } else if change.value != .null {
        merged.append(change)
      }
    }
    return .map(merged.map { Entry(key: .string($0.key), value: $0.value) })
  }
}
