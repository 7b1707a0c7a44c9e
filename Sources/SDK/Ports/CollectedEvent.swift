package import Expressions

/// An event for the backend's statistics.
package struct CollectedEvent: Hashable, Sendable {
  /// Numbers in order of occurrence.
  package var number = 0
  /// Unique, so that an event that is received twice counts once.
  package var id: String
  package var name: String
  /// An object.
  package var parameters: Value
  package var createdAt: Instant
  /// The app whose statistics it belongs to; empty before `configure`.
  package var apiKey = ""

  package init(id: String, name: String, parameters: Value, createdAt: Instant) {
    self.id = id
    self.name = name
    self.parameters = parameters
    self.createdAt = createdAt
  }

  /// The uploaded form.
  var uploaded: Value {
    .object([
      "event_id": .string(id), "event_name": .string(name), "parameters": parameters,
      "created_at": .string(createdAt.text ?? ""),
    ])
  }

  /// The stored form.
  var value: Value {
    .object([
      "id": .string(id), "name": .string(name), "parameters": parameters,
      "at": .int(createdAt.milliseconds), "apiKey": .string(apiKey),
    ])
  }

  /// Reads what `value` wrote; nil when something is missing or wrong.
  init?(decoding value: Value, key: String) {
    guard let number = Int(key.dropFirst(StorageKey.unsent.count)), number >= 0, number < .max,
      let id = value["id"]?.text, let name = value["name"]?.text,
      let parameters = value["parameters"], let createdAt = value["at"]?.instant
    else { return nil }
    self.init(id: id, name: name, parameters: parameters, createdAt: createdAt)
    self.number = number
    apiKey = value["apiKey"]?.text ?? ""
  }
}
