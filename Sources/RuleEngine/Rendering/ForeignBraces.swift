package import Expressions

/// Paths in the braces of other template languages, which texts print unchanged:
/// `{products.primary.price}`, `${user.name}`, `[params.pages]`, `%device.locale%`.
package enum ForeignBraces {
  /// The end of a tag, by its beginning.
  private static let tags: [(open: String, close: String)] = [
    ("{{", "}}"), ("{%", "%}"), ("<<", ">>"), ("<%", "%>"),
  ]
  /// The braces around a path. A pair comes after longer pairs that begin with the same characters.
  private static let braces: [(open: String, close: String)] = [
    ("${", "}"), ("{ {", "} }"), ("{", "}"), ("[", "]"), ("%", "%"),
  ]
  private static let roots = ["products", "user", "device", "params"]

  /// The findings in a text, in the order of the text.
  package static func findings(in text: String) -> [Diagnostic] {
    let bytes = Array(text.utf8)
    var found: [Diagnostic] = []
    var at = 0
    while at < bytes.count {
      if let (path, end) = pathInBraces(bytes, at) {
        let written = String(decoding: bytes[at..<end], as: UTF8.self)
        found.append(
          Diagnostic(
            .syntaxError, "'\(written)' is printed as it is", severity: .warning,
            range: SourceRange(from: at, to: end), suggestion: "write {{ \(path) }}"))
        at = end
      } else {
        at = endOfTag(bytes, at) ?? at + 1
      }
    }
    return found
  }

  /// The compiler's findings, with a suggestion if the third of three braces is the problem.
  package static func helped(_ diagnostics: [Diagnostic], in text: String) -> [Diagnostic] {
    let bytes = Array(text.utf8)
    return diagnostics.map { diagnostic in
      guard diagnostic.code == .syntaxError, let at = diagnostic.range?.from, at >= 2,
        bytes[(at - 2)...].starts(with: "{{{".utf8)
      else { return diagnostic }
      var helped = diagnostic
      helped.suggestion = "write two braces, not three"
      return helped
    }
  }

  /// The path in the braces that open at an offset, and their end.
  private static func pathInBraces(_ bytes: [UInt8], _ start: Int) -> (path: String, end: Int)? {
    for (open, close) in braces where bytes[start...].starts(with: open.utf8) {
      var at = start + open.utf8.count
      while at < bytes.count, bytes[at] == UInt8(ascii: " ") { at += 1 }
      let first = at
      while at < bytes.count, isPathByte(bytes[at]) { at += 1 }
      let path = String(decoding: bytes[first..<at], as: UTF8.self)
      while at < bytes.count, bytes[at] == UInt8(ascii: " ") { at += 1 }
      guard bytes[at...].starts(with: close.utf8), isPath(path) else { continue }
      return (path, at + close.utf8.count)
    }
    return nil
  }

  private static func isPathByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  private static func isPath(_ text: String) -> Bool {
    let names = text.split(separator: ".", omittingEmptySubsequences: false)
    return names.count > 1 && !names.contains("") && roots.contains(String(names[0]))
  }

  /// The end of the tag that opens at an offset; nil if there is no tag.
  private static func endOfTag(_ bytes: [UInt8], _ start: Int) -> Int? {
    guard let tag = tags.first(where: { bytes[start...].starts(with: $0.open.utf8) }) else {
      return nil
    }
    let close = Array(tag.close.utf8)
    var at = start + 2
    while at + 1 < bytes.count {
      if bytes[at] == close[0], bytes[at + 1] == close[1] { return at + 2 }
      at += 1
    }
    return bytes.count
  }
}
