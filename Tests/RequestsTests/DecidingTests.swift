import Expressions
import Requests
import RuleEngine
import Testing

/// What one user gets.
@Suite("Deciding requests") struct DecidingTests {
  @Test func decides() throws {
    let config = try AskedConfig()
    let one = config.decide(
      #"{"userId": "u", "user": {"plan": "free"}, "placements": ["export"]}"#)
    let decision = one["decisions"]?.elements?.first
    #expect(decision?["paywall"] == "annual" && decision?["audience"] == 0)
    let all = config.decide(#"{"userId": "u", "user": {"visits": 4}}"#)
    #expect(
      all["decisions"]?.elements?.map { $0["result"]?["result"] } == [
        "holdout", "noAudienceMatch",
      ])
  }

  /// The bytes are those of the outcome line that commands print.
  @Test(arguments: [#"{"plan": "free"}"#, #"{"visits": 4}"#, #"{"visits": "x"}"#, "{}"])
  func answersAreOutcomeLines(user: String) throws {
    let config = try AskedConfig().config
    let record = Array(#"{"userId": "u\"1", "user": \#(user)}"#.utf8)
    var frame = Frame(for: config.ruleSet.program)
    var reader = UserRecordReader(config.ruleSet, at: config.clock(nil))
    try reader.read(json: record, into: &frame)
    let state = reader.state(now: AskedConfig.now)
    let lines = config.ruleSet.placementNames.map { name in
      config.ruleSet.decide(name, frame: &frame, state: state, assigner: config.assigner)
        .outcomeLine(
          subjectID: state.subjectID,
          errors: config.ruleSet.errors(name, frame: &frame, state: state)
        ).json
    }
    let answer = String(decoding: try config.decide(record), as: UTF8.self)
    #expect(answer == #"{"decisions":["# + lines.joined(separator: ",") + "]}")
  }

  /// Null is as if the member were missing.
  @Test func nulls() throws {
    let config = try AskedConfig { $0.seed = "a" }
    let user = #""userId": "u", "user": {"plan": "free"}"#
    let plain = config.decide("{\(user)}")
    let found = config.decide(
      #"""
      {"placements": null, "explain": null, "reasons": null, "texts": null, "products": null,
       "now": null, "seed": null, "requestId": null, "record": null, \#(user)}
      """#)
    #expect(found == plain, "\(found.json)")
    #expect(plain["decisions"]?.elements?.count == 2)
  }

  /// Members may be anywhere: before the user, after it, and after many unknown members.
  @Test(arguments: [0, 31, 32, 33, 200], [true, false])
  func membersAreFoundAnywhere(others: Int, isFirst: Bool) throws {
    let config = try AskedConfig()
    let user = [#""userId": "u""#, #""user": {"plan": "free"}"#]
    let asked = [#""placements": ["export"]"#]
    let more = (0..<others).map { "\"other\($0)\": [{\"placements\": []}]" }
    let members = isFirst ? asked + more + user : user + more + asked
    let found = config.decide("{\(members.joined(separator: ","))}")
    #expect(found["decisions"]?.elements?.map { $0["paywall"] } == ["annual"])
  }

  /// Dates are those of the request, wherever its time is, and of the user's time zone.
  @Test(arguments: [true, false]) func datesOfTheTimeOfARequest(isFirst: Bool) throws {
    let text = AskedConfig.text.replacing(
      "user.plan == 'free'", with: #"device.localDate == \"2026-12-25\""#)
    let config = try AskedConfig(text)
    func audience(_ now: String?, _ zone: String) -> Value? {
      let user = #""userId": "u", "device": {"timezone": "\#(zone)"}"#
      let members = (now.map { [#""now": "\#($0)""#] } ?? []) + [user]
      let body = (isFirst ? members : members.reversed()).joined(separator: ", ")
      let found = config.decide(#"{"placements": ["export"], \#(body)}"#)
      return found["decisions"]?.elements?.first?["audience"]
    }
    #expect(audience("2026-12-25T12:00:00Z", "UTC") == 0)
    #expect(audience("2026-12-24T23:30:00Z", "UTC") == .null)
    #expect(audience("2026-12-24T23:30:00Z", "Europe/Berlin") == 0)
    #expect(audience(nil, "UTC") == .null)
  }

  /// Events count back from the time of the request, wherever that is.
  @Test(arguments: [true, false]) func eventsBeforeTheTimeOfARequest(isFirst: Bool) throws {
    let text = AskedConfig.text.replacing(
      "user.plan == 'free'", with: #"device.placementsInDay(\"open\") == 1"#)
    let config = try AskedConfig(text)
    func audience(_ now: String) -> Value? {
      let user = #""userId": "u", "events": {"open": ["2026-03-01T08:00:00Z"]}"#
      let members = [#""now": "\#(now)""#, user]
      let body = (isFirst ? members : members.reversed()).joined(separator: ", ")
      let found = config.decide(#"{"placements": ["export"], \#(body)}"#)
      return found["decisions"]?.elements?.first?["audience"]
    }
    #expect(audience("2026-03-01T12:00:00Z") == 0)
    #expect(audience("2026-03-09T12:00:00Z") == .null)
    #expect(audience("2026-02-01T12:00:00Z") == .null)
  }

  /// Of a repeated member the last value counts; a wrong one is reported wherever it is.
  @Test func repeatedMembers() throws {
    let config = try AskedConfig()
    let user = #""userId": "u", "user": {"plan": "free"}"#
    let last = config.decide(#"{"placements": [], \#(user), "placements": ["export"]}"#)
    #expect(last["decisions"]?.elements?.count == 1)
    for wrong in [
      #""placements": ["export", 3]"#, #""now": "then""#, #""explain": 1"#,
      #""placements": ["exprot"]"#,
    ] {
      let before = config.decide("{\(wrong), \(user), \"seed\": \"s\"}")
      let after = config.decide("{\(user), \"seed\": \"s\", \(wrong)}")
      #expect(before["message"] != nil && before == after)
    }
  }

  /// A seed of the request replaces the config's.
  @Test func seedsCount() throws {
    let config = try AskedConfig(AskedConfig.halves) { $0.seed = "a" }
    func variants(_ seed: String?) -> [Value?] {
      (0..<40).map { number in
        let more = seed.map { #", "seed": "\#($0)""# } ?? ""
        let found = config.decide(
          #"{"userId": "u\#(number)", "user": {"plan": "free"}, "placements": ["export"]\#(more)}"#)
        return found["decisions"]?.elements?[0]["result"]?["experiment"]?["variant"]?["id"]
      }
    }
    #expect(variants(nil) == variants("a"))
    #expect(variants("a") != variants("b"))
  }

  @Test(arguments: ["", "{", "null", "\"u\"", #"{"userId": 3.5}"#, "{\"userId\": \"\u{0}\"}"])
  func recordsThatCannotBeRead(record: String) throws {
    let error = try AskedConfig().decide(record)
    #expect(error["code"] != nil && error["message"] != nil)
  }

  /// A record whose identity has another name gets a hint, whatever else is asked for.
  @Test(arguments: ["user_id", "id", "uid"], [0, 32, 60])
  func identitiesOfOtherNames(key: String, others: Int) throws {
    let more = (0..<others).map { "\"other\($0)\": \($0), " }.joined()
    let error = try AskedConfig().decide(
      #"{\#(more)"placements": ["export"], "\#(key)": "u", "user": {"plan": "free"}}"#)
    #expect(
      error["message"]?.text?.contains("is '\(key)' meant to be 'userId'?") == true)
  }

  /// Services answer placements that a config does not have yet; other callers get an error.
  @Test func unknownPlacements() throws {
    let request = #"{"userId": "u", "placements": ["exprt", "open"]}"#
    let error = try AskedConfig().decide(request)
    #expect(error["code"] == "unknown_placement")
    #expect(error["message"]?.text?.hasSuffix("did you mean 'export'?") == true)
    // The record is read first where events count from the time of the request.
    let events = AskedConfig.text.replacing(
      "user.plan == 'free'", with: #"device.placementsInDay(\"open\") == 1"#)
    for text in [AskedConfig.text, events] {
      let answer = try AskedConfig(text) { $0.answersUnknownPlacements = true }.decide(request)
      #expect(
        answer["decisions"]?.elements?.map { $0["result"]?["result"] } == [
          "placementNotFound", "noAudienceMatch",
        ], "\(answer.json)")
    }
  }

  @Test func placementsThatAreNotActive() throws {
    let config = try AskedConfig().config
    var inactive = config.config
    inactive.inactivePlacements = [.init(name: "winter", reason: "it is paused")]
    #expect(
      config.ruleSet.hint(forPlacement: "winter", in: inactive)
        == "the placement 'winter' is not active: it is paused")
    #expect(
      config.ruleSet.hint(forPlacement: "summer", in: nil)
        == "the config has no placement 'summer'; it has export, open")
  }

  /// What follows from decisions is for the caller, who also says what it has stored.
  @Test func effectsAreData() throws {
    let limited = AskedConfig.halves.replacing(
      #""expression_cel": "user.plan == 'free'","#,
      with: #"""
        "expression_cel": "user.plan == 'free'",
        "occurrence": {"key": "k", "max_count": 1, "interval": {"type": "MINUTES", "minutes": 60}},
        """#)
    let config = try AskedConfig(limited).config
    let body = Array(#"{"userId": "u", "user": {"plan": "free"}, "placements": ["export"]}"#.utf8)
    var effects: [Decision.Effect] = []
    var codes: [String] = []
    var placements: [String] = []
    let first = try config.decide(body) { answered in
      effects += answered.decision.effects
      codes.append(answered.code)
      placements.append(answered.placement)
    }
    #expect(placements == ["export"])
    var stored = StoredState()
    for effect in effects {
      switch effect {
      case .storeAssignment(let experiment, let variant):
        stored.assignments.append(Assignment(experimentID: experiment, variantID: variant))
      case .recordOccurrence(let limit):
        stored.occurrences.append(.init(key: limit.key, times: [AskedConfig.now]))
      default: break
      }
    }
    #expect(try config.decide(body, config.decideRequest(body)) == first)
    #expect(StoredState().appended(to: body) == body)
    // The limit is used up, so that the other variant's weight does not matter.
    _ = try config.decide(stored.appended(to: body)) { codes.append($0.code) }
    #expect(codes.count == 2 && codes[0] != "noAudienceMatch" && codes[1] == "noAudienceMatch")
    stored.occurrences = []
    stored.assignments = [Assignment(experimentID: "e1", variantID: "v0")]
    _ = try config.decide(stored.appended(to: body)) { codes.append($0.code) }
    stored.assignments = [Assignment(experimentID: "e1", variantID: "v1")]
    _ = try config.decide(stored.appended(to: body)) { codes.append($0.code) }
    #expect(codes.suffix(2) == ["holdout", "paywall"])
    // It wins over what the record says itself, and white space at the end does no harm.
    let own =
      #"{"userId":"u","assignments":[{"experimentId":"e1","variantId":"v0"}], "user": {"plan": "free"}, "placements": ["export"] } "#
    _ = try config.decide(stored.appended(to: Array(own.utf8))) { codes.append($0.code) }
    #expect(codes.last == "paywall")
  }

  /// A config is prepared once; what its texts say of the time is that of each request.
  @Test func textsOfAnotherTime() throws {
    let config = try AskedConfig {
      $0.texts = try TextFile.given(
        Array(#"{"paywalls": {"annual": {"title": "{{ 'now' | date: '%Y' }}"}}}"#.utf8))
    }
    for year in ["2031", "2017"] {
      let found = config.decide(
        """
        {"userId": "u", "user": {"plan": "free"}, "placements": ["export"], "texts": true,
         "now": "\(year)-05-01T12:00:00Z"}
        """)
      let texts = found["decisions"]?.elements?.first?["texts"]
      #expect(texts?["title"]?.text == year, "\(found.json)")
    }
  }
}
