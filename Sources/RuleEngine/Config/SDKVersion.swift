/// A version of an SDK, such as 4.12.5. Versions are ordered by their three numbers. A prerelease equals the release
/// that it precedes.
package struct SDKVersion: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The version of this package. Rules and servers read this value as the version of the SDK.
  package static let current = "0.2.0"

  package let major: Int
  package let minor: Int
  package let patch: Int

  package init(_ major: Int, _ minor: Int = 0, _ patch: Int = 0) {
    self.major = major
    self.minor = minor
    self.patch = patch
  }

  /// Reads one to three numbers separated by dots. Leading zeros are allowed, as in `004.012.005`. A `v` may precede
  /// the numbers, a suffix may follow after a hyphen or a plus sign, and spaces around the string are ignored. Fails
  /// for any other string.
  package init?(_ whole: some StringProtocol) {
    var text = Substring(whole)
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    if text.first == "v" || text.first == "V" { text.removeFirst() }
    let end = text.utf8.firstIndex { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
    let numbers = text[..<(end ?? text.endIndex)]
      .split(separator: ".", omittingEmptySubsequences: false)
    guard numbers.count <= 3 else { return nil }
    var parts = [0, 0, 0]
    for (place, number) in numbers.enumerated() {
      guard !number.isEmpty, number.utf8.count <= 9, number.utf8.allSatisfy({ $0 &- 0x30 < 10 }),
        let value = Int(number)
      else { return nil }
      parts[place] = value
    }
    self.init(parts[0], parts[1], parts[2])
  }

  package static func < (a: SDKVersion, b: SDKVersion) -> Bool {
    (a.major, a.minor, a.patch) < (b.major, b.minor, b.patch)
  }

  package var description: String { "\(major).\(minor).\(patch)" }
}

extension SDKVersion: ExpressibleByStringLiteral {
  /// Creates a version from a literal of this package's tables.
  package init(stringLiteral text: String) {
    guard let version = SDKVersion(text) else { preconditionFailure("'\(text)' is not a version") }
    self = version
  }
}

/// The SDKs whose versions are known.
package enum SDKName: String, Hashable, Sendable, CaseIterable {
  case ios
  case android
  case web
  case agentWallie = "agentwallie"

  /// The SDK's display name.
  package var title: String {
    switch self {
    case .ios: "iOS"
    case .android: "Android"
    case .web: "Web"
    case .agentWallie: "AgentWallieKit"
    }
  }

  /// The SDK that reports this `device.platform`, in upper or lower case; nil for a platform without an SDK.
  package init?(devicePlatform: String) {
    switch devicePlatform.lowercased() {
    case "ios", "ipados", "macos", "visionos", "tvos", "watchos": self = .ios
    case "android": self = .android
    case "web": self = .web
    default: return nil
    }
  }
}
