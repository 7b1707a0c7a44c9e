public import Expressions

/// Validates JSON by the keywords of JSON Schema that Tollgate's schemas use; another keyword is an
/// error, so that nothing is passed over.
public final class SchemaValidator {
  struct Unknown: Error { var keyword: String }

  /// A schema that was read.
  private final class Rules {
    let name: String
    var types: Set<String>?
    var words: Set<Value>?
    var required: [String] = []
    var properties: [String: Rules] = [:]
    var patterns: [(Regex<AnyRegexOutput>, Rules)] = []
    var others: Rules?
    var items: Rules?
    var isClosed = false
    /// Whether no value fits: the schema `false`.
    var isImpossible = false
    var any: [Rules] = []
    var all: [Rules] = []
    var test: Rules?
    var then: Rules?
    var otherwise: Rules?
    var pattern: Regex<AnyRegexOutput>?
    var limits: [String: Double] = [:]
    var reference: String?
    var wasUsed = false

    init(_ name: String) { self.name = name }
  }

  private var parts: [String: Rules] = [:]
  private var references: Set<String> = []
  private var members: [Rules] = []
  private var root = Rules("")

  /// - Parameter definition: one of `$defs` that values are to fit; nil for the whole.
  public init(_ schema: Value, definition: String? = nil) throws {
    for (name, part) in schema["$defs"]?.members ?? [] {
      parts["#/$defs/\(name)"] = try read(part, name)
    }
    root = try read(definition.map { ["$ref": .string("#/$defs/\($0)")] } ?? schema, "")
    while let reference = references.first(where: { parts[$0] == nil }) {
      let path = reference.split(separator: "/").dropFirst()
      let part = path.reduce(Optional(schema)) { $0?[String($1)] }
      guard let part else { throw Unknown(keyword: reference) }
      parts[reference] = try read(part, String(path.last ?? ""))
    }
  }

  private func read(_ schema: Value, _ name: String) throws -> Rules {
    let rules = Rules(name)
    rules.isImpossible = schema == false
    for (keyword, value) in schema.members ?? [] {
      try read(keyword, value, into: rules)
    }
    return rules
  }

  private func read(_ keyword: String, _ value: Value, into rules: Rules) throws {
    let name = rules.name
    func list() throws -> [Rules] { try (value.elements ?? []).map { try read($0, name) } }
    switch keyword {
    case "$schema", "$defs", "title", "description", "examples", "deprecated", "format": break
    case "type": rules.types = Set((value.elements ?? [value]).compactMap(\.text))
    case "enum": rules.words = Set(value.elements ?? [])
    case "const": rules.words = [value]
    case "required": rules.required = (value.elements ?? []).compactMap(\.text)
    case "properties":
      for (key, member) in value.members ?? [] {
        let read = try read(member, "\(name).\(key)")
        rules.properties[key] = read
        members.append(read)
      }
    case "patternProperties":
      for (pattern, member) in value.members ?? [] {
        rules.patterns.append((try Regex(pattern), try read(member, name)))
      }
    case "additionalProperties":
      if value == false { rules.isClosed = true } else { rules.others = try read(value, name) }
    case "items": rules.items = try read(value, name)
    case "anyOf": rules.any = try list()
    case "allOf": rules.all = try list()
    case "if": rules.test = try read(value, name)
    case "then": rules.then = try read(value, name)
    case "else": rules.otherwise = try read(value, name)
    case "pattern": rules.pattern = try Regex(value.text ?? "")
    case "minimum", "maximum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems",
      "minProperties", "maxProperties":
      rules.limits[keyword] = value.number
    case "$ref":
      rules.reference = value.text
      references.insert(value.text ?? "")
    default: throw Unknown(keyword: keyword)
    }
  }

  /// Members that the schema names and no value so far had.
  public var unused: [String] { members.filter { !$0.wasUsed }.map(\.name) }

  public func accepts(_ value: Value) -> Bool { accepts(value, root) }

  private func accepts(_ value: Value, _ rules: Rules) -> Bool {
    rules.wasUsed = true
    if rules.isImpossible { return false }
    if let reference = rules.reference {
      guard let part = parts[reference], accepts(value, part) else { return false }
    }
    if let types = rules.types, !types.contains(where: { isOf($0, value) }) { return false }
    if let words = rules.words, !words.contains(value) { return false }
    guard isWithin(rules, value), membersFit(value, rules) else { return false }
    if let items = rules.items, let elements = value.elements {
      guard elements.allSatisfy({ accepts($0, items) }) else { return false }
    }
    if !rules.any.isEmpty {
      // All are looked at, so that it is known what was used.
      guard rules.any.map({ accepts(value, $0) }).contains(true) else { return false }
    }
    guard rules.all.allSatisfy({ accepts(value, $0) }) else { return false }
    guard let test = rules.test else { return true }
    let next = accepts(value, test) ? rules.then : rules.otherwise
    return next.map { accepts(value, $0) } ?? true
  }

  private func membersFit(_ value: Value, _ rules: Rules) -> Bool {
    guard let members = value.members else { return true }
    guard rules.required.allSatisfy({ value[$0] != nil }) else { return false }
    for (key, member) in members {
      let matching = rules.patterns.filter { key.firstMatch(of: $0.0) != nil }
      for (_, pattern) in matching where !accepts(member, pattern) { return false }
      if let property = rules.properties[key] {
        if !accepts(member, property) { return false }
      } else if matching.isEmpty {
        if rules.isClosed { return false }
        if let others = rules.others, !accepts(member, others) { return false }
      }
    }
    return true
  }

  private func isOf(_ type: String, _ value: Value) -> Bool {
    switch type {
    case "null": value == .null
    case "boolean": value.truth != nil
    case "string": value.text != nil
    case "array": value.elements != nil
    case "object": value.members != nil
    case "number": value.number != nil
    case "integer":
      if case .uint = value { true } else { value.wholeNumber != nil }
    default: false
    }
  }

  private func isWithin(_ rules: Rules, _ value: Value) -> Bool {
    if let pattern = rules.pattern, let text = value.text {
      guard text.firstMatch(of: pattern) != nil else { return false }
    }
    for (keyword, limit) in rules.limits {
      let size: Double? =
        switch keyword {
        case "minimum", "maximum", "exclusiveMaximum": value.number
        case "minLength", "maxLength": value.text.map { Double($0.unicodeScalars.count) }
        case "minItems", "maxItems": value.elements.map { Double($0.count) }
        default: value.members.map { Double($0.count) }
        }
      guard let size else { continue }
      let isWithin =
        switch keyword {
        case "exclusiveMaximum": size < limit
        case _ where keyword.hasPrefix("min"): size >= limit
        default: size <= limit
        }
      if !isWithin { return false }
    }
    return true
  }
}
