import Expressions
import RuleBatch
import RuleEngine
import TestSupport
import Testing

/// What a user record may be, one at a time and in batches.
@Suite("User records")
struct UserRecordTests {
  private static let now: Instant = 1_772_366_400_000

  /// By member: values that it may have, and values that refuse the record.
  private static let values: [(member: String, good: [String], bad: [String])] = [
    ("user", ["{}", #"{"n":1}"#, "null"], [#""x""#, "[]", "5", "true", #"[{"n":1}]"#]),
    ("device", ["{}", #"{"os":"iOS"}"#, "null"], [#""x""#, "[]", "[1]", "5", "false"]),
    ("params", ["{}", #"{"v":1}"#, "null"], ["1", #""""#, "[]", "-0.5"]),
    ("subscriptionStatus", [#""ACTIVE""#, #""soon""#, "null"], ["5", "true", "[]", "{}"]),
    (
      "entitlements", ["[]", #"["pro"]"#, #"["pro","max"]"#, "null"],
      ["{}", #""pro""#, "5", "[5]", #"["pro",null]"#, #"[["pro"]]"#]
    ),
    (
      "assignments",
      [
        "[]", #"[{"experimentId":"e","variantId":"v"}]"#, "null",
        #"[{"experimentId":"e","variantId":"v","isSentToServer":null,"more":1}]"#,
      ],
      [
        "{}", #""x""#, "5", "[1]", #"[{"experimentId":"e"}]"#,
        #"[{"experimentId":"e","variantId":7}]"#,
        #"[{"experimentId":"e","variantId":"v","isSentToServer":"no"}]"#,
      ]
    ),
    (
      "occurrences", ["{}", #"{"k":[]}"#, #"{"k":["2026-03-01T11:00:00Z"]}"#, "null"],
      [
        "[]", "5", #""x""#, #"{"k":5}"#, #"{"k":null}"#, #"{"k":[5]}"#, #"{"k":["soon"]}"#,
        #"{"k":["2026-03-01"]}"#, #"{"k":["2026-03-01T11:00:00"]}"#,
        #"{"k":["2026-03-01T24:00:00Z"]}"#, #"{"k":["2016-12-31T23:59:60Z"]}"#,
        #"{"k":["2026-03-01T11:00:00+99:99"]}"#, #"{"k":["0000-01-01T00:00:00Z"]}"#,
        #"{"k":["10000-01-01T00:00:00Z"]}"#, #"{"k":["2026-03-01T11:00:00Z"],"l":[true]}"#,
      ]
    ),
    (
      "events", ["{}", #"{"a":["2026-03-01T11:00:00+01:00"]}"#, "null"],
      ["[]", "12", #""x""#, #"{"a":"2026-03-01T11:00:00Z"}"#, #"{"a":["never"]}"#]
    ),
    (
      "sessionStart", [#""2026-03-01T11:00:00Z""#, "null"],
      ["5", "[]", "{}", #""soon""#, #""2026-03-01""#, #""2026-03-01T11:00""#]
    ),
  ]

  /// Rules that read every member, and rules that read none.
  private func ruleSets() throws -> [RuleSet] {
    let reading = wireRule(
      expression: """
        device.daysSince('a') == 1 || device.subscriptionStatus == 'ACTIVE' || user.n == 1
        || device.activeEntitlements == 'x' || params.v == 1
        """, occurrence: #"{"key":"k","max_count":1,"interval":{"type":"INFINITY"}}"#)
    let whole = wireRule(expression: "size(user) > 1 || size(params) > 1")
    return [
      try ruleSet(wireRule()), try ruleSet(reading), try ruleSet(whole, language: .cel),
    ]
  }

  private func read(_ record: String, _ rules: RuleSet) -> UserRecordReader.Rejection? {
    var frame = Frame(for: rules.program)
    var reader = UserRecordReader(rules, at: HistoryClock(now: Self.now))
    do throws(UserRecordReader.Rejection) {
      try reader.read(json: record.utf8, into: &frame)
      return nil
    } catch {
      return error
    }
  }

  /// A member of another kind refuses its record, whatever the rules read, and also where every
  /// record before looked like it.
  @Test func numbersOfMembersAreTheirPlaces() {
    #expect(UserMember.allCases.map(\.number) == Array(0..<UserMember.allCases.count))
  }

  @Test(arguments: values.indices)
  func kinds(number: Int) throws {
    let (member, good, bad) = Self.values[number]
    func record(_ value: String) -> String {
      #"{"userId":"u","\#(member)":\#(value),"after":1}"#
    }
    for rules in try ruleSets() {
      for value in good { #expect(read(record(value), rules) == nil, "\(value)") }
      for value in bad {
        let reason = try #require(read(record(value), rules)?.reason, "\(value)")
        #expect(reason.contains(member), "\(reason)")
        #expect(UserRecordReader.problem(in: record(value).utf8)?.reason == reason)
      }
      let plan = BatchPlan(rules, now: Self.now, assigner: .hash(salt: ""))
      for known in good {
        var worker = BatchWorker(plan)
        let lines = Array(repeating: record(known), count: 3) + bad.map(record) + [record(known)]
        let output = worker.process(Array(lines.joined(separator: "\n").utf8))
        #expect(output.rejected.map(\.line) == Array(3..<3 + bad.count), "\(known)")
        #expect(output.tally.users == 4)
        for (line, value) in zip(output.rejected, bad) {
          #expect(line.reason.contains(": \(read(record(value), rules)?.reason ?? "?")"))
        }
      }
    }
  }

  /// A member that is null is as if it were not there, and inside of roots null is a value.
  @Test func nullIsAbsent() throws {
    let rules = try ruleSet(
      wireRule("a", expression: "has(params.v)"), wireRule("b", expression: "user.n == null"),
      wireRule("c", expression: "device.subscriptionStatus == 'ACTIVE'"), language: .cel)
    func audience(_ members: String) throws -> [Int?] {
      let line = "{\"userId\":\"u\",\(members)}"
      var frame = Frame(for: rules.program)
      var reader = UserRecordReader(rules, at: HistoryClock(now: 0))
      try reader.read(json: line.utf8, into: &frame)
      let alone = rules.decide(
        "p", frame: &frame, state: reader.state(now: 0), assigner: .hash(salt: "")
      ).audience
      var worker = BatchWorker(BatchPlan(rules, now: 0, assigner: .hash(salt: ""), form: .ndjson))
      let output = worker.process(Array([line, line, line].joined(separator: "\n").utf8))
      let batch = try String(decoding: output.outcomes, as: UTF8.self).split(separator: "\n").map {
        try Value.parse(json: $0.utf8)["audience"]
      }
      #expect(batch.count == 3)
      for found in batch { #expect(found == alone.map { .int(Int64($0)) } ?? .null) }
      return [alone]
    }
    #expect(try audience(#""params":{"v":1}"#) == [0])
    #expect(try audience(#""params":null"#) == [nil])
    #expect(try audience(#""params":{"v":1},"params":null"#) == [nil])
    #expect(try audience(#""params":null,"params":{"v":1}"#) == [0])
    #expect(try audience(#""params":{"v":1},"params":{}"#) == [nil])
    #expect(try audience(#""user":{"n":null}"#) == [1])
    #expect(try audience(#""user":null"#) == [nil])
    #expect(try audience(#""device":null,"subscriptionStatus":"ACTIVE""#) == [2])
    #expect(try audience(#""subscriptionStatus":"ACTIVE","subscriptionStatus":null"#) == [nil])
    #expect(try audience(#""subscriptionStatus":null,"subscriptionStatus":"ACTIVE""#) == [2])
  }

  /// Of what is repeated the last counts; assignments and occurrences add up.
  @Test func lastOfRepeated() throws {
    let rules = try ruleSet(
      wireRule(
        "a", expression: "user.n == 2",
        occurrence: #"{"key":"k","max_count":2,"interval":{"type":"INFINITY"}}"#))
    var frame = Frame(for: rules.program)
    var reader = UserRecordReader(rules, at: HistoryClock(now: 0))
    let time = #""2026-03-01T11:00:00Z""#
    let line = """
      {"userId":"first","userId":"last","user":{"n":1},"user":{"n":3,"n":2},
       "assignments":[{"experimentId":"a","variantId":"x"}],"assignments":[],
       "occurrences":{"k":[\(time),\(time),\(time)],"l":[],"k":[\(time)]},
       "sessionStart":\(time),"sessionStart":null}
      """
    try reader.read(json: line.utf8, into: &frame)
    let state = reader.state(now: Self.now)
    #expect(state.subjectID == "last")
    #expect(state.assignments.map(\.variantID) == ["x"])
    #expect(state.sessionStart == nil)
    #expect(state.occurrences.filter { $0.key == "k" }.map(\.times.count) == [1])
    let decision = rules.decide("p", frame: &frame, state: state, assigner: .hash(salt: ""))
    #expect(decision.audience == 0)
    // One that is of no kind refuses the record, whatever stands behind it.
    #expect(read(#"{"userId":5,"userId":"u"}"#, rules) != nil)
  }

  @Test(
    arguments: [
      ("{\"user_id\":\"u\"}", "is 'user_id' meant to be 'userId'?"),
      ("{\"userID\":\"u\"}", "is 'userID' meant to be 'userId'?"),
      ("{\"userId\": null}", "'userId' is null; it must be a string"),
      ("{\"id\":\"u\"}", "'userId' is missing; is 'id' meant to be 'userId'?"),
      ("{\"user\":{},\"Customer-ID\":\"u\"}", "is 'Customer-ID' meant to be 'userId'?"),
      ("{\"idea\":\"u\"}", "'userId' is missing; it must be a string"),
      ("{\"userId\":[1]}", "must be a string, not a list"), ("", "empty"),
      ("[{\"userId\":\"u\"}]", "a user record must be a JSON object"),
    ])
  func whoItIs(record: String, reason: String) throws {
    let rules = try ruleSet(wireRule())
    #expect(try #require(read(record, rules)).reason.contains(reason))
  }

  /// Keys that nobody knows are counted once for each record that is accepted, with what may have
  /// been meant.
  @Test func notes() throws {
    let rules = try ruleSet(
      wireRule(expression: "device.country == 'DE' && user.plan == 'free' && params.pages > 1"))
    let lines = [
      #"{"userId":"a","country":"DE","occurences":{},"subscriptionStatus":"active"}"#,
      #"{"userId":"b","country":"DE","occurences":{},"subscriptionStatus":"ACTIVE"}"#,
      #"{"userId":"c","country":"DE","occurences":{},"subscriptionStatus":"GONE"}"#,
      #"{"userId":"d","country":"DE","country":"FR","plan":1}"#, #"{"country":"DE"}"#,
    ]
    var worker = BatchWorker(BatchPlan(rules, now: 0, assigner: .hash(salt: "")))
    let notes = worker.process(Array(lines.joined(separator: "\n").utf8)).notes
    #expect(notes.unknownKeys == ["country": 4, "occurences": 3, "plan": 1])
    #expect(notes.unknownStatuses == ["active": 1, "GONE": 1])
    #expect(RecordNotes(notes.value) == notes)
    let diagnostics = rules.diagnostics(of: notes, users: 5)
    #expect(
      diagnostics.map(\.suggestion) == [
        "did you mean 'device.country'?", "did you mean 'occurrences'?",
        "did you mean 'user.plan'?", "write ACTIVE, INACTIVE or UNKNOWN", "did you mean 'ACTIVE'?",
      ])
    #expect(diagnostics.map(\.code.rawValue).suffix(2) == ["unknown-status", "unknown-status"])
    #expect(diagnostics.first?.message.contains("(4 users)") == true)
    #expect(diagnostics.allSatisfy { $0.severity == .note })
    #expect(!rules.diagnostics(of: notes, users: nil)[0].message.contains("user)"))
    // What all users have was meant, if something near is known.
    let whole = rules.diagnostics(of: notes, users: 4)
    #expect(whole.map(\.severity) == [.warning, .note, .note, .note, .note])
    #expect(whole[0].message.hasSuffix(" is ignored (all 4 users)"))
    #expect(rules.diagnostics(of: notes, users: 1)[2].severity == .warning)
    let others = try ruleSet(wireRule(expression: "params.pages > 1"))
    #expect(others.diagnostics(of: notes, users: 4)[0].severity == .note)
  }

  /// Keys of a known shape are counted as those that are read for the first time.
  @Test func notesOfShapes() throws {
    let rules = try ruleSet(wireRule())
    var worker = BatchWorker(BatchPlan(rules, now: 0, assigner: .hash(salt: "")))
    let keys = (0..<30).map { "\"flat\($0)\":\($0)" }.joined(separator: ",")
    var notes = RecordNotes()
    for chunk in 0..<3 {
      let lines = (0..<7).map { "{\"userId\":\"u\(chunk)-\($0)\",\(keys)}" }
      notes.add(worker.process(Array(lines.joined(separator: "\n").utf8)).notes)
    }
    #expect(notes.unknownKeys.count == 30)
    #expect(notes.unknownKeys.values.allSatisfy { $0 == 21 })
  }

  /// Roots that rules read are known, also those that are called as a member is.
  @Test func rootsOfRules() throws {
    let filters = #"""
      [{"field":"plan","operator":"is","value":"free"},
       {"field":"subscriptionStatus","operator":"is","value":"ACTIVE"}]
      """#
    let experiment = #"""
      {"id":"e","status":"running","holdout_percentage":0,
       "variants":[{"id":"v","paywall_id":"pw","traffic_percentage":100}]}
      """#
    let json = #"""
      {"campaigns":[{"id":"c","name":"C","status":"active",
       "placements":[{"id":"p","name":"p","type":"custom","status":"active"}],
       "audiences":[{"id":"a","name":"A","priority_order":0,"filters":\#(filters),
                     "experiment":\#(experiment)}]}],"paywalls":{},"products":[]}
      """#
    let config = try #require(Config.decode(agentWallie: json.utf8).output)
    let rules = try #require(RuleSet.compile(config).output)
    let line = #"{"userId":"u","plan":"free","subscriptionStatus":"ACTIVE"}"#
    var worker = BatchWorker(BatchPlan(rules, now: 0, assigner: .hash(salt: "")))
    let output = worker.process(Array([line, line, line].joined(separator: "\n").utf8))
    #expect(output.notes.isEmpty)
    #expect(output.tally.placements[0].paywall == 3)
  }

  /// What the schema says, the table of members says too.
  @Test func schema() throws {
    let schema = try Value.parse(json: try bytes("schemas/user.schema.json"))
    let properties = try #require(schema["properties"])
    guard case .map(let entries) = properties else { return }
    #expect(
      Set(entries.map(\.key)) == Set(UserMember.allCases.map { Value.string($0.key) }))
    #expect(schema["required"] == ["userId"])
    for member in UserMember.allCases {
      let property = try #require(properties[member.key])
      let type =
        switch member.kind {
        case .text, .time: "string"
        case .attributes, .times: "object"
        case .texts, .assignments: "array"
        }
      let expected: Value =
        member == .userID ? .string(type) : .list([.string(type), "null"])
      #expect(property["type"] == expected, "\(member.key)")
      var key = member.key
      #expect(key.withUTF8 { UserMember(key: $0) } == member)
    }
    for other in ["", "use", "users", "userID", "deviceX", "event", "assignment", "entitlementx"] {
      var key = other
      #expect(key.withUTF8 { UserMember(key: $0) } == nil)
    }
  }

  /// Long and strange records end, and tell where they are wrong in a few words.
  @Test func hostile() throws {
    let rules = try ruleSet(wireRule(expression: "device.daysSince('a') == 1"))
    let many = (0..<40_000).map { "\"k\($0)\":[\"2026-03-01T11:00:00Z\"]" }.joined(separator: ",")
    #expect(read("{\"userId\":\"u\",\"events\":{\(many)},\"occurrences\":{\(many)}}", rules) == nil)
    let keys = (0..<40_000).map { "\"k\($0)\":1" }.joined(separator: ",")
    #expect(read("{\"userId\":\"u\",\(keys)}", rules) == nil)
    let long = String(repeating: "x", count: 200_000)
    for record in [
      "{\"userId\":\"u\",\"sessionStart\":\"\(long)\"}",
      "{\"userId\":\"u\",\"events\":{\"\(long)\":5}}", "{\"user_id\":\"\(long)\"}",
    ] {
      #expect(try #require(read(record, rules)).reason.utf8.count < 400)
    }
    let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
    for member in ["user", "entitlements", "assignments", "occurrences", "events", "nobody"] {
      #expect(read("{\"userId\":\"u\",\"\(member)\":\(deep)}", rules) != nil)
    }
  }

  /// A record that is refused leaves nothing that points to where it was.
  @Test func refusedRecordsLeaveNothing() throws {
    let rules = try ruleSet(wireRule("a", expression: "user.n == 2"))
    var reader = UserRecordReader(rules, at: HistoryClock(now: 0))
    let id = String(repeating: "long identity ", count: 20)
    for rest in [#""user":5}"#, #""user":{"n":1}"#, #""assignments":[{}]}"#, "x"] {
      do {
        var frame = Frame(for: rules.program)
        #expect(throws: UserRecordReader.Rejection.self) {
          try reader.read(json: "{\"userId\":\"\(id)\",\(rest)".utf8, into: &frame)
        }
      }
      #expect(reader.state(now: 0).subjectID == "")
    }
  }
}
