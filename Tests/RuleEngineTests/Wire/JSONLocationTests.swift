import Expressions
import RuleEngine
import Testing

/// Lines of config elements.
@Suite struct JSONLocationTests {
  private static let text = """
    {
      "build_id": "b",
      "trigger_options": [
        {"event_name": "a", "rules": []},
        {
          "event_name": "b",
          "rules": [
            {"experiment_id": "e",
             "variants": [
               {"variant_id": "é\\n\\u0041"},
               {"variant_id": "w"}
             ]
            }
          ]
        }
      ],
      "x.y": {"z": 1},
      "x":
        {"y": {"z": 2}},
      "build_id": "again"
    }
    """

  @Test(arguments: [
    ("", 1), ("trigger_options", 3), ("trigger_options[0]", 4), ("trigger_options[0].rules", 4),
    ("trigger_options[1]", 5), ("trigger_options[1].event_name", 6),
    ("trigger_options[1].rules[0]", 8), ("trigger_options[1].rules[0].variants[0]", 10),
    ("trigger_options[1].rules[0].variants[1].variant_id", 11), ("x", 19), ("x.y.z", 19),
    ("build_id", 20),
    // A path that breaks off has the line of what is there.
    ("trigger_options[1].rules[0].expression_cel", 8), ("trigger_options[7]", 3), ("nope", 1),
    ("build_id.deeper", 20),
  ])
  func lines(path: String, line: Int) {
    for lineEnd in ["\n", "\r\n"] {
      let text = Self.text.replacing("\n", with: lineEnd)
      #expect(JSONLocation.lines(of: [path], in: Array(text.utf8))[path] == line)
    }
  }

  /// All at once is as one by one.
  @Test func manyPaths() {
    let paths = (0..<50).map { "l[\($0)].a" }
    let json = "{\"l\":[\n" + (0..<50).map { "{\"a\":\($0)}" }.joined(separator: ",\n") + "]}"
    let lines = JSONLocation.lines(of: paths, in: Array(json.utf8))
    for (i, path) in paths.enumerated() { #expect(lines[path] == i + 2) }
  }

  /// A part of a text, found again where the text is written with escapes.
  @Test(
    arguments: [
      (#""user.a == 1""#, "a ="), (#""user.n\u0061me == \"é\" && x""#, "me == \"é"),
      (#""\u00e9\ud83d\ude00\n\/x""#, "😀\n/"), (#""\ud83d alone""#, "alone"), (#""\\\\""#, "\\"),
      (#""é😀x""#, "x"), (#""abc""#, ""),
    ])
  func textsWithEscapes(json: String, part: String) throws {
    let bytes = Array(json.utf8)
    guard case .string(let text) = try Value.parse(json: bytes) else { return }
    let decoded = Array(text.utf8)
    let wanted = Array(part.utf8)
    let from = try #require(
      (0...(decoded.count - wanted.count)).first { decoded[$0...].starts(with: wanted) })
    let found = JSONLocation.range(
      SourceRange(from: from, to: from + wanted.count), ofStringAt: 0..<bytes.count, in: bytes)
    let written = Array("\"".utf8) + bytes[found.from..<found.to] + Array("\"".utf8)
    #expect(try Value.parse(json: written) == .string(part))
    // The end of the text, and what lies behind it.
    for past in [decoded.count, decoded.count + 5] {
      let end = JSONLocation.range(
        SourceRange(from: past, to: past), ofStringAt: 0..<bytes.count, in: bytes)
      #expect(end == SourceRange(from: bytes.count - 1, to: bytes.count - 1))
    }
  }

  @Test(arguments: ["", "[", "nonsense", "{\"a\":", "\u{0}"])
  func brokenText(text: String) {
    _ = JSONLocation.lines(of: ["a", "a.b[0]", "", "..", "[", "a[x]", "]"], in: Array(text.utf8))
  }
}
