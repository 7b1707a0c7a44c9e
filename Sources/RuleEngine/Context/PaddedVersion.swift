/// Versions whose parts have the same number of digits, so that strings compare like versions.
package enum PaddedVersion {
  /// Pads a version: `3.10.1-rc.30` becomes `003.010.001-rc.030`. At most three numbers count. Each number has at least
  /// `width` digits, always in ASCII.
  ///
  /// - Parameter width: three in the SDKs for apps, four in the Web SDK.
  package static func text(_ version: String, width: Int = 3) -> String {
    let parts = version.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    let numbers = (parts.first ?? "").split(separator: ".", omittingEmptySubsequences: false)
      .prefix(3).map { padded($0, width) }
    var text = numbers.joined(separator: ".")
    if parts.count > 1 { text += "-" + suffix(parts[1], width) }
    return text
  }

  /// The version that a padded string means, or nil for other strings.
  package static func version(of padded: String, width: Int = 3) -> String? {
    let version = padded.split(separator: ".", omittingEmptySubsequences: false).map { part in
      let digits = part.drop { $0 == "0" }
      return digits.isEmpty ? "0" : String(digits)
    }.joined(separator: ".")
    return text(version, width: width) == padded ? version : nil
  }

  /// Pads the numbers of a version.
  ///
  /// - Parameter digits: the digits of a locale, from 0 to 9. Nil means ASCII digits.
  package static func text(_ version: String, width: Int = 3, digits: [Character]?) -> String {
    let padded = text(version, width: width)
    guard let digits else { return padded }
    return String(padded.map { $0.isASCII ? $0.wholeNumberValue.map { digits[$0] } ?? $0 : $0 })
  }

  /// The digits that a locale formats numbers with; nil for ASCII digits.
  package static func digits(ofLocale identifier: String) -> [Character]? {
    let parts = identifier.split { $0 == "_" || $0 == "-" }
    let zero: UInt32
    switch parts.first {
    case "ar":
      // These Arabic-speaking countries use ASCII digits.
      if ["DZ", "EH", "LY", "MA", "TN", "AE"].contains(parts.last) { return nil }
      zero = 0x660
    case "fa", "ur": zero = parts.first == "fa" ? 0x6F0 : 0x30
    case "ckb", "sd": zero = 0x660
    case "ps", "ks", "mzn", "lrc", "uz": zero = parts.first == "uz" ? 0x30 : 0x6F0
    case "bn", "as": zero = 0x9E6
    case "mr", "ne", "sa", "bho": zero = 0x966
    case "my": zero = 0x1040
    case "dz": zero = 0xF20
    default: return nil
    }
    if zero == 0x30 { return nil }
    return (0..<10).compactMap { UnicodeScalar(zero + $0).map { Character($0) } }
  }

  private static func suffix(_ suffix: Substring, _ width: Int) -> String {
    let parts = suffix.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count > 1 else { return String(suffix) }
    return parts[0] + "." + padded(parts[1], width)
  }

  /// A number with leading zeros. A part that is not a number counts as 0.
  private static func padded(_ part: Substring, _ width: Int) -> String {
    let isNumber = !part.isEmpty && part.utf8.allSatisfy { $0 &- 0x30 < 10 }
    let digits = isNumber ? String(part.drop { $0 == "0" }) : ""
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
