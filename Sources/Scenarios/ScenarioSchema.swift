internal import Expressions
internal import RuleEngine
package import RuleInsight

/// The JSON Schema of a scenario, generated from the shapes that check scenarios.
package enum ScenarioSchema {
  package static let document = JSONSchema.document(
    "Scenario",
    """
    A script of what an app, its user, the store and the backend do, for `tollgate simulate`: one \
    object per line of its file. corpus/README.md explains the keys.
    """, JSONSchema(written: scenario),
    parts: [
      "step": JSONSchema(written: step), "entry": JSONSchema(written: entry),
      "matcher": JSONSchema(written: matcher),
    ])

  /// The schema for an encoded value or a matcher, which accepts any such object.
  private static let matcher: Value = [
    "type": "object", "minProperties": 1, "maxProperties": 1, "patternProperties": ["^[$]": [:]],
    "additionalProperties": false,
  ]
  private static let anyMatcher: Value = ["$ref": "#/$defs/matcher"]

  private static var scenario: Value {
    schema(
      of: ScenarioShapes.scenario, required: ["id", "steps"],
      [
        "id": ["type": "string", "minLength": 1], "skip": ["type": "string", "minLength": 1],
        "config": ["anyOf": [["enum": ["std", .null]], ["type": "object"]]],
        "steps": ["type": "array", "minItems": 1, "items": ["$ref": "#/$defs/step"]],
      ])
  }

  // MARK: Steps

  private static var step: Value {
    let kinds = ScenarioShapes.steps.keys.sorted()
    let rules = kinds.map { kind -> Value in
      choice("do", kind, stepSchema(kind, ScenarioShapes.steps[kind] ?? .anything))
    }
    return .object([
      "type": "object", "required": ["do"],
      "properties": .object(["do": .object(["enum": .texts(kinds)])]), "allOf": .list(rules),
    ])
  }

  /// A schema for objects in which a member selects one of several shapes.
  private static func choice(_ key: String, _ word: String, _ schema: Value) -> Value {
    .object([
      "if": .object([
        "properties": .object([key: .object(["const": .string(word)])]),
        "required": [.string(key)],
      ]),
      "then": schema,
    ])
  }

  private static func stepSchema(_ kind: String, _ shape: KeyShape) -> Value {
    let events: Value = ["type": ["array", "null"], "items": ["$ref": "#/$defs/entry"]]
    switch kind {
    case "call":
      // A scenario can call an unknown method deliberately, to test the error.
      return details(
        of: shape, "method", ScenarioShapes.arguments, "args", events, unless: "unknownMethod")
    case "presenter":
      return details(of: shape, "action", ScenarioShapes.presenterActions, "with", events)
    case "app": return details(of: shape, "action", ScenarioShapes.appActions, "with", events)
    case "client": return details(of: shape, "endpoint", ScenarioShapes.endpoints, "args", events)
    case "advance":
      return schema(
        of: shape, required: ["ms"], ["events": events, "ms": ["type": "integer", "minimum": 0]])
    default: return schema(of: shape, required: [], ["events": events])
    }
  }

  /// A schema for a step in which one member determines the form of the details.
  private static func details(
    of shape: KeyShape, _ key: String, _ known: [String: KeyShape], _ details: String,
    _ events: Value, unless mark: String? = nil
  ) -> Value {
    let words = known.keys.sorted()
    let word = Value.object([
      "required": [.string(key)],
      "properties": .object([key: .object(["enum": .texts(words)])]),
    ])
    var rules = [
      mark.map { .object(["if": .object(["required": [.string($0)]]), "else": word]) } ?? word
    ]
    for word in words {
      guard let inner = known[word] else { continue }
      rules.append(
        choice(key, word, .object(["properties": .object([details: value(of: inner)])])))
    }
    guard case .map(let entries) = schema(of: shape, required: [], ["events": events]) else {
      return .map([])
    }
    return .map(entries + [Value.Entry(key: "allOf", value: .list(rules))])
  }

  // MARK: Expectations

  private static var entry: Value {
    func words(_ words: [String]) -> Value {
      .object(["anyOf": [.object(["enum": .texts(words)]), anyMatcher]])
    }
    return schema(
      of: ScenarioShapes.entry, required: [],
      [
        "ev": words(ScenarioShapes.events), "sw": words(ScenarioShapes.superwallEvents),
        "host": words(ScenarioShapes.hostCommands),
        "unordered": ["type": "array", "items": ["$ref": "#/$defs/entry"]],
        "optional": ["$ref": "#/$defs/entry"],
      ])
  }

  // MARK: Shapes

  /// An object with the keys of a shape and no others.
  ///
  /// - Parameter members: schemas that are more precise than the shape, by key.
  private static func schema(
    of shape: KeyShape, required: [String], _ members: KeyValuePairs<String, Value>
  ) -> Value {
    guard case .object(let keys) = shape else { return value(of: shape) }
    let known = Dictionary(members.map { ($0, $1) }) { $1 }
    let properties = keys.keys.sorted().map { key in
      Value.Entry(
        key: .string(key), value: known[key] ?? keys[key].map(value) ?? .map([]))
    }
    return .members([
      "type": "object", "required": required.isEmpty ? nil : .texts(required),
      "properties": .map(properties), "additionalProperties": false,
    ])
  }

  private static func value(of shape: KeyShape) -> Value {
    switch shape {
    case .anything: return .map([])
    case .words(let words):
      return .object([
        "anyOf": [.object(["enum": .list(words.map { .string($0) } + [.null])]), anyMatcher]
      ])
    case .list(let element):
      return .object([
        "anyOf": [
          .object(["type": ["array", "null"], "items": value(of: element)]), anyMatcher,
        ]
      ])
    case .map(let element):
      return .object(["type": ["object", "null"], "additionalProperties": value(of: element)])
    case .lenient(let inner):
      guard case .map(let entries) = value(of: inner) else { return .map([]) }
      // A value that is not an object counts as missing.
      return .map(entries.filter { $0.key != "type" })
    case .object(let keys):
      let properties = keys.keys.sorted().map {
        Value.Entry(key: .string($0), value: keys[$0].map(value) ?? .map([]))
      }
      return .object([
        "type": ["object", "null"], "properties": .map(properties),
        "patternProperties": ["^[$]": [:]], "additionalProperties": false,
      ])
    }
  }
}
