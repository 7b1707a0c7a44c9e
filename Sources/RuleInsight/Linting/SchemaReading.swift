package import Expressions
internal import RuleEngine

/// A user-defined schema, as JSON: `{"user": {"age": "int", "roles": {"list": "string"}, "plan":
/// {"enum": ["free", "pro"]}}, "device": {..}, "params": {..}}`.
///
/// `"int?"` is an attribute that some users lack. Instead of a word, `{"type": "int", "required":
/// true}` is also allowed. A learned schema also contains counts. `check-template` reads the same
/// format.
extension ContextSchema {
  /// The roots of attributes.
  static let rootNames = ["user", "device", "params"]
  /// Types, by their words in schemas.
  static let typeWords: [(String, Kind)] = AttributeDescription.types.map {
    ($0.word, kind($0.type))
  }

  private static func kind(_ type: AttributeDescription.ValueType) -> Kind {
    switch type {
    case .any: .any
    case .bool: .bool
    case .number: .number
    case .string: .anyText
    case .list: .list(.any)
    case .map: .map
    case .time: .time
    case .span: .span
    case .null: .null
    }
  }

  /// Reads a schema. Unknown parts are reported and dropped.
  package static func decode(_ json: [UInt8]) -> Compilation<ContextSchema> {
    do throws(JSONFault) {
      let value = try Value.parse(json: json)
      var reader = SchemaReader()
      let schema = reader.schema(ConfigElement(value: value, path: ""))
      return Compilation(output: schema, diagnostics: reader.log.diagnostics)
    } catch {
      return Compilation(output: nil, diagnostics: [Diagnostic(error, in: json)])
    }
  }
}

private struct SchemaReader {
  var log = DecodingLog(strictPeers: [])

  mutating func schema(_ root: ConfigElement) -> ContextSchema? {
    guard root.isObject else {
      log.report(.decodeFailure, "a schema must be a JSON object", at: "")
      return nil
    }
    if let problem = otherKind(root) {
      log.report(
        .decodeFailure, problem, at: "",
        suggestion: #"write {"user": {"plan": "string"}}, or let 'tollgate schema USERS' write it"#)
      return nil
    }
    var schema = ContextSchema()
    if let learned = root.member("learned") {
      schema.users = learned.member("users")?.value.number.flatMap { Int(exactly: $0) } ?? 0
    }
    for name in root.keys where name != "learned" {
      guard ContextSchema.rootNames.contains(name) else {
        log.report(
          .unknownKey, "'\(name)' is not a root of attributes and is ignored", severity: .warning,
          at: root.memberPath(name),
          suggestion: Suggestion.closest(to: name, among: ContextSchema.rootNames).map {
            "did you mean '\($0)'?"
          }
            ?? "write \(ContextSchema.rootNames.joined(separator: ", "))")
        continue
      }
      guard let attributes = log.optionalObject(name, of: root) else { continue }
      schema.completeRoots.insert(name)
      // The members are walked once, because looking up each by name would walk all of them each time.
      for (key, value) in attributes.value.members ?? [] where value != .null {
        let element = ConfigElement(value: value, path: attributes.memberPath(key))
        guard schema[name, key] == nil, let attribute = attribute(element) else { continue }
        schema[name, key] = attribute
      }
    }
    return schema
  }

  /// The kind of a file that is not a schema of attributes; nil if it may be one.
  private func otherKind(_ root: ConfigElement) -> String? {
    if ContextSchema.rootNames.contains(where: { root.member($0)?.isObject == true }) { return nil }
    if root.has("$schema") || root.has("properties") || root.has("$defs") {
      return "this is a JSON Schema, not a schema of attributes"
    }
    if root.has("trigger_options") || root.has("campaigns") {
      return "this is a config, not a schema of attributes"
    }
    let roots = ContextSchema.rootNames.map { $0 + "." }
    if let key = root.keys.first(where: { key in roots.contains { key.hasPrefix($0) } }) {
      return "'\(key)' is a path; write attributes inside their root"
    }
    return nil
  }

  private mutating func attribute(_ element: ConfigElement) -> ContextSchema.Attribute? {
    guard let kind = kind(element) else { return nil }
    // `"int?"` may be missing, and so may "int" unless a schema states that every user has it.
    var attribute = ContextSchema.Attribute(kind)
    attribute.isOptional = element.text?.hasSuffix("?") ?? false
    if element.isObject {
      let isRequired = log.optionalBool("required", of: element)
      attribute.isAlwaysThere = isRequired ?? false
      attribute.isOptional = isRequired == false
      attribute.present = element.member("present")?.value.number.flatMap { Int(exactly: $0) }
      for (type, count) in element.member("types")?.value.members ?? [] {
        attribute.types[type] = count.number.flatMap { Int(exactly: $0) }
      }
      let isDescribed = ["type", "enum", "list"].contains { element.has($0) }
      if isDescribed {
        log.checkKeys(of: element, AttributeDescription.keys.map { ConfigKey($0) })
      }
      let least = log.optionalNumber("min", of: element)
      let greatest = log.optionalNumber("max", of: element)
      if let least, let greatest, least > greatest {
        log.report(
          .decodeFailure, "'min' is greater than 'max'", severity: .warning,
          at: element.memberPath("min"))
      }
    }
    return attribute
  }

  private mutating func kind(_ element: ConfigElement) -> ContextSchema.Kind? {
    if let text = element.text {
      let name = AttributeDescription.type(text).name
      if let word = ContextSchema.typeWords.first(where: { $0.0 == name }) { return word.1 }
      log.report(
        .decodeFailure, "'\(text)' is not a type", at: element.path,
        suggestion: Suggestion.question(
          about: text, among: AttributeDescription.types.map { $0.word })
          ?? "write bool, int, double, string, list, map or any")
      return nil
    }
    if let values = element.member("enum") {
      let words = log.texts("enum", of: element)
      guard !words.isEmpty, words.count == values.elements?.count else { return .any }
      return .text(oneOf: words)
    }
    if let inner = element.member("list") { return kind(inner).map { .list($0) } }
    if let type = element.member("type") { return kind(type) }
    if element.isObject { return .map }
    log.report(
      .decodeFailure, "a type is a word such as \"int\", {\"list\": type} or {\"enum\": [strings]}",
      at: element.path)
    return nil
  }
}
