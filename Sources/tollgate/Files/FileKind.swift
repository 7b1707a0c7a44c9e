internal import Expressions

/// What a file of JSON holds, by the keys of its outermost object.
enum FileKind: CaseIterable {
  case config, user, products, texts, paywall, storeKit, manifest, outcomes, scenario

  /// As in "users.json is a user record".
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
    }
  }

  /// The kind of a file, as far as its beginning tells; nil when it is none of these.
  static func of(_ bytes: some Collection<UInt8>) -> FileKind? {
    let keys = Set(OutermostKeys(Array(bytes.prefix(1 << 20))).keys)
    func has(_ names: String...) -> Bool { names.allSatisfy(keys.contains) }
    if has("trigger_options") || has("campaigns") { return .config }
    if has("manifest") { return .manifest }
    if has("result", "placement") { return .outcomes }
    if has("steps") { return .scenario }
    if has("userId") || has("user", "device") { return .user }
    if has("components") { return .paywall }
    if has("subscriptionGroups") { return .storeKit }
    if has("products") { return .products }
    if has("paywalls") { return .texts }
    return nil
  }

  /// Whether a text is an object that has users as one of its members.
  static func isWrappedUsers(_ bytes: [UInt8]) -> Bool {
    let keys = OutermostKeys(bytes).keys
    return keys.contains("users") && !keys.contains("userId") && !keys.contains("user")
  }

  /// The kind of a text that is JSON, as a whole or in its first line; nil for one with a fault, of
  /// which there is more to say.
  static func ofJSON(_ bytes: [UInt8]) -> FileKind? {
    let first = bytes.prefix { $0 != UInt8(ascii: "\n") }
    guard (try? Value.parse(json: first)) != nil || (try? Value.parse(json: bytes)) != nil else {
      return nil
    }
    return of(bytes)
  }

  /// Says that a file is of another kind than the one that is expected.
  func error(_ name: String, expected: FileKind) -> CommandError {
    CommandError("\(name) is \(self.name), not \(expected.name)")
  }
}

/// The keys of the first object of a text, also where the text is cut or has faults.
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
