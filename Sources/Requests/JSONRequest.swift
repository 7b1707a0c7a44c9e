package import Expressions

/// A request, which is an object of JSON, and the text that it was read from.
package struct JSONRequest: Sendable {
  package let value: Value
  private let bytes: [UInt8]
  private let nesting: Int

  /// - Parameters:
  ///   - nesting: lists and objects inside each other.
  ///   - name: what errors call the request.
  package init(_ bytes: [UInt8], nesting: Int, name: String = "the body") throws(RequestError) {
    guard !bytes.isEmpty else {
      throw RequestError(.malformed, "not_json", "\(name) is empty; expected an object of JSON")
    }
    do throws(JSONFault) {
      value = try Value.parse(json: bytes, nesting: nesting)
    } catch {
      throw RequestError(error, of: name)
    }
    guard value.isObject else {
      throw RequestError("\(name) must be an object of JSON, not \(value.kindInJSON)")
    }
    self.bytes = bytes
    self.nesting = nesting
  }

  /// A request without members.
  package static let empty = JSONRequest()

  private init() {
    value = .map([])
    bytes = []
    nesting = 0
  }

  /// The text of a config as it stands in the request, so that places count in it; nil without one.
  package func config(_ name: String) throws(RequestError) -> [UInt8]? {
    guard let given = value.given(name) else { return nil }
    if let text = given.text { return Array(text.utf8) }
    guard given.isObject else {
      throw .wrong(name, "a config, as an object or as a string with its JSON")
    }
    return text(of: name)
  }

  /// The text of a member, of which the last one counts.
  private func text(of name: String) -> [UInt8]? {
    // SAFETY: The view of the array stays in the closure. Tests: AnsweringTests.
    bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return nil }
      var cursor = JSONCursor(base, from: 0, to: bytes.count)
      var found: [UInt8]?
      try? cursor.forEachMember(nesting: nesting) { (cursor, key) throws(JSONFault) in
        _ = cursor.peek()
        let start = cursor.at
        try cursor.skipValue(nesting: nesting)
        if key.text == name { found = Array(bytes[start..<cursor.at]) }
      }
      return found
    }
  }
}
