extension JSONFault {
  /// The length in bytes of the character at the error. The whole character counts, even if only one of its bytes is
  /// invalid.
  package func length(in json: [UInt8]) -> Int {
    guard offset + 1 < json.count, json[offset] >= 0xC0 else { return 1 }
    return 1 + json[(offset + 1)...].prefix(3).prefix { $0 & 0xC0 == 0x80 }.count
  }

  /// Guesses what the author intended, and suggests a change. Returns nil if there is no suggestion.
  ///
  /// - Parameter json: the invalid input.
  package func hint(in json: [UInt8]) -> String? {
    guard json.indices.contains(offset) else {
      return kind == .unexpectedEnd ? JSONFault.openHint(json) : nil
    }
    if kind == .badUTF8 { return JSONFault.encodingHint(json[offset...]) }
    if let start = openText(in: json) {
      let columns = SourcePosition.columns(from: start, to: offset, in: json)
      return columns.map { "the string that begins \($0) columns earlier has no closing quote" }
        ?? "a string on an earlier line has no closing quote"
    }
    let byte = json[offset]
    let before = JSONFault.lastByte(before: offset, in: json)
    switch (kind, byte) {
    case (.trailingBytes, _) where JSONFault.isCRAlone(before: offset, in: json):
      return "lines end with only CR; they must end with LF or CRLF"
    case (.trailingBytes, _):
      return byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
        ? "this is more than one JSON value" : nil
    case (.unexpectedByte, UInt8(ascii: "}")), (.unexpectedByte, UInt8(ascii: "]")):
      return before == UInt8(ascii: ",")
        ? "remove the comma before it"
        : before == UInt8(ascii: ":")
          ? "a value is missing here" : "another bracket is open, or a value is missing"
    case (.unexpectedByte, UInt8(ascii: ",")): return "remove the extra comma"
    case (.unexpectedByte, UInt8(ascii: "/")), (.unexpectedByte, UInt8(ascii: "#")):
      return "JSON has no comments"
    case (.unexpectedByte, UInt8(ascii: "'")): return "strings need double quotes"
    case (.unexpectedByte, UInt8(ascii: "<")) where offset == 0:
      return "this looks like XML or HTML"
    case (.unexpectedByte, UInt8(ascii: "%")), (.unexpectedByte, UInt8(ascii: "{")):
      return offset == 1 ? "this looks like a template" : JSONFault.commaHint(before)
    case (.unexpectedByte, UInt8(ascii: "=")): return "write ':' between a key and its value"
    case (.unexpectedByte, UInt8(ascii: "`")): return "strings need double quotes"
    case (.badEscape, _): return "write \\\\ for a backslash"
    case (.unexpectedByte, 0xE2): return JSONFault.curlyHint(json[offset...])
    case (.unexpectedByte, UInt8(ascii: "\"")), (.unexpectedByte, UInt8(ascii: "[")):
      return JSONFault.commaHint(before)
    case (.unexpectedByte, UInt8(ascii: "x")) where before == UInt8(ascii: "0"):
      return "write the number in decimal"
    case (.unexpectedByte, _), (.badNumber, _): return JSONFault.wordHint(json[offset...], before)
    case (.controlCharacter, UInt8(ascii: "\n")), (.controlCharacter, UInt8(ascii: "\r")):
      return "a quote is missing, or write \\n for a line break in a string"
    case (.controlCharacter, UInt8(ascii: "\t")): return "write \\t"
    default: return nil
    }
  }

  /// Whether the space before a place ends the line with CR only, as on old Macs.
  private static func isCRAlone(before offset: Int, in json: [UInt8]) -> Bool {
    let space = json[..<offset].reversed().prefix { $0 <= 0x20 }
    return space.contains(UInt8(ascii: "\r")) && !json.contains(UInt8(ascii: "\n"))
  }

  /// The hint for bytes that are not UTF-8: a single accented letter suggests an older encoding.
  private static func encodingHint(_ bytes: ArraySlice<UInt8>) -> String? {
    guard bytes.dropFirst().first ?? 0 < 0x80 else { return nil }
    return "if the file is in Latin-1: iconv -f WINDOWS-1252 -t UTF-8 FILE > NEWFILE"
  }

  private static func commaHint(_ before: UInt8?) -> String? {
    before == UInt8(ascii: ",") || before == UInt8(ascii: ":")
      ? nil : "a comma is missing here, or a colon after a key"
  }

  private static func lastByte(before offset: Int, in json: [UInt8]) -> UInt8? {
    json[..<offset].last { $0 > 0x20 }
  }

  private static func curlyHint(_ rest: ArraySlice<UInt8>) -> String? {
    let quotes: [[UInt8]] = ["\u{201C}", "\u{201D}", "\u{2018}", "\u{2019}"].map { Array($0.utf8) }
    return quotes.contains { rest.starts(with: $0) } ? "write straight quotes" : nil
  }

  /// The hint for words of other languages, and for keys without quotes.
  private static func wordHint(_ rest: ArraySlice<UInt8>, _ before: UInt8?) -> String? {
    let word = rest.prefix { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
        UInt8(ascii: "-"), UInt8(ascii: "+"):
        true
      default: false
      }
    }
    let next = rest[word.endIndex...].first { $0 > 0x20 }
    switch String(decoding: word, as: UTF8.self) {
    case "": return nil
    case "True", "TRUE", "False", "FALSE": return "write true or false"
    case "None", "undefined", "nil", "NULL", "Null": return "write null"
    case "NaN", "Infinity", "-Infinity": return "JSON does not support this number"
    case let text:
      if next == UInt8(ascii: ":"), before == UInt8(ascii: "{") || before == UInt8(ascii: ",") {
        return "keys need double quotes"
      }
      if before == UInt8(ascii: "\"") { return "a colon or a comma is missing here" }
      if text.first == "0", text.count > 1 { return "numbers must not have leading zeros" }
      if text.first == "." || text.first == "+" { return "a number begins with a digit" }
      if text.last == "." { return "write digits after the decimal point, or leave it out" }
      if next == UInt8(ascii: ":"), before == nil { return "this looks like YAML" }
      return text.first?.isLetter == true ? "strings need double quotes" : nil
    }
  }

  /// The hint for brackets and strings that are open at the end of the input.
  private static func openHint(_ json: [UInt8]) -> String? {
    var open: [UInt8] = []
    var isText = false
    var at = 0
    while at < json.count {
      let byte = json[at]
      if isText {
        if byte == UInt8(ascii: "\\") { at += 1 }
        if byte == UInt8(ascii: "\"") { isText = false }
      } else if byte == UInt8(ascii: "\"") {
        isText = true
      } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
        open.append(byte)
      } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
        _ = open.popLast()
      }
      at += 1
    }
    if json.allSatisfy({ $0 <= 0x20 }) { return "the input is empty" }
    if isText { return "a string has no closing quote" }
    return open.last.map { "a '\($0 == UInt8(ascii: "{") ? "}" : "]")' is missing at the end" }
  }
}
