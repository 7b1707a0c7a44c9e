package import Expressions

/// An event for the backend's statistics.
package struct CollectedEvent: Hashable, Sendable {
  /// The number of the event, in order of occurrence.
  package var number = 0
  /// A unique ID, so that an event that is received twice counts once.
  package var id: String
  package var name: String
  /// The parameters, as an object.
  package var parameters: Value
  package var createdAt: Instant
  /// The API key of the app that the event belongs to. Empty before `configure`.
  package var apiKey = ""

  package init(id: String, name: String, parameters: Value, createdAt: Instant) {
    self.id = id
    self.name = name
    self.parameters = parameters
    self.createdAt = createdAt
  }

  /// The event as JSON, for uploading.
  var uploaded: Value {
    .object([
      "event_id": .string(id), "event_name": .string(name), "parameters": parameters,
      "created_at": .string(createdAt.text ?? ""),
    ])
  }

  /// The event as JSON, for storing.
  var value: Value {
    .object([
      "id": .string(id), "name": .string(name), "parameters": parameters,
      "at": .int(createdAt.milliseconds), "apiKey": .string(apiKey),
    ])
  }

  /// Reads an event that `value` wrote. Fails if a member is missing or invalid.
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
