package import CivilTime
package import Expressions
internal import RuleEngine

/// A line of recorded traffic: `{"at","userId","placement","params"?:{}}`.
///
/// The lines that a simulation writes have the same form. The outcomes in such lines are ignored.
package struct TrafficLine {
  // SAFETY: The identity and the parameters lie in the line or in the reader's `unescaped`. They
  // are valid while the closure of `read` runs; callers that store them copy them.
  // Tests: TrafficPartsTests.

  package var time: Instant
  package var placement: String
  /// The user's identity, which points into the line or into ``unescaped``.
  package var subject: ByteView
  /// The parameters as JSON, unchanged from the line.
  package var params: ByteView?

  /// The reason why a line is invalid, in words, and the position.
  package struct Rejection: Error {
    package var reason: String
    package var offset: Int?
    /// The user's ID, if the reason contains it.
    package var subject: String?

    package init(reason: String, offset: Int? = nil, subject: String? = nil) {
      self.reason = reason
      self.offset = offset
      self.subject = subject
    }
  }

  /// Reads lines one after the other.
  package struct Reader {
    private var unescaped: [UInt8] = []
    /// Unknown keys, with the number of lines that have them.
    package private(set) var unknownKeys: [String: Int] = [:]

    private static let mostKeys = 256
    /// The additional keys of outcome lines.
    private static let passed = ["result", "audience", "paywall", "texts", "errors"]

    package init() {}

    /// Calls the body with the contents of a line.
    package mutating func read<Result>(
      _ line: ByteView, _ body: (TrafficLine) throws(Rejection) -> Result
    ) throws(Rejection) -> Result {
      guard let base = line.baseAddress else { throw Rejection(reason: "the line is empty") }
      var cursor = JSONCursor(base, from: 0, to: line.count)
      var found = Members()
      do throws(JSONFault) {
        if cursor.peek() == UInt8(ascii: "{") {
          try cursor.forEachMember(nesting: Limits().dataNesting) {
            (cursor, key) throws(JSONFault) in
            try member(key, &cursor, &found)
          }
        } else {
          try cursor.skipValue(nesting: Limits().dataNesting)
          found.note(
            "a line of traffic must be a JSON object such as " + TrafficLine.example, 0)
        }
        try cursor.expectEnd()
      } catch {
        throw Rejection(reason: error.message, offset: error.offset)
      }
      if let problem = found.problem { throw problem }
      guard let time = found.time else { throw TrafficLine.missing("at", "a time") }
      guard let subject = found.subject else { throw TrafficLine.missing("userId", "a string") }
      guard let placement = found.placement else {
        throw TrafficLine.missing("placement", "a string")
      }
      guard subject.hasEscapes else {
        return try body(
          TrafficLine(
            time: time, placement: placement, subject: subject.bytes, params: found.params))
      }
      unescaped = Array(subject.text.utf8)
      let params = found.params
      let result: Swift.Result<Result, Rejection> = unescaped.withUnsafeBufferPointer { bytes in
        do throws(Rejection) {
          return .success(
            try body(
              TrafficLine(time: time, placement: placement, subject: bytes, params: params)))
        } catch {
          return .failure(error)
        }
      }
      return try result.get()
    }

    private mutating func member(
      _ key: JSONCursor.RawString, _ cursor: inout JSONCursor, _ found: inout Members
    ) throws(JSONFault) {
      let nesting = Limits().dataNesting
      let name = key.text
      let first = cursor.peek()
      let start = cursor.at
      switch (name, first) {
      case ("at", UInt8(ascii: "\"")):
        let text = try cursor.string()
        do throws(WireTime.Fault) {
          found.time =
            text.hasEscapes
            ? try WireTime.instant(text.text) : try WireTime.instant(text.bytes)
        } catch {
          found.note("'at': " + error.message(UserMember.short(text.text)), start)
        }
      case ("userId", UInt8(ascii: "\"")): found.subject = try cursor.string()
      case ("placement", UInt8(ascii: "\"")): found.placement = try cursor.string().text
      case ("params", UInt8(ascii: "{")):
        try cursor.skipValue(nesting: nesting)
        found.params = ByteView(start: cursor.base + start, count: cursor.at - start)
      case ("params", UInt8(ascii: "n")):
        _ = try cursor.takeNull()
      case ("at", _):
        let from = cursor.at
        try cursor.skipValue(nesting: nesting)
        let text = String(
          decoding: ByteView(start: cursor.base + from, count: cursor.at - from), as: UTF8.self)
        let time = WireTime.secondsSince1970(text) ?? TrafficLine.exampleTime
        found.note("'at' must be an ISO 8601 time in quotes; write \"\(time)\"", start)
      case ("userId", _), ("placement", _):
        try cursor.skipValue(nesting: nesting)
        let null = first == UInt8(ascii: "n") ? "is null, and " : ""
        found.note("'\(name)' \(null)must be a string", start)
      case ("params", _):
        try cursor.skipValue(nesting: nesting)
        found.note("'params' must be an object", start)
      default:
        try cursor.skipValue(nesting: nesting)
        if !Reader.passed.contains(name) { note(unknownKey: name) }
      }
    }

    private mutating func note(unknownKey key: String) {
      let key = UserMember.short(key)
      if unknownKeys.count >= Reader.mostKeys, unknownKeys[key] == nil { return }
      unknownKeys[key, default: 0] += 1
    }
  }

  /// The members of a line.
  private struct Members {
    var time: Instant?
    var subject: JSONCursor.RawString?
    var placement: String?
    var params: ByteView?
    var problem: Rejection?

    mutating func note(_ reason: String, _ offset: Int) {
      if problem == nil { problem = Rejection(reason: reason, offset: offset) }
    }
  }

  private static let exampleTime = "2026-03-01T12:00:00Z"
  package static let example =
    #"{"at":"\#(exampleTime)","userId":"u1","placement":"export"}"#

  private static func missing(_ name: String, _ what: String) -> Rejection {
    Rejection(reason: "'\(name)' is missing; it must be \(what), as in \(example)")
  }
}
