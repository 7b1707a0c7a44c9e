package import Expressions
internal import SDK

/// Checks payloads against the contract's JSON Schema: types, constants, members, alternatives.
///
/// `oneOf` is treated as `anyOf`, because a Stripe purchaser also matches the open alternative.
package struct ContractSchema: Sendable {
  private let definitions: Value
  private let events: Value

  /// - Parameter schema: a JSON Schema with the payloads of all events. The initializer fails for
  ///   any other schema.
  package init?(_ schema: Value) {
    guard let definitions = schema["$defs"],
      let events = definitions["SuperwallExpoModuleEvents"]?["properties"]
    else { return nil }
    self.definitions = definitions
    self.events = events
  }

  /// Describes the first event of a transcript that violates the contract, or returns nil if all events conform.
  package func problem(inEntries entries: [Value]) -> String? {
    for entry in entries {
      guard let event = entry["ev"]?.text else { continue }
      if let problem = problem(in: entry["p"] ?? .null, of: event) {
        return "\(event) breaks the contract: \(problem)"
      }
    }
    return nil
  }

  /// Describes the first problem of a payload, or returns nil for a valid payload.
  package func problem(in payload: Value, of event: String) -> String? {
    guard let schema = events[event] else { return "'\(event)' is not an event of the contract" }
    return problem(payload, schema, event)
  }

  private func problem(_ value: Value, _ schema: Value, _ path: String) -> String? {
    if let reference = schema["$ref"]?.text {
      let name = reference.split(separator: "/").last.map(String.init) ?? ""
      guard let target = definitions[name] else { return "\(path): there is no \(name)" }
      return problem(value, target, path)
    }
    if let constant = schema["const"], constant != value {
      return "\(path): \(value.json) is not \(constant.json)"
    }
    if let values = schema["enum"]?.elements, !values.contains(value) {
      return "\(path): \(value.json) is not one of the allowed values"
    }
    for key in ["oneOf", "anyOf"] {
      guard let options = schema[key]?.elements else { continue }
      var problems: [String] = []
      for option in options {
        guard let problem = problem(value, option, path) else { break }
        problems.append(problem)
      }
      if problems.count == options.count {
        // The problem of the alternative that matched furthest is the most helpful.
        let furthest = problems.max { $0.utf8.count < $1.utf8.count }
        return furthest ?? "\(path): there is no alternative"
      }
    }
    return typeProblem(value, schema, path) ?? memberProblem(value, schema, path)
  }

  private func typeProblem(_ value: Value, _ schema: Value, _ path: String) -> String? {
    let types = schema["type"].map { $0.elements ?? [$0] } ?? []
    let fits = types.isEmpty || types.contains { Self.fits(value, $0.text ?? "") }
    return fits ? nil : "\(path): \(value.json.prefix(80)) is not one of \(types.map(\.json))"
  }

  private static func fits(_ value: Value, _ type: String) -> Bool {
    switch type {
    case "string": value.text != nil
    case "number": value.number != nil
    case "integer": value.wholeNumber != nil
    case "boolean": value.truth != nil
    case "object": value.isObject
    case "array": value.elements != nil
    case "null": value == .null
    default: true
    }
  }

  private func memberProblem(_ value: Value, _ schema: Value, _ path: String) -> String? {
    if let elements = value.elements, let item = schema["items"] {
      for (index, element) in elements.enumerated() {
        if let problem = problem(element, item, "\(path)[\(index)]") { return problem }
      }
    }
    guard let members = value.members else { return nil }
    for required in schema["required"]?.elements ?? [] {
      if value[required.text ?? ""] == nil { return "\(path): \(required.json) is missing" }
    }
    for member in members {
      let place = "\(path).\(member.key)"
      if let known = schema["properties"]?[member.key] {
        if let problem = problem(member.value, known, place) { return problem }
      } else if schema["additionalProperties"] == .bool(false) {
        return "\(place) is not part of the contract"
      } else if let other = schema["additionalProperties"], other.isObject,
        let problem = problem(member.value, other, place)
      {
        return problem
      }
    }
    return nil
  }
}
