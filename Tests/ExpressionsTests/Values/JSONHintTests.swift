import Expressions
import TestSupport
import Testing

/// What is said of texts that are nearly JSON.
@Suite struct JSONHintTests {
  @Test(
    arguments: [
      (#"{"a":1,}"#, "remove the comma"), ("[1,]", "remove the comma"),
      (#"{"a":1,,"b":2}"#, "remove the extra comma"), ("[,1]", "remove the extra comma"),
      ("{\"a\":1 // one\n}", "no comments"), ("{\"a\":1 /* one */}", "no comments"),
      ("# one\n{}", "no comments"), ("{'a':1}", "double quotes"), ("{\"a\":'x'}", "double quotes"),
      ("{a:1}", "keys need double quotes"), (#"{"x":1,a:1}"#, "keys need double quotes"),
      (#"{"a":x}"#, "strings need double quotes"), (#"{"a":True}"#, "true or false"),
      (#"{"a":None}"#, "null"), (#"{"a":undefined}"#, "null"),
      (#"{"a":NaN}"#, "does not support this number"),
      (#"{"a":-Infinity}"#, "does not support this number"),
      (#"{"a":01}"#, "not have leading zeros"),
      (#"{"a":.5}"#, "begins with a digit"), (#"{"a":+5}"#, "begins with a digit"),
      (#"{"a":1 "b":2}"#, "a comma"), (#"{"a" "b"}"#, "a colon"), (#"{"a" 1}"#, "a colon"),
      ("[{} {}]", "a comma"), ("{\"a\":\u{201C}x\u{201D}}", "straight quotes"),
      ("{\"a\":\"x\ny\"}", "a quote is missing"), ("{\"a\":\"x\ty\"}", "\\t"),
      (#"{"a":[1,2}"#, "bracket"), (#"{"a":}"#, "a value is missing"), ("{} {}", "more than one"),
      ("", "the input is empty"), (" \n", "the input is empty"), ("{\"a\":\"x", "no closing quote"),
      ("{\"a\":\"\\\"", "no closing quote"), ("{\"a\":1", "'}' is missing"),
      ("[[1]", "']' is missing"), (#"{"a":"]""#, "'}' is missing"),
    ])
  func hints(json: String, hint: String) throws {
    let bytes = Array(json.utf8)
    let fault = try #require(throws: JSONFault.self) { try Value.parse(json: bytes) }
    #expect(try #require(fault.hint(in: bytes)).contains(hint), "\(fault)")
  }

  /// Bytes of any kind: something or nothing is said, and the length stays within the text.
  @Test func anyBytes() {
    var random = SplitMix(seed: 11)
    let alphabet = Array("{}[],:\"'/#\\ntfx01.-+ \n\u{201C}é".utf8) + [0, 0xE2, 0xFF]
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...12, using: &random)
      let bytes = (0..<count).map { _ in alphabet.randomElement(using: &random)! }
      do throws(JSONFault) {
        _ = try Value.parse(json: bytes)
      } catch {
        _ = error.hint(in: bytes)
        #expect(error.offset + error.length(in: bytes) <= max(bytes.count, error.offset + 1))
      }
    }
  }

  /// What JSON has in place of what is there.
  @Test(arguments: [
    ("{,}", "a key in double quotes or '}'"), ("{\"a\" 1}", "':' and a value"),
    ("{\"a\": }", "a value"), ("{\"a\": 1 \"b\"}", "',' or '}'"),
    ("{\"a\": 1,}", "a key in double quotes"), ("[1 2]", "',' or ']'"), ("[,1]", "a value or ']'"),
    ("[1,]", "a value"), ("[\"a\", x]", "a value"), ("{\"a\": [{}, {\"b\" 1}]}", "':' and a value"),
    ("{'a': 1}", "a key in double quotes or '}'"), ("[1 // one\n]", "',' or ']'"),
    ("{\"a\\\"\": 1 2}", "',' or '}'"),
  ])
  func expectations(json: String, expected: String) throws {
    let bytes = Array(json.utf8)
    let fault = try #require(throws: JSONFault.self) { _ = try Value.parse(json: bytes) }
    #expect(fault.expected(in: bytes) == expected)
  }

  /// A quote that is missing is noticed where the next text begins.
  @Test(arguments: [
    ("{\"a\": \"é, \"b\": 1}", "the string that begins 5 columns earlier has no closing quote"),
    ("{\"a: \"b\"}", "the string that begins 5 columns earlier has no closing quote"),
    ("[\"a, \"b\"]", "the string that begins 5 columns earlier has no closing quote"),
  ])
  func openTexts(json: String, hint: String) throws {
    let bytes = Array(json.utf8)
    let fault = try #require(throws: JSONFault.self) { _ = try Value.parse(json: bytes) }
    #expect(fault.hint(in: bytes) == hint)
  }
}
