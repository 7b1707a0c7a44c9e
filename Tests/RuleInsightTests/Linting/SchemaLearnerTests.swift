import Expressions
import Testing

@testable import RuleEngine
@testable import RuleInsight

/// What is learned of attributes from users.
@Suite struct SchemaLearnerTests {
  private func learned(_ lines: [String]) throws -> Value {
    var learner = SchemaLearner()
    let text = Array(lines.joined(separator: "\n").utf8)
    text.withUnsafeBufferPointer { learner.add(lines: $0) }
    return try Value.parse(json: Array(learner.json.utf8))
  }

  /// What is learned of an attribute from its value for each user; nil where a user has none.
  private func learned(of values: [String?]) throws -> String? {
    let users = values.map { value in
      #"{"userId":"u","user":{\#(value.map { "\"a\":\($0)" } ?? "")}}"#
    }
    return try learned(users)["user"]?["a"]?.json
  }

  private func enumeration(of values: [String]) throws -> [String]? {
    let users = values.map { #"{"userId":"u","user":{"a":"\#($0)"}}"# }
    return try learned(users)["user"]?["a"]?["enum"]?.elements?.compactMap(\.text)
  }

  @Test(
    arguments: [
      (
        ["1", "5", "-2"],
        #"{"type":"int","min":-2,"max":5,"required":true,"present":3,"share":1.0}"#
      ),
      (
        ["1", "2.5"],
        #"{"type":"double","min":1,"max":2.5,"required":true,"present":2,"share":1.0}"#
      ),
      (["1", nil], #"{"type":"int","min":1,"max":1,"required":false,"present":1,"share":0.5}"#),
      (
        ["1", nil, nil],
        #"{"type":"int","min":1,"max":1,"required":false,"present":1,"share":0.3333}"#
      ),
      (["1", "null"], #"{"type":"int","min":1,"max":1,"required":false,"present":2,"share":1.0}"#),
      (["true", "false"], #"{"type":"bool","required":true,"present":2,"share":1.0}"#),
      (
        ["1", "\"x\""],
        #"{"type":"any","types":{"int":1,"string":1},"required":true,"present":2,"share":1.0}"#
      ),
      (["{}"], #"{"type":"map","required":true,"present":1,"share":1.0}"#),
      (["[1,2]", "[]"], #"{"list":"int","required":true,"present":2,"share":1.0}"#),
      (["[1,\"x\"]"], #"{"list":"any","required":true,"present":1,"share":1.0}"#),
      (["[1,2.5,null]"], #"{"list":"double","required":true,"present":1,"share":1.0}"#),
      (["[]"], #"{"list":"any","required":true,"present":1,"share":1.0}"#),
      (["null"], #"{"type":"any","types":{"null":1},"required":false,"present":1,"share":1.0}"#),
    ] as [([String?], String)])
  func types(values: [String?], wanted: String) throws {
    #expect(try learned(of: values) == wanted)
  }

  /// A few words, each there ten times on average, are all that there are.
  @Test func enumerations() throws {
    func repeated(_ words: [String], _ count: Int) -> [String] {
      words.flatMap { Array(repeating: $0, count: count) }
    }
    #expect(try enumeration(of: repeated(["b", "a"], 10)) == ["a", "b"])
    #expect(try enumeration(of: Array(repeated(["b", "a"], 10).dropLast())) == nil)
    let letters = "abcdefghijklm".map { String($0) }
    #expect(try enumeration(of: repeated(Array(letters.prefix(12)), 10))?.count == 12)
    #expect(try enumeration(of: repeated(letters, 10)) == nil)
    let long = String(repeating: "x", count: 40)
    #expect(try enumeration(of: repeated([long, "in_a-b c", "é"], 10))?.count == 3)
    for other in ["", long + "x", "1.2", "a1", "a.b", String(repeating: "é", count: 21)] {
      #expect(try enumeration(of: repeated(["a"], 20) + [other]) == nil, "\(other)")
    }
    #expect(
      try learned(of: Array(repeating: "\"a\"", count: 20) + ["null"])
        == #"{"type":"string","required":false,"present":21,"share":1.0}"#)
    #expect(
      try learned(of: Array(repeating: "\"a\"", count: 10))
        == #"{"enum":["a"],"counts":{"a":10},"required":true,"present":10,"share":1.0}"#)
  }

  @Test func recordsThatAreNone() throws {
    let lines = [
      #"{"userId":"u"}"#, " ", #"{"user":{}}"#, "[]", "{", #"{"userId":"u","user":[]}"#,
      #"{"userId":"u","device":1}"#, #"{"userId":"u","params":null}"#, "",
    ]
    let found = try learned(lines)
    #expect(found["learned"]?.json == #"{"users":2,"refused":5}"#)
    #expect(found["user"] == nil)
  }

  /// Status and entitlements beside the device stand for its own, which go before them.
  @Test func membersThatStandForAttributes() throws {
    let found = try learned([
      #"{"userId":"u","subscriptionStatus":"ACTIVE","entitlements":["pro"]}"#,
      #"{"userId":"u","subscriptionStatus":1,"entitlements":1,"device":{"subscriptionStatus":"x","activeEntitlements":["y"]}}"#,
    ])
    #expect(found["device"]?["subscriptionStatus"]?["type"] == "string")
    #expect(found["device"]?["subscriptionStatus"]?["present"] == 2)
    #expect(found["device"]?["activeEntitlements"]?["list"] == "string")
  }
}

/// The identity of a record, read without the rest of it.
@Suite struct RecordSubjectTests {
  @Test(
    arguments: [
      (#"{"userId":"a"}"#, "a"), (#"{"user":{"userId":"b"},"userId":"a","x":"c"}"#, "a"),
      (#"{"deviceId":"b","userIds":"c"}"#, nil), (#"{"userId":5}"#, nil),
      (#"{"userId":"a","userId":null}"#, nil), (#"{"userId":null,"userId":"a"}"#, "a"),
      (#"{"user\u0049d":"a","name":"b"}"#, "a"), (#"{}"#, nil), (#"{"userId":""}"#, ""),
      (#"{"nam\u0065":"b"}"#, nil),
    ] as [(String, String?)])
  func identities(record: String, subject: String?) throws {
    let bytes = Array(record.utf8)
    #expect(
      try bytes.withUnsafeBufferPointer { try UserRecordReader.subject(of: $0) } == subject)
  }

  @Test(arguments: ["[]", "{\"userId\":\"a\"", "{\"userId\":\"a\"} x", "1", ""])
  func noRecords(record: String) {
    let bytes = Array(record.utf8)
    let subject = try? bytes.withUnsafeBufferPointer { try UserRecordReader.subject(of: $0) }
    #expect(subject.flatMap { $0 } == nil)
  }
}
