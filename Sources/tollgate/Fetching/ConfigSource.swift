internal import ArgumentParser
internal import Expressions
internal import RuleEngine

/// The server of a config.
struct ConfigSource {
  /// The environment variable that may contain the key.
  static let keyVariable = "TOLLGATE_KEY"

  let format: Config.Format
  /// The beginning of the URL, without the path of the format's API: `https://api.superwall.me`.
  let base: String
  /// The SDK version of the request; nil for none.
  let sdkVersion: SDKVersion?

  /// The headers that SDKs send in addition to the usual headers.
  var headers: [(name: String, value: String)] {
    sdkVersion.map { [("X-SDK-Version", "\($0)")] } ?? []
  }

  /// - Parameters:
  ///   - base: nil for the server that apps use.
  ///   - sdkVersion: the SDK version of the request.
  init(_ format: Config.Format, base: String?, sdkVersion: SDKVersion? = nil) throws {
    self.format = format
    self.sdkVersion = sdkVersion
    guard let base else {
      self.base = Self.usualBase(format)
      return
    }
    self.base = String(base.reversed().drop { $0 == "/" }.reversed())
    if let problem = problem(base) { throw ValidationError("--url \(problem)") }
  }

  private static func usualBase(_ format: Config.Format) -> String {
    switch format {
    case .superwall: "https://api.superwall.me"
    case .agentWallie: "https://api.agentwallie.com"
    }
  }

  /// The path that SDKs request, with the key in the path or in the query.
  private func path(key: String) -> String {
    switch format {
    case .superwall: "/api/v1/static_config?pk=\(key)"
    case .agentWallie: "/v1/config/\(key)"
    }
  }

  func url(key: String) -> String { base + path(key: Self.encoded(key)) }

  /// The server's name, for messages.
  var host: String { String(authority) }

  private var authority: Substring {
    base[(base.firstRange(of: "://")?.upperBound ?? base.endIndex)...].prefix { $0 != "/" }
  }

  /// A key as a part of a URL. Only characters that RFC 3986 calls unreserved stay unencoded.
  static func encoded(_ key: String) -> String {
    key.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        String(UnicodeScalar(byte))
      default:
        "-._~".utf8.contains(byte)
          ? String(UnicodeScalar(byte))
          : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }

  // MARK: Values of --url

  private func problem(_ given: String) -> String? {
    let start = path(key: "").prefix { $0 != "?" }.dropLast(format == .agentWallie ? 1 : 0)
    guard given.hasPrefix("https://") || given.hasPrefix("http://") else {
      return "begins with https://, and '\(given)' does not"
    }
    if base.contains(where: { "?#".contains($0) }) || base.hasSuffix(start) {
      return "is the beginning of the URL; \(start) and the key are added"
    }
    if authority.contains("@") { return "must not contain a name or a password" }
    let allowed = "-._~:/[]%!$&()*+,;="
    let isPlain = base.utf8.allSatisfy { byte in
      UnicodeScalar(byte).properties.isAlphabetic && byte < 0x80
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || allowed.utf8.contains(byte)
    }
    if !isPlain || authority.isEmpty { return "is not a URL: '\(given)'" }
    if base.hasPrefix("http://"), !isLoopback {
      return "is not encrypted: http:// is only for servers on this machine"
    }
    return nil
  }

  /// Whether the server is on this machine, so that traffic cannot be intercepted.
  var isLoopback: Bool {
    if authority.hasPrefix("[::1]") { return true }
    let name = authority.prefix { $0 != ":" }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return name == "localhost"
      || parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}
