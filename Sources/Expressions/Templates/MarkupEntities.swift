/// Sources that are HTML.
enum MarkupEntities {
  // SAFETY: The view of the source stays in the closure. Reads stay inside the matches that `find`
  // returns, or compare with the count. Tests: RenderingTests, HostileTemplateTests.

  private static let opening = Array("&lt;".utf8)
  private static let names: [(name: [UInt8], byte: UInt8)] = [
    ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&apos;", "'"), ("&amp;", "&"),
  ].map { (Array($0.0.utf8), Array($0.1.utf8)[0]) }

  /// The source with `&lt;&lt; … &gt;&gt;` and `&lt;% … %&gt;` as tags, entities inside them resolved.
  static func resolved(_ source: String) -> String {
    var source = source
    return source.withUTF8 { source in
      var result: [UInt8] = []
      result.reserveCapacity(source.count)
      var from = 0
      while let start = firstOpening(source, from) {
        let isTag = source[start + 4] == UInt8(ascii: "%")
        let inner = start + (isTag ? 5 : 8)
        let closing = Array((isTag ? "%&gt;" : "&gt;&gt;").utf8)
        guard let end = find(closing, in: source, from: inner) else { break }
        result += source[from..<start]
        result += Array((isTag ? "<%" : "<<").utf8)
        decode(ByteView(rebasing: source[inner..<end]), into: &result)
        result += Array((isTag ? "%>" : ">>").utf8)
        from = end + closing.count
      }
      result += source[from...]
      return String(decoding: result, as: UTF8.self)
    }
  }

  private static func firstOpening(_ text: ByteView, _ start: Int) -> Int? {
    var at = start
    while let found = find(opening, in: text, from: at) {
      let next = found + opening.count
      if next < text.count, text[next] == UInt8(ascii: "%") { return found }
      if starts(text, next, opening) { return found }
      at = next
    }
    return nil
  }

  private static func find(_ part: [UInt8], in text: ByteView, from start: Int) -> Int? {
    part.withUnsafeBufferPointer { LiquidTexts.find($0, in: text, from: start) }
  }

  private static func starts(_ text: ByteView, _ at: Int, _ part: [UInt8]) -> Bool {
    text.count - at >= part.count && text[at..<(at + part.count)].elementsEqual(part)
  }

  private static func decode(_ text: ByteView, into result: inout [UInt8]) {
    var at = 0
    while at < text.count {
      if text[at] == UInt8(ascii: "&"),
        let known = names.first(where: { starts(text, at, $0.name) })
      {
        result.append(known.byte)
        at += known.name.count
      } else {
        result.append(text[at])
        at += 1
      }
    }
  }
}
