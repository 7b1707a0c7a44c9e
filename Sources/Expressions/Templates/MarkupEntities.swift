/// Sources that are HTML.
enum MarkupEntities {
  /// The source with `&lt;&lt; … &gt;&gt;` and `&lt;% … %&gt;` as tags. Entities inside tags are resolved,
  /// whichever delimiters the tags have. The content of raw blocks does not change.
  static func resolved(_ source: String, _ delimiters: TemplateDelimiters) -> String {
    // SAFETY: The view of the source stays in the closure. Tests: RenderingTests,
    // HostileTemplateTests.
    var source = source
    return source.withUTF8 { source in
      guard source.contains(UInt8(ascii: "&")) else {
        return String(decoding: source, as: UTF8.self)
      }
      var resolver = EntityResolver(source, delimiters)
      return resolver.run()
    }
  }
}

/// One pass over a source.
private struct EntityResolver {
  // SAFETY: `source` is the caller's view. Every index is compared with its count, or comes from
  // `find`. Tests: RenderingTests, HostileTemplateTests.

  /// A pair of delimiters as written in HTML.
  private struct Pair {
    var opening: [UInt8]
    var closing: [UInt8]
    /// The plain delimiters.
    var plainOpening: [UInt8]
    var plainClosing: [UInt8]
    var isTag: Bool
    var isAngle: Bool
    /// Whether there are no further closing delimiters. This is determined only once.
    var isUnclosed = false

    init(_ opening: String, _ closing: String, _ plain: (String, String), isTag: Bool) {
      self.opening = Array(opening.utf8)
      self.closing = Array(closing.utf8)
      plainOpening = Array(plain.0.utf8)
      plainClosing = Array(plain.1.utf8)
      self.isTag = isTag
      isAngle = plain.0.hasPrefix("<")
    }
  }

  private let source: ByteView
  private var pairs: [Pair]
  private var result: [UInt8] = []
  private var at = 0

  init(_ source: ByteView, _ delimiters: TemplateDelimiters) {
    self.source = source
    pairs = [
      Pair("{{", "}}", ("{{", "}}"), isTag: false), Pair("{%", "%}", ("{%", "%}"), isTag: true),
      Pair("&lt;&lt;", "&gt;&gt;", ("<<", ">>"), isTag: false),
      Pair("&lt;%", "%&gt;", ("<%", "%>"), isTag: true),
      Pair("<<", ">>", ("<<", ">>"), isTag: false), Pair("<%", "%>", ("<%", "%>"), isTag: true),
    ].filter { $0.isAngle ? delimiters != .braces : delimiters != .angles }
    result.reserveCapacity(source.count)
  }

  mutating func run() -> String {
    while at < source.count {
      let byte = source[at]
      if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "<") || byte == UInt8(ascii: "&"),
        takeTag()
      {
        continue
      }
      result.append(byte)
      at += 1
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Converts the tag that begins here, if there is one.
  private mutating func takeTag() -> Bool {
    for place in pairs.indices {
      let pair = pairs[place]
      guard !pair.isUnclosed, starts(at, pair.opening) else { continue }
      let inner = at + pair.opening.count
      guard let end = find(pair.closing, from: inner) else {
        pairs[place].isUnclosed = true
        continue
      }
      result += pair.plainOpening
      decode(inner..<end)
      result += pair.plainClosing
      at = end + pair.closing.count
      if pair.isTag, word(in: inner..<end) == "raw" { skipRaw() }
      return true
    }
    return false
  }

  /// The content of a tag without white space and white space control.
  private func word(in range: Range<Int>) -> String {
    let bytes = source[range].filter { $0 > 0x20 && $0 != UInt8(ascii: "-") }
    return bytes.count > 3 ? "" : String(decoding: bytes, as: UTF8.self)
  }

  /// Copies the content of a raw block unchanged, up to the tag that ends it.
  private mutating func skipRaw() {
    var end = find(Array("endraw".utf8), from: at) ?? source.count
    let openings = pairs.filter { $0.isTag }.map { $0.opening }
    while end > at, end < source.count, !openings.contains(where: { starts(end, $0) }) { end -= 1 }
    result += source[at..<end]
    at = end
  }

  private func find(_ part: [UInt8], from start: Int) -> Int? {
    part.withUnsafeBufferPointer { LiquidTexts.find($0, in: source, from: start) }
  }

  private func starts(_ at: Int, _ part: [UInt8]) -> Bool {
    source.count - at >= part.count && source[at..<(at + part.count)].elementsEqual(part)
  }

  // MARK: Entities

  private static let names: [(name: [UInt8], byte: UInt8)] = [
    ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&"),
    ("&nbsp;", " "),
  ].map { (Array($0.0.utf8), Array($0.1.utf8)[0]) }

  private mutating func decode(_ range: Range<Int>) {
    var at = range.lowerBound
    while at < range.upperBound {
      if source[at] == UInt8(ascii: "&") {
        if let known = Self.names.first(where: { starts(at, $0.name) }) {
          result.append(known.byte)
          at += known.name.count
          continue
        }
        if let (byte, count) = number(at, range.upperBound) {
          result.append(byte)
          at += count
          continue
        }
      }
      result.append(source[at])
      at += 1
    }
  }

  /// The ASCII character of `&#39;` or `&#x27;`, and the length of the entity. A no-break space is a space.
  private func number(_ start: Int, _ end: Int) -> (byte: UInt8, count: Int)? {
    guard starts(start, [UInt8(ascii: "&"), UInt8(ascii: "#")]) else { return nil }
    var at = start + 2
    let isHex = at < end && source[at] | 0x20 == UInt8(ascii: "x")
    if isHex { at += 1 }
    let digits = at
    var value = 0
    while at < end, at - digits < 7, let digit = Self.digit(source[at]), digit < (isHex ? 16 : 10) {
      value = value * (isHex ? 16 : 10) + digit
      at += 1
    }
    guard at > digits, at < end, source[at] == UInt8(ascii: ";") else { return nil }
    if value == 0xA0 { value = 0x20 }
    guard 0x20..<0x7F ~= value else { return nil }
    return (UInt8(value), at + 1 - start)
  }

  private static func digit(_ byte: UInt8) -> Int? {
    switch byte {
    case 0x30...0x39: Int(byte) - 0x30
    case 0x41...0x46: Int(byte) - 0x41 + 10
    case 0x61...0x66: Int(byte) - 0x61 + 10
    default: nil
    }
  }
}
