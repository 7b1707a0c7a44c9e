/// Replaces initializers and methods with `uniquingKeysWith`, which Embedded Swift cannot compile.
extension Dictionary {
  /// A dictionary of entries. `value` is called with both values of a repeated key.
  package init(combining entries: some Sequence<(Key, Value)>, _ value: (Value, Value) -> Value) {
    self.init()
    for (key, new) in entries { self[key] = self[key].map { value($0, new) } ?? new }
  }

  /// Adds the entries of another dictionary. `value` is called with both values of a shared key.
  package mutating func combine(_ other: Self, _ value: (Value, Value) -> Value) {
    for (key, new) in other { self[key] = self[key].map { value($0, new) } ?? new }
  }

  /// This dictionary with the entries of another dictionary.
  package func combined(with other: Self, _ value: (Value, Value) -> Value) -> Self {
    var result = self
    result.combine(other, value)
    return result
  }
}
