/// A parsed locale identifier: `en`, `de_DE`, `zh-Hant-TW`, `en_US@currency=USD`.
struct LocaleIdentifier: Hashable, Sendable {
  /// The language in lower case. Obsolete codes are replaced by current codes (`iw` by `he`).
  var language: String
  /// Four letters, the first in upper case, or empty.
  var script: String
  /// Two upper-case letters or three digits, or empty.
  var region: String
  /// The identifier without keywords, with underscores. The identifier may belong to a variant.
  var whole: String
  /// Whether keywords that could change numbers or dates were left out.
  var hasKeywords: Bool
  /// Whether variants or extensions were left out, which ``whole`` still contains.
  var hasVariants: Bool

  /// Parses the parts in their order. Hyphens count as underscores, and letter case is ignored.
  init(_ text: String) {
    let head = text.prefix { $0 != "@" && $0 != "." }
    var parts = head.split { $0 == "_" || $0 == "-" }[...]
    // The currency is a property of the price, not of the locale.
    let keywords = text.dropFirst(head.count)
    hasKeywords =
      keywords.first == "@"
      && !keywords.dropFirst().split(separator: ";").allSatisfy { $0.hasPrefix("currency=") }
    whole = parts.joined(separator: "_")
    let first = parts.first.map { $0.lowercased() } ?? ""
    language = Self.replaced[first] ?? first
    script = ""
    region = ""
    parts = parts.dropFirst()
    if let part = parts.first, part.utf8.count == 4, part.allSatisfy({ $0.isASCII && $0.isLetter })
    {
      script = part.prefix(1).uppercased() + part.dropFirst().lowercased()
      parts = parts.dropFirst()
    }
    if let part = parts.first, Self.isRegion(part) {
      region = part.uppercased()
      parts = parts.dropFirst()
    }
    hasVariants = !parts.isEmpty
  }

  /// The parts, joined by underscores.
  var id: String { Self.join(language, script, region) }

  static func join(_ parts: String...) -> String {
    parts.filter { !$0.isEmpty }.joined(separator: "_")
  }

  private static func isRegion(_ part: Substring) -> Bool {
    part.utf8.count == 2 && part.allSatisfy { $0.isASCII && $0.isLetter }
      || part.utf8.count == 3 && part.allSatisfy { $0.isASCII && $0.isNumber }
  }

  /// Codes that ISO 639 replaced.
  private static let replaced = [
    "iw": "he", "in": "id", "ji": "yi", "jw": "jv", "mo": "ro", "tl": "fil",
  ]
}
