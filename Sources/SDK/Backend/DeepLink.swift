internal import Expressions

/// The parts of a deep link that the SDK uses.
struct DeepLink: Hashable, Sendable {
  var url: String
  var scheme: String
  var host: String
  /// The path with its leading slash, or an empty string.
  var path: String
  var query: [(name: String, value: String)] { Self.items(queryText) }
  var queryText: String
  var fragment: String

  /// Parses a link. Fails unless the string has the form `scheme://rest`, without white space.
  init?(_ url: String) {
    guard !url.contains(where: \.isWhitespace), let colon = url.firstIndex(of: ":") else {
      return nil
    }
    let scheme = url[..<colon]
    let rest = url[colon...].dropFirst()
    guard let first = scheme.unicodeScalars.first, first.isASCII, first.properties.isAlphabetic,
      scheme.unicodeScalars.allSatisfy({ Self.isSchemeCharacter($0) }), rest.hasPrefix("//"),
      rest.count > 2
    else { return nil }
    self.url = url
    self.scheme = scheme.lowercased()
    var remaining = rest.dropFirst(2)
    fragment = Self.cut("#", from: &remaining)
    queryText = Self.cut("?", from: &remaining)
    let slash = remaining.firstIndex(of: "/") ?? remaining.endIndex
    host = remaining[..<slash].lowercased()
    path = String(remaining[slash...])
  }

  private static func isSchemeCharacter(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar.isASCII else { return false }
    return scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
      || ["+", "-", "."].contains(scalar)
  }

  private static func cut(_ mark: Character, from text: inout Substring) -> String {
    guard let place = text.firstIndex(of: mark) else { return "" }
    let tail = text[place...].dropFirst()
    text = text[..<place]
    return String(tail)
  }

  private static func items(_ query: String) -> [(name: String, value: String)] {
    query.split(separator: "&").map { part in
      let pieces = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (decode(pieces[0]), pieces.count > 1 ? decode(pieces[1]) : "")
    }
  }

  /// Decodes `%XX` and `+`. Malformed parts stay unchanged.
  private static func decode(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      if byte == UInt8(ascii: "%"), digits.count == 2,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func == (a: DeepLink, b: DeepLink) -> Bool { a.url == b.url }

  func hash(into hasher: inout Hasher) { hasher.combine(url) }

  /// Whether the link is a web address of Superwall that opens the app.
  var isAppLink: Bool {
    guard scheme == "https", path.hasPrefix("/app-link/") else { return false }
    return [".superwall.app", ".superwallapp.dev"].contains { host.hasSuffix($0) }
  }

  /// The code that the link redeems, from `scheme://superwall/redeem?code=` or the corresponding app link.
  var redemptionCode: String? {
    let isRedemption =
      isAppLink ? path == "/app-link/superwall/redeem" : host == "superwall" && path == "/redeem"
    guard isRedemption else { return nil }
    let code = query.first { $0.name == "code" }?.value ?? ""
    return code.isEmpty ? nil : code
  }

  /// Parameters of the placement `deepLink_open`: the parts of the URL, and the query items as booleans, numbers or
  /// strings. Empty parts are omitted.
  var params: Value {
    let components = path.split(separator: "/")
    let name = components.last.map(String.init) ?? ""
    let dot = name.lastIndex(of: ".")
    var all: [String: Value] = [
      "url": .string(url), "path": .string(path), "lastPathComponent": .string(name),
      "pathExtension": .string(dot.map { String(name[$0...].dropFirst()) } ?? ""),
      "host": .string(host), "query": .string(queryText), "fragment": .string(fragment),
    ]
    for item in query { all[item.name] = Self.typed(item.value) }
    return .members(all.filter { $0.value != .string("") })
  }

  private static func typed(_ text: String) -> Value {
    if let truth = Bool(text) { return .bool(truth) }
    if let number = Int64(text) { return .int(number) }
    if let number = Double(text), number.isFinite { return .double(number) }
    return .string(text)
  }
}
