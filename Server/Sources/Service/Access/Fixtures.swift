package import Expressions
internal import Foundation
internal import HTTPTypes

/// The applications of a server, from `--fixtures`:
/// `{"applications":[{"id","publicKey","secretKey","config","domain"?,"products"?,"codes"?,
/// "entitlements"?,"agentwallieKey"?}]}`.
package struct Fixtures: Sendable {
  /// One application.
  package struct Application: Sendable {
    package var id: String
    package var publicKey: String
    package var secretKey: String
    /// The file of the config, or nil if the config is in the fixtures.
    package var configPath: String?
    /// The config as JSON.
    package var config: [UInt8]
    /// The products as JSON.
    package var products: [UInt8]?
    /// The whole entry, for members that only some routes read.
    package var entry: Value

    package init(
      id: String, publicKey: String, secretKey: String, configPath: String? = nil, config: [UInt8],
      products: [UInt8]? = nil, entry: Value = .map([])
    ) {
      self.id = id
      self.publicKey = publicKey
      self.secretKey = secretKey
      self.configPath = configPath
      self.config = config
      self.products = products
      self.entry = entry
    }
  }

  package var applications: [Application]
  /// Whether the keys were generated for one config, and are unknown to all callers.
  package var isDemo = false

  package init(applications: [Application]) { self.applications = applications }

  /// Creates one application for a config, with the public key `pk_demo` and a generated secret key.
  package init(config path: String) throws(ServiceError) {
    applications = [
      Application(
        id: "1", publicKey: "pk_demo", secretKey: "sk_" + SecretText.random(), configPath: path,
        config: try Self.read(path))
    ]
    isDemo = true
  }

  /// Reads a file. Paths in the file are relative to its folder.
  package init(file path: String) throws(ServiceError) {
    let bytes = try Self.read(path)
    let root: Value
    do throws(JSONFault) { root = try Value.parse(json: bytes) } catch {
      throw .badRequest("\(path) is not JSON: \(error.message) at byte \(error.offset)")
    }
    guard let list = root["applications"]?.elements, !list.isEmpty else {
      throw .badRequest("\(path) has no applications: expected {\"applications\":[{\"id\":..}]}")
    }
    let folder = (path as NSString).deletingLastPathComponent
    applications = []
    for (number, entry) in list.enumerated() {
      applications.append(
        try Self.application(entry, at: "\(path): applications[\(number)]", in: folder))
    }
    for (name, keys) in [
      ("id", applications.map(\.id)),
      (
        "key",
        applications.flatMap {
          [$0.publicKey, $0.secretKey] + ($0.entry["debugKey"]?.text.map { [$0] } ?? [])
        }
      ),
    ] where Set(keys).count < keys.count {
      throw .badRequest("\(path): two applications have the same \(name)")
    }
  }

  private static func application(
    _ entry: Value, at place: String, in folder: String
  ) throws(ServiceError) -> Application {
    func text(_ name: String) throws(ServiceError) -> String {
      let value = entry[name]
      if let number = value?.wholeNumber { return String(number) }
      guard let text = value?.text, !text.isEmpty else {
        throw .badRequest("\(place): '\(name)' is missing; it must be a string that is not empty")
      }
      return text
    }
    func file(_ name: String) -> String {
      name.hasPrefix("/") || folder.isEmpty ? name : folder + "/" + name
    }
    var application = Application(
      id: try text("id"), publicKey: try text("publicKey"), secretKey: try text("secretKey"),
      config: [], entry: entry)
    switch entry["config"] {
    case .string(let name)?:
      application.configPath = file(name)
      application.config = try read(file(name))
    case .map(let members)?: application.config = Array(Value.map(members).json.utf8)
    default:
      throw .badRequest(
        "\(place): 'config' must be the path of a config, or the config as an object")
    }
    if let name = entry["products"]?.text { application.products = try read(file(name)) }
    return application
  }

  /// Reads a whole file.
  package static func read(_ path: String) throws(ServiceError) -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw .badRequest("\(path) cannot be read")
    }
    if data.starts(with: [0x1f, 0x8b]) || data.starts(with: [0x28, 0xb5, 0x2f, 0xfd]) {
      throw .badRequest("\(path) is compressed; give it unpacked")
    }
    return Array(data)
  }
}
