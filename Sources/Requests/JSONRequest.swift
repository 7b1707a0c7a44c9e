package import Expressions

/// A request, which is a JSON object, with its source.
package struct JSONRequest: Sendable {
  package let value: Value
  private let bytes: [UInt8]
  private let nesting: Int

  /// - Parameters:
  ///   - nesting: the maximum depth of lists and objects.
  ///   - name: the name of the request in errors.
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

  /// The source of a config in the request, so that positions in errors are relative to it; nil if
  /// the request has none.
  package func config(_ name: String) throws(RequestError) -> [UInt8]? {
    guard let given = value.given(name) else { return nil }
    if let text = given.text { return Array(text.utf8) }
    guard given.isObject else {
      throw .wrong(name, "a config, as an object or as a string with its JSON")
    }
    return text(of: name)
  }

  /// The source of a member. If the member is repeated, the last one counts.
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
