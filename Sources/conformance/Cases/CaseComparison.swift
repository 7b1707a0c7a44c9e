internal import Expressions

/// Compares results with expectations: numbers by type and value, strings by bytes, maps without order, lists in order.
/// `{"$float":x}` is a double and `{"$uint":n}` a uint; `{"$float":null}` means any double that is not finite.
enum CaseComparison {
  static func matches(_ got: Value, _ expected: Value, partial: Bool) -> Bool {
    // The result may already have the case's form.
    if got == expected { return true }
    if let wrapped = wrapper(expected) { return matchesWrapped(got, wrapped.kind, wrapped.value) }
    switch (got, expected) {
    case (.string(let a), .string(let b)): return a.utf8.elementsEqual(b.utf8)
    case (.double(let a), .double(let b)): return a == b || a.isNaN && b.isNaN
    case (.list(let a), .list(let b)):
      return a.count == b.count && zip(a, b).allSatisfy { matches($0, $1, partial: partial) }
    case (.map(let a), .map(let b)):
      guard partial || a.count == b.count else { return false }
      return b.allSatisfy { entry in
        guard let key = entry.key.text, let value = member(key, of: a) else {
          return false
        }
        return matches(value, entry.value, partial: partial)
      }
    default: return got == expected
    }
  }

  /// JSON contains keys of other types in their string form.
  private static func member(_ key: String, of entries: [Value.Entry]) -> Value? {
    entries.last { entry in
      if let text = entry.key.text { return text.utf8.elementsEqual(key.utf8) }
      return entry.key.json == key
    }?.value
  }

  private static func wrapper(_ value: Value) -> (kind: String, value: Value)? {
    guard case .map(let entries) = value, entries.count == 1,
      let key = entries[0].key.text, key.hasPrefix("$")
    else { return nil }
    return ["$float", "$double", "$uint"].contains(key) ? (key, entries[0].value) : nil
  }

  private static func matchesWrapped(_ got: Value, _ kind: String, _ wrapped: Value) -> Bool {
    if case .map(let entries) = got, entries.count == 1, let inner = got[kind] {
      // The result may also be wrapped.
      return inner == wrapped || matchesWrapped(inner, kind, wrapped)
    }
    if kind == "$uint" {
      guard case .uint(let a) = got else { return false }
      switch wrapped {
      case .int(let b): return b >= 0 && a == UInt64(b)
      case .uint(let b): return a == b
      default: return false
      }
    }
    guard case .double(let a) = got else { return false }
    switch wrapped {
    case .null: return !a.isFinite
    case .int(let b): return a == Double(b)
    case .double(let b): return a == b
    default: return false
    }
  }
}
