internal import Expressions

/// The kind of a file, by the keys of its outermost object, or the header of a table.
enum FileKind: CaseIterable {
  case config, user, products, texts, paywall, storeKit, manifest, outcomes, scenario
  case tests, invariants, traffic, attributes, jsonSchema, table

  /// The name of the kind, such as the end of "users.json is a user record".
  var name: String {
    switch self {
    case .config: "a config"
    case .user: "a user record"
    case .products: "a products file"
    case .texts: "a file of paywall texts"
    case .paywall: "a native paywall"
    case .storeKit: "a StoreKit configuration file"
    case .manifest: "a manifest"
    case .outcomes: "an outcomes file"
    case .scenario: "a file of scenarios"
    case .tests: "a file of tests"
    case .invariants: "a file of invariants"
    case .traffic: "recorded traffic"
    case .attributes: "a schema of users' attributes"
    case .jsonSchema: "a JSON Schema"
    case .table: "CSV"
    }
  }

  /// A command that accepts a file of this kind where no config is accepted; nil if no command is obvious.
  func taker(_ name: String) -> String? {
    switch self {
    case .user, .table: "precompute CONFIG --users \(name)"
    case .tests: "test \(name) --config CONFIG"
    case .invariants: "fuzz CONFIG --invariants \(name)"
    case .traffic: "simulate-traffic CONFIG --users USERS --events \(name)"
    case .attributes: "check CONFIG --schema \(name)"
    case .products: "products \(name)"
    case .manifest: "replay \(name)"
    case .scenario: "simulate \(name)"
    default: nil
    }
  }

  /// The kind of a file, as far as its beginning shows it; nil for another kind.
  static func of(_ bytes: some Collection<UInt8>) -> FileKind? {
    let bytes = Array(bytes.prefix(1 << 20))
    if isTable(bytes) { return .table }
    let keys = Set(OutermostKeys(bytes).keys)
    func has(_ names: String...) -> Bool { names.allSatisfy(keys.contains) }
    if has("trigger_options") || has("campaigns") { return .config }
    if has("manifest") { return .manifest }
    if has("result", "placement") { return .outcomes }
    if has("steps") { return .scenario }
    if has("$schema"), ["type", "properties", "$defs", "oneOf"].contains(where: keys.contains) {
      return .jsonSchema
    }
    if has("placement", "expect") || has("users", "expect") { return .tests }
    if has("holds") { return .invariants }
    if has("at", "placement") { return .traffic }
    if !keys.isEmpty, keys.isSubset(of: ["user", "device", "params"]), isSchema(bytes) {
      return .attributes
    }
    if has("userId") || has("user", "device") { return .user }
    if has("components") { return .paywall }
    if has("subscriptionGroups") { return .storeKit }
    if has("products") { return .products }
    if has("paywalls") { return .texts }
    return nil
  }

  /// Whether a text is CSV with users or outcomes, according to its header.
  private static func isTable(_ bytes: [UInt8]) -> Bool {
    guard let start = bytes.firstIndex(where: { $0 > 0x20 && $0 < 0x80 }),
      ![UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "<")].contains(bytes[start])
    else { return false }
    let cells = bytes[start...].prefix { $0 != 0x0A && $0 != 0x0D }.split(
      separator: UInt8(ascii: ","))
    return cells.count > 1
      && cells.contains { cell in
        let name = cell.filter { $0 != UInt8(ascii: "\"") }
        return ["userId", "user_id"].contains { name.elementsEqual($0.utf8) }
      }
  }

  /// Whether the members of an object's members are types and not values.
  private static func isSchema(_ bytes: [UInt8]) -> Bool {
    guard case .map(let roots)? = try? Value.parse(json: bytes),
      case .map(let members)? = roots.first?.value, let first = members.first?.value
    else { return false }
    if let type = first.text { return ["int", "double", "string", "bool", "any"].contains(type) }
    return ["type", "list", "enum"].contains { first[$0] != nil }
  }

  /// Whether a text is an object with users as one of its members.
  static func isWrappedUsers(_ bytes: [UInt8]) -> Bool {
    let keys = OutermostKeys(bytes).keys
    return keys.contains("users") && !keys.contains("userId") && !keys.contains("user")
  }

  /// The kind of a text that is JSON, as a whole or in its first line, or CSV; nil for invalid
  /// text, which has more specific errors.
  static func ofSound(_ bytes: [UInt8]) -> FileKind? {
    if isTable(bytes) { return .table }
    let first = bytes.prefix { $0 != UInt8(ascii: "\n") }
    guard (try? Value.parse(json: first)) != nil || (try? Value.parse(json: bytes)) != nil else {
      return nil
    }
    return of(bytes)
  }

  /// The error for a file that does not have the expected kind.
  func error(_ name: String, expected: FileKind) -> CommandError {
    CommandError("\(name) is \(self.name), not \(expected.name)")
  }
}

/// The keys of the first object of a text, even if the text is cut or invalid.
private struct OutermostKeys {
  private(set) var keys: [String] = []

  init(_ bytes: [UInt8]) {
    guard var at = bytes.firstIndex(where: { $0 > 0x20 }), bytes[at] == UInt8(ascii: "{") else {
      return
    }
    var depth = 0
    while at < bytes.count {
      switch bytes[at] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 { return }
      case UInt8(ascii: "\""):
        let start = at + 1
        at += 1
        while at < bytes.count, bytes[at] != UInt8(ascii: "\"") {
          at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard depth == 1, at < bytes.count else { break }
        let next = bytes[(at + 1)...].first { $0 > 0x20 }
        if next == UInt8(ascii: ":") {
          keys.append(String(decoding: bytes[start..<at], as: UTF8.self))
        }
      default: break
      }
      at += 1
    }
  }
}
