import Expressions
import Testing

@Suite struct ValueAccessTests {
  private let values: [Value] = [
    .null, true, 2, .uint(3), 4.0, 4.5, "text", .bytes([1]), [1], ["a": 1],
    .timestamp(seconds: 0, nanoseconds: 0), .duration(nanoseconds: 1), .type("int"), .optional(1),
  ]

  @Test func whatHasAnotherTypeIsNotThere() {
    #expect(values.compactMap(\.text) == ["text"])
    #expect(values.compactMap(\.truth) == [true])
    #expect(values.compactMap(\.number) == [2, 3, 4, 4.5])
    #expect(values.compactMap(\.wholeNumber) == [2, 3, 4])
    #expect(values.compactMap(\.elements) == [[1]])
    #expect(values.compactMap { $0.members?.map(\.key) } == [["a"]])
  }

  @Test(arguments: [.uint(.max), 1e300, .double(.nan), .double(.infinity), -0.5] as [Value])
  func aNumberThatIsNotWholeOrDoesNotFitIsNone(_ value: Value) {
    #expect(value.wholeNumber == nil)
  }

  @Test func ofRepeatedKeysTheLastCountsInTheFirstPlace() throws {
    let value = try Value.parse(json: #"{"a": 1, "b": 2, "a": 3}"#.utf8)
    let members = try #require(value.members)
    #expect(members.map(\.key) == ["a", "b"])
    #expect(members.map(\.value) == [3, 2])
    #expect(value["a"] == 3)
  }

  @Test func keysDifferByTheirBytes() throws {
    let value: Value = ["\u{E9}": 1, "e\u{301}": 2]
    #expect(value.members?.count == 2)
  }

  @Test func aMapIsMadeOfTheMembersThatAreThere() {
    let there: Value? = nil
    #expect(Value.members(["a": 1, "b": there, "c": "x"]).json == #"{"a":1,"c":"x"}"#)
    #expect(Value.members(["b": 2, "a": 1] as [String: Value]).json == #"{"a":1,"b":2}"#)
  }

  /// Patches as RFC 7396 has them: null takes a member out, objects are merged, all else is replaced.
  @Test(
    arguments: [
      (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
      (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#), (#"{"a":"b"}"#, #"{"a":null}"#, "{}"),
      (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
      (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
      (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
      (#"{"a":{"b":"c","x":1}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d","x":1}}"#),
      (#"{"a":{"b":{"c":1,"d":2}}}"#, #"{"a":{"b":{"c":null}}}"#, #"{"a":{"b":{"d":2}}}"#),
      ("{}", #"{"a":null,"b":1}"#, #"{"b":1}"#), (#"{"a":1}"#, "[1]", "[1]"),
      ("[1]", #"{"a":1}"#, #"{"a":1}"#), (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
    ])
  func patches(target: String, patch: String, wanted: String) throws {
    let (target, patch) = (
      try Value.parse(json: target.utf8), try Value.parse(json: patch.utf8)
    )
    #expect(target.merging(patch: patch).json == wanted)
  }
}
