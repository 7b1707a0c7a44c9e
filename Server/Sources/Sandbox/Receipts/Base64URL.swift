internal import Foundation

/// Base64 in the alphabet of URLs, without padding.
enum Base64URL {
  static func encode(_ bytes: some Sequence<UInt8>) -> String {
    String(
      Data(bytes).base64EncodedString().filter { $0 != "=" }
        .map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
  }

  /// The bytes, or nil for a string that this encoding does not write: other characters, padding, or bits past the end
  /// that are not zero. Otherwise two strings would mean the same bytes.
  static func decode(_ text: some StringProtocol) -> [UInt8]? {
    guard
      text.utf8.allSatisfy({
        switch $0 {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
        default: false
        }
      })
    else { return nil }
    var plain = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
    plain += String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
    guard let data = Data(base64Encoded: plain), encode(data) == String(text) else { return nil }
    return Array(data)
  }
}
