package import Expressions

/// JSON Schemas, as far as the description of the API uses them: what it says of a body is what a body
/// is held against.
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

  /// An object that a request has: what it may leave out may be null, too.
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

  // MARK: Holding values against them

  /// What is wrong with a value by a schema, for people; nil when nothing is. Formats and patterns are
  /// for whoever reads the value, and references are not followed.
  package static func problem(in value: Value, by schema: Value, at path: String = "") -> String? {
    let place = path.isEmpty ? "the body" : "'\(path)'"
    if let type = schema["type"] {
      let names = type.elements?.compactMap(\.text) ?? [type.text ?? ""]
      guard names.contains(where: { isOf($0, value) }) else {
        return "\(place) is \(value.kindInJSON), not \(names.map(told).joined(separator: " or "))"
      }
    }
    if let values = schema["enum"]?.elements, !values.contains(value) {
      return "\(place) is none of \(values.map(\.json).joined(separator: ", "))"
    }
    if let text = value.text, let fewest = schema["minLength"]?.wholeNumber,
      text.unicodeScalars.count < fewest
    {
      return "\(place) is empty"
    }
    if let elements = value.elements {
      if let most = schema["maxItems"]?.wholeNumber, elements.count > most {
        return "\(place) has more than \(most) elements"
      }
      if let items = schema["items"] {
        for (i, element) in elements.enumerated() {
          if let found = problem(in: element, by: items, at: "\(path)[\(i)]") { return found }
        }
      }
    }
    guard value.isObject else { return nil }
    for name in schema["required"]?.elements?.compactMap(\.text) ?? [] where value[name] == nil {
      return "'\(path.isEmpty ? "" : path + ".")\(name)' is missing"
    }
    for (name, inner) in schema["properties"]?.members ?? [] {
      guard let member = value[name] else { continue }
      let place = path.isEmpty ? name : "\(path).\(name)"
      if let found = problem(in: member, by: inner, at: place) { return found }
    }
    return nil
  }

  private static func isOf(_ type: String, _ value: Value) -> Bool {
    switch type {
    case "null": value == .null
    case "boolean": value.truth != nil
    case "integer": value.wholeNumber != nil
    case "number": value.number != nil
    case "string": value.text != nil
    case "array": value.elements != nil
    case "object": value.isObject
    default: true
    }
  }

  private static func told(_ type: String) -> String {
    switch type {
    case "null": "null"
    case "integer": "a whole number"
    case "array": "a list"
    case "object": "an object"
    default: "a \(type)"
    }
  }
}
