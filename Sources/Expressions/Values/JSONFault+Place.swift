extension JSONFault {
  /// The tokens that JSON allows in place of the invalid byte: `',' or '}'`. The result is nil for errors of other
  /// kinds.
  ///
  /// - Parameter json: the invalid input.
  package func expected(in json: [UInt8]) -> String? {
    guard kind == .unexpectedByte, json.indices.contains(offset) else { return nil }
    return JSONPlace(offset, in: json).expected
  }

  /// The beginning of a string whose closing quote is probably missing: the next byte cannot follow a string, and the
  /// string's content ends like the text between two strings.
  func openText(in json: [UInt8]) -> Int? {
    guard kind == .unexpectedByte || kind == .badNumber, json.indices.contains(offset),
      let text = JSONPlace(offset, in: json).textBefore
    else { return nil }
    let content = json[text].dropFirst().dropLast()
    guard let last = content.last(where: { $0 > 0x20 }) else { return nil }
    return [UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "{"), UInt8(ascii: "[")]
      .contains(last) ? text.lowerBound : nil
  }
}

/// The open brackets at a place of JSON that is valid up to there.
private struct JSONPlace {
  private enum State { case value, firstValue, key, firstKey, colon, behindValue }

  private var state = State.value
  /// For each open bracket, whether it begins an object.
  private var open: [Bool] = []
  /// The string that ends directly before the place, with its quotes.
  private(set) var textBefore: Range<Int>?

  init(_ offset: Int, in json: [UInt8]) {
    var at = 0
    while at < offset {
      let byte = json[at]
      guard byte > 0x20 else {
        at += 1
        continue
      }
      let end = min(JSONPlace.end(of: byte, at, json), offset)
      textBefore = byte == UInt8(ascii: "\"") ? at..<end : nil
      take(byte)
      at = end
    }
  }

  /// The end of the token that begins with a byte.
  private static func end(of byte: UInt8, _ start: Int, _ json: [UInt8]) -> Int {
    var at = start + 1
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"),
      UInt8(ascii: ","), UInt8(ascii: ":"):
      break
    case UInt8(ascii: "\""):
      while at < json.count, json[at] != byte { at += json[at] == UInt8(ascii: "\\") ? 2 : 1 }
      at += 1
    default:
      while at < json.count, json[at] > 0x20, !",:{}[]\"".utf8.contains(json[at]) { at += 1 }
    }
    return at
  }

  private mutating func take(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "{"):
      open.append(true)
      state = .firstKey
    case UInt8(ascii: "["):
      open.append(false)
      state = .firstValue
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      _ = open.popLast()
      state = .behindValue
    case UInt8(ascii: ","): state = open.last == true ? .key : .value
    case UInt8(ascii: ":"): state = .value
    case UInt8(ascii: "\"") where state == .key || state == .firstKey: state = .colon
    default: state = .behindValue
    }
  }

  var expected: String? {
    switch state {
    case .value: "a value"
    case .firstValue: "a value or ']'"
    case .key: "a key in double quotes"
    case .firstKey: "a key in double quotes or '}'"
    case .colon: "':' and a value"
    case .behindValue: open.last.map { $0 ? "',' or '}'" : "',' or ']'" }
    }
  }
}
