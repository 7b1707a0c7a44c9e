package import Expressions
internal import RuleEngine

/// A JSON Schema (2020-12) of an input file, for completion and checks in editors.
///
/// Readers accept the types, words and keys of any input that a schema accepts. Unknown keys are
/// allowed, because readers ignore them.
package struct JSONSchema: Hashable, Sendable {
  /// The schema itself.
  package private(set) var value: Value

  private init(_ pairs: KeyValuePairs<String, Value>) { value = .object(pairs) }

  /// Creates a schema from JSON.
  package init(written value: Value) { self.value = value }

  /// The schema with a keyword added or replaced.
  func with(_ keyword: String, _ value: Value) -> JSONSchema {
    guard case .map(var entries) = self.value else { return self }
    entries.removeAll { $0.key == .string(keyword) }
    entries.append(Value.Entry(key: .string(keyword), value: value))
    var schema = self
    schema.value = .map(entries)
    return schema
  }

  /// The schema with a description for editors.
  func described(_ text: String) -> JSONSchema {
    guard case .map(let entries) = value else { return self }
    var schema = self
    let description = Value.Entry(key: "description", value: .string(text))
    schema.value = .map([description] + entries.filter { $0.key != "description" })
    return schema
  }

  // MARK: Kinds

  static let anything = JSONSchema([:])
  static let object = JSONSchema(["type": "object"])
  static let integer = JSONSchema(["type": "integer"])
  static let count = JSONSchema(["type": "integer", "minimum": 0])
  static let number = JSONSchema(["type": "number"])
  static let bool = JSONSchema(["type": "boolean"])
  static let text = JSONSchema(["type": "string"])

  static func text(pattern: String) -> JSONSchema { text.with("pattern", .string(pattern)) }

  static func words(_ words: [String]) -> JSONSchema { JSONSchema(["enum": .texts(words)]) }

  static func words<Word: RawRepresentable & CaseIterable>(of _: Word.Type) -> JSONSchema
  where Word.RawValue == String {
    words(Word.allCases.map { $0.rawValue })
  }

  static func list(_ element: JSONSchema) -> JSONSchema {
    JSONSchema(["type": "array", "items": element.value])
  }

  /// An object with any keys.
  static func map(_ element: JSONSchema) -> JSONSchema {
    JSONSchema(["type": "object", "additionalProperties": element.value])
  }

  static func any(of schemas: [JSONSchema]) -> JSONSchema {
    JSONSchema(["anyOf": .list(schemas.map { $0.value })])
  }

  /// A reference to a schema that is defined once, under `$defs`.
  static func part(_ name: String) -> JSONSchema {
    JSONSchema(["$ref": .string("#/$defs/\(name)")])
  }

  /// A schema that also accepts null.
  var orNull: JSONSchema {
    if let type = value["type"] {
      let types = type.elements ?? [type]
      return types.contains("null") ? self : with("type", .list(types + ["null"]))
    }
    if let words = value["enum"]?.elements {
      return words.contains(.null) ? self : with("enum", .list(words + [.null]))
    }
    if let schemas = value["anyOf"]?.elements {
      let null: Value = ["type": "null"]
      return schemas.contains(null) ? self : with("anyOf", .list(schemas + [null]))
    }
    guard value["$ref"] != nil else { return self }
    let described = value["description"]?.text
    var plain = self
    if case .map(let entries) = value { plain.value = .map(entries.filter { $0.key == "$ref" }) }
    let either = JSONSchema.any(of: [plain, JSONSchema(["type": "null"])])
    return described.map { either.described($0) } ?? either
  }

  /// A schema that does not accept null.
  fileprivate var notNull: JSONSchema {
    guard self == .anything || value.members?.map({ $0.key }) == ["description"] else {
      return self
    }
    return with("type", ["object", "array", "string", "number", "boolean"])
  }

  // MARK: Objects

  typealias Members = KeyValuePairs<String, JSONSchema>

  /// An object whose reader has no table of keys.
  static func object(required: [String] = [], _ members: Members) -> JSONSchema {
    let properties = members.map { Value.Entry(key: .string($0.key), value: $0.value.value) }
    let schema = object.with("properties", .map(properties))
    return required.isEmpty ? schema : schema.with("required", .texts(required))
  }

  static func object(
    of keys: [ConfigKey], required: [String] = [], _ members: Members, nonNull: [String] = []
  ) -> JSONSchema {
    object(of: keys, required: required, members: members.map { ($0, $1) }, nonNull: nonNull)
  }

  /// An object whose reader has a table of keys. Null is not accepted for keys that an SDK
  /// requires, because the SDK would reject it. For all other keys, null counts as missing.
  ///
  /// - Parameters:
  ///   - required: the keys that the reader requires.
  ///   - members: the schemas of values, by key; a key without a schema accepts any value.
  ///   - nonNull: further keys that do not accept null.
  static func object(
    of keys: [ConfigKey], required: [String] = [], members: [(String, JSONSchema)],
    nonNull: [String] = []
  ) -> JSONSchema {
    let described = Dictionary(combining: members) { $1 }
    var properties: [Value.Entry] = keys.map { key in
      let schema = described[key.name] ?? .anything
      let isNeeded = !key.requiredBy.isEmpty || (required + nonNull).contains(key.name)
      return Value.Entry(
        key: .string(key.name), value: (isNeeded ? schema.notNull : schema.orNull).value)
    }
    // A test compares the schema with the reader, and finds names that the table does not have.
    for (name, schema) in members where !keys.contains(where: { $0.name == name }) {
      properties.append(Value.Entry(key: .string(name), value: schema.value))
    }
    let schema = object.with("properties", .map(properties))
    return required.isEmpty ? schema : schema.with("required", .texts(required))
  }

  /// The schema with additional required keys, if a member has one of some values.
  ///
  /// - Parameter isOther: whether the keys are required if the member has another value or is
  ///   missing instead.
  func requiring(
    _ required: [String], where key: String, is words: [String], isOther: Bool = false,
    _ members: Members = [:]
  ) -> JSONSchema {
    let test = Value.object([
      "required": [.string(key)],
      "properties": .object([key: .object(["enum": .texts(words)])]),
    ])
    var demand = JSONSchema(["required": .texts(required)])
    if !members.isEmpty {
      demand = demand.with(
        "properties",
        .map(members.map { Value.Entry(key: .string($0.key), value: $0.value.value) }))
    }
    let rule = Value.object(["if": test, isOther ? "else" : "then": demand.value])
    return with("allOf", .list((value["allOf"]?.elements ?? []) + [rule]))
  }

  // MARK: Documents

  /// A complete schema document.
  ///
  /// - Parameter parts: schemas that are referenced by name.
  package static func document(
    _ title: String, _ description: String, _ root: JSONSchema,
    parts: KeyValuePairs<String, JSONSchema> = [:]
  ) -> JSONSchema {
    var document = JSONSchema([
      "$schema": "https://json-schema.org/draft/2020-12/schema", "title": .string(title),
      "description": .string(description),
    ])
    for (keyword, value) in root.value.members ?? [] where keyword != "description" {
      document = document.with(keyword, value)
    }
    guard !parts.isEmpty else { return document }
    return document.with(
      "$defs", .map(parts.map { Value.Entry(key: .string($0.key), value: $0.value.value) }))
  }

  /// The schema as JSON, with one line per member.
  package var text: String {
    var text = ""
    JSONSchema.write(value, indent: "", to: &text)
    return text
  }

  private static func write(_ value: Value, indent: String, to text: inout String) {
    let inner = indent + "  "
    switch value {
    case .map(let entries) where !entries.isEmpty:
      text += "{\n"
      for (i, entry) in entries.enumerated() {
        text += "\(inner)\(entry.key.json): "
        write(entry.value, indent: inner, to: &text)
        text += i + 1 < entries.count ? ",\n" : "\n"
      }
      text += indent + "}"
    case .list(let values) where values.contains(where: { $0.isObject }):
      text += "[\n"
      for (i, element) in values.enumerated() {
        text += inner
        write(element, indent: inner, to: &text)
        text += i + 1 < values.count ? ",\n" : "\n"
      }
      text += indent + "]"
    default: text += value.json
    }
  }
}
