/// A locale identifier, taken apart: `en`, `de_DE`, `zh-Hant-TW`, `en_US@currency=USD`.
struct LocaleIdentifier: Hashable, Sendable {
  /// Small letters; codes that were replaced are new ones (`iw` is `he`).
  var language: String
  /// Four letters with a capital, or empty.
  var script: String
  /// Two capitals or three digits, or empty.
  var region: String
  /// The text without keywords, with underscores: the identifier of a variant, perhaps.
  var whole: String
  /// Whether keywords were left away that could change numbers or dates.
  var hasKeywords: Bool
  /// Whether variants or extensions were left away, which ``whole`` still has.
  var hasVariants: Bool

  /// Reads the parts in their order. Hyphens count as underscores, letter case does not count.
  init(_ text: String) {
    let head = text.prefix { $0 != "@" && $0 != "." }
    var parts = head.split { $0 == "_" || $0 == "-" }[...]
    // The currency belongs to the price, not to the locale.
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

  /// The parts with underscores.
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
