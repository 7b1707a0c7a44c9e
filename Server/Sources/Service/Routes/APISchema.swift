package import Expressions

/// JSON Schemas for the description of the API.
package enum APISchema {
  package static let text: Value = ["type": "string"]
  package static let name: Value = ["type": "string", "minLength": 1]
  package static let truth: Value = ["type": "boolean"]
  package static let whole: Value = ["type": "integer"]
  package static let anything: Value = .map([])
  package static let someObject: Value = ["type": "object"]
  package static let textOrNull: Value = ["type": ["string", "null"]]
  package static let wholeOrNull: Value = ["type": ["integer", "null"]]
  package static let objectOrNull: Value = ["type": ["object", "null"]]

  package static func object(
    _ properties: KeyValuePairs<Value, Value>, required: [Value] = []
  ) -> Value {
    var entries: [Value.Entry] = [
      .init(key: "type", value: "object"),
      .init(
        key: "properties", value: .map(properties.map { .init(key: $0.key, value: $0.value) })),
    ]
    if !required.isEmpty { entries.append(.init(key: "required", value: .list(required))) }
    return .map(entries)
  }

  /// An object in a request. Optional members may also be null.
  package static func body(
    _ properties: KeyValuePairs<Value, Value>, required: [Value] = []
  ) -> Value {
    var entries: [Value.Entry] = [
      .init(key: "type", value: "object"),
      .init(
        key: "properties",
        value: .map(
          properties.map { name, schema in
            .init(key: name, value: required.contains(name) ? schema : orNull(schema))
          })),
    ]
    if !required.isEmpty { entries.append(.init(key: "required", value: .list(required))) }
    return .map(entries)
  }

  private static func orNull(_ schema: Value) -> Value {
    guard case .map(var entries) = schema else { return schema }
    for i in entries.indices {
      let known = entries[i].value.elements ?? [entries[i].value]
      if entries[i].key == "type", !known.contains("null") {
        entries[i].value = .list(known + ["null"])
      } else if entries[i].key == "enum", !known.contains(.null) {
        entries[i].value = .list(known + [.null])
      }
    }
    return .map(entries)
  }

  package static func list(_ items: Value) -> Value { ["type": "array", "items": items] }

  package static func one(of values: Value...) -> Value { ["enum": .list(values)] }

  package static func reference(_ name: String) -> Value {
    ["$ref": .string("#/components/schemas/\(name)")]
  }

  package static func query(_ name: String, _ schema: Value, _ text: String) -> Value {
    ["name": .string(name), "in": "query", "schema": schema, "description": .string(text)]
  }
}
