internal import Expressions
internal import RuleEngine
internal import RuleInsight
internal import Scenarios

/// The JSON Schemas of case lines, one for each suite, generated from the shapes and types of lines.
/// `corpus/schemas/suites` contains the schemas, for cases from other sources.
enum CaseSchemas {
  /// The schema of a suite's lines, or nil if the suite does not exist.
  static func document(of suite: String) -> JSONSchema? {
    if suite == "sdk-scenarios" { return ScenarioSchema.document }
    guard let shapes = CaseShapes.bySuite[suite] else { return nil }
    let writer = SchemaWriter(suite)
    var root: Value
    if let key = shapes.key {
      root = writer.choice(by: key, shapes.byKind)
    } else {
      root = writer.line(shapes.byKind[""] ?? .anything)
    }
    let parts = CaseKinds.parts(of: suite)
    if !parts.isEmpty, case .map(let entries) = root {
      root = .map(entries + [Value.Entry(key: "$defs", value: .object(parts))])
    }
    return JSONSchema.document(
      "Case of \(suite)",
      "A line of the suite \(suite). corpus/README.md and corpus/own/README.md explain the keys.",
      JSONSchema(written: root))
  }
}

/// Writes shapes as schemas. Objects may only have the keys of their shape.
private struct SchemaWriter {
  let suite: String
  private let kinds: [String: Value]
  private let nullable: Set<String>

  init(_ suite: String) {
    self.suite = suite
    (kinds, nullable) = CaseKinds.byName(of: suite)
  }

  /// The schema of a line with one shape.
  func line(_ shape: KeyShape) -> Value {
    guard case .object(let keys) = shape else { return [:] }
    return object(keys, required: CaseKinds.required(of: suite), isLine: true)
  }

  /// The schema of a line whose other keys depend on the value of one key.
  func choice(by key: [String], _ shapes: [String: KeyShape]) -> Value {
    let words = shapes.keys.filter { !$0.isEmpty }.sorted()
    func at(_ test: Value, required: Bool) -> Value {
      key.reversed().reduce(test) { inner, name in
        var members = [("properties", Value.object([name: inner]))]
        if required { members.append(("required", [.string(name)])) }
        return .map(members.map { Value.Entry(key: .string($0), value: $1) })
      }
    }
    var rules = words.map { word -> Value in
      .object([
        "if": at(.object(["const": .string(word)]), required: true),
        "then": line(shapes[word] ?? .anything),
      ])
    }
    if let other = shapes[""] {
      rules.append(.object(["if": at([:], required: true), "else": line(other)]))
    }
    guard
      case .map(let entries) = at(
        .object(["enum": .texts(words)]), required: shapes[""] == nil)
    else { return [:] }
    return .map(
      [Value.Entry(key: "type", value: "object")] + entries
        + [Value.Entry(key: "allOf", value: .list(rules))])
  }

  private func object(_ keys: [String: KeyShape], required: [String] = [], isLine: Bool = false)
    -> Value
  {
    let properties = keys.keys.sorted().map { name -> Value.Entry in
      let common = isLine ? CaseKinds.common(name, suite: suite) : nil
      var schema = common ?? value(of: keys[name] ?? .anything, called: name)
      if name == "expect", isLine, case .map(let entries) = schema,
        schema["type"]?.text == "object"
      {
        schema = .map(entries + [Value.Entry(key: "minProperties", value: 1)])
      }
      if nullable.contains(name), common == nil {
        schema = orNull(schema)
      }
      return Value.Entry(key: .string(name), value: schema)
    }
    return .members([
      "type": "object", "required": required.isEmpty ? nil : .texts(required),
      "properties": .map(properties), "additionalProperties": false,
    ])
  }

  private func orNull(_ schema: Value) -> Value {
    .object(["anyOf": [.object(["const": .null]), schema]])
  }

  private func value(of shape: KeyShape, called name: String) -> Value {
    switch shape {
    case .anything: kinds[name] ?? [:]
    case .words(let words): .object(["enum": .texts(words)])
    case .list(let element):
      .object([
        "type": "array",
        "items": nullable.contains(name + "[]")
          ? orNull(value(of: element, called: name)) : value(of: element, called: name),
      ])
    case .map(let element):
      .object(["type": "object", "additionalProperties": value(of: element, called: name)])
    case .lenient(let inner):
      .object([
        "anyOf": [.object(["type": .texts(CaseKinds.plain)]), value(of: inner, called: name)]
      ])
    case .object(let keys):
      object(keys, required: CaseKinds.requiredMembers(of: name, suite: suite))
    }
  }
}
