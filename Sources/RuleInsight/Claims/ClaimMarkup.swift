internal import Expressions

/// An HTML template whose template tags are plain: entities that spell tags or are inside them are
/// resolved. Positions are traced back to the source.
struct ClaimMarkup {
  private(set) var source: String
  /// The original position of each byte of the source with plain tags; empty if the positions are
  /// the same.
  private var places: [Int] = []

  private static let pairs: [(opening: [UInt8], closing: [UInt8], plain: (String, String))] = [
    ("&lt;&lt;", "&gt;&gt;", ("<<", ">>")), ("&lt;%", "%&gt;", ("<%", "%>")),
    ("{{", "}}", ("{{", "}}")), ("{%", "%}", ("{%", "%}")), ("<<", ">>", ("<<", ">>")),
    ("<%", "%>", ("<%", "%>")),
  ].map { (Array($0.0.utf8), Array($0.1.utf8), $0.2) }

  init(_ original: String, isHTML: Bool) {
    source = original
    guard isHTML, original.utf8.contains(UInt8(ascii: "&")) else { return }
    let bytes = Array(original.utf8)
    var result: [UInt8] = []
    var at = 0
    var closing: (written: [UInt8], plain: String)?
    func add(_ text: String, _ count: Int) {
      for byte in text.utf8 {
        result.append(byte)
        places.append(at)
      }
      at += count
    }
    while at < bytes.count {
      if let open = closing {
        if Self.has(open.written, bytes, at) {
          add(open.plain, open.written.count)
          closing = nil
          continue
        }
        if let (scalar, count) = Self.entity(bytes, at) {
          add(String(scalar), count)
          continue
        }
      } else if let pair = Self.pairs.first(where: { Self.has($0.opening, bytes, at) }) {
        add(pair.plain.0, pair.opening.count)
        closing = (pair.closing, pair.plain.1)
        continue
      }
      result.append(bytes[at])
      places.append(at)
      at += 1
    }
    places.append(at)
    source = String(decoding: result, as: UTF8.self)
  }

  /// The range in the original.
  func original(_ range: SourceRange) -> SourceRange {
    guard !places.isEmpty else { return range }
    func place(_ offset: Int) -> Int { places[min(max(offset, 0), places.count - 1)] }
    return SourceRange(from: place(range.from), to: place(range.to))
  }

  private static func has(_ text: [UInt8], _ bytes: [UInt8], _ at: Int) -> Bool {
    at + text.count <= bytes.count && bytes[at..<at + text.count].elementsEqual(text)
  }

  // MARK: Entities

  private static let named: [String: Unicode.Scalar] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}",
    "ndash": "\u{2013}", "mdash": "\u{2014}", "hellip": "\u{2026}", "rsquo": "\u{2019}",
    "lsquo": "\u{2018}", "ldquo": "\u{201C}", "rdquo": "\u{201D}", "euro": "\u{20AC}",
    "pound": "\u{A3}", "yen": "\u{A5}", "cent": "\u{A2}", "bull": "\u{2022}", "middot": "\u{B7}",
    "thinsp": "\u{2009}", "shy": "\u{AD}", "times": "\u{D7}", "eacute": "\u{E9}",
    "egrave": "\u{E8}", "agrave": "\u{E0}", "uuml": "\u{FC}", "ouml": "\u{F6}", "auml": "\u{E4}",
    "szlig": "\u{DF}", "ntilde": "\u{F1}",
  ]

  private static func entity(_ bytes: [UInt8], _ at: Int) -> (Unicode.Scalar, Int)? {
    guard bytes[at] == UInt8(ascii: "&"),
      let end = bytes[at...].prefix(12).firstIndex(of: UInt8(ascii: ";"))
    else { return nil }
    return entity(String(decoding: bytes[at + 1..<end], as: UTF8.self)).map { ($0, end - at + 1) }
  }

  /// The character of an entity, without `&` and `;`.
  static func entity(_ name: String) -> Unicode.Scalar? {
    guard name.hasPrefix("#") else { return named[name] }
    let digits = name.dropFirst()
    let number =
      digits.first == "x" || digits.first == "X"
      ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return number.flatMap(Unicode.Scalar.init)
  }
}
