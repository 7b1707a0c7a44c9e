import Expressions
import RuleEngine
import TestSupport
import Testing

@testable import RuleEngine

/// What is odd about records is counted, and told with what may have been meant.
@Suite struct RecordNotesTests {
  @Test(
    arguments: [
      ("osVersion", "device.osVersion"), ("osVersio", "device.osVersion"), ("plan", "user.plan"),
      ("plam", "user.plan"), ("usr", "user"), ("occurrence", "occurrences"), ("zzzzzz", nil),
    ] as [(String, String?)])
  func meantKeys(key: String, meant: String?) throws {
    let rules = try ruleSet(wireRule(expression: "user.plan == \"free\""))
    #expect(rules.suggestion(forRecordKey: key) == meant)
  }

  /// Attributes of devices are Superwall's.
  @Test func otherFormatsHaveNoDevices() throws {
    let config = Config(
      format: .agentWallie,
      placements: [Placement(name: "p", audiences: [Audience(index: 0, experimentID: "e")])])
    let rules = try #require(RuleSet.compile(config).output)
    #expect(rules.suggestion(forRecordKey: "osVersion") == nil)
  }

  @Test func statuses() {
    for (text, isKnown) in [
      ("ACTIVE", true), ("INACTIVE", true), ("UNKNOWN", true), ("active", false),
      ("ACTIVEX", false),
      ("UNKNOWNX", false), ("", false), ("PAIDUP", false), ("EXPIRED", false), ("INACTIVX", false),
    ] {
      let bytes = Array(text.utf8)
      #expect(bytes.withUnsafeBufferPointer { RecordNotes.isStatus($0) } == isKnown, "\(text)")
    }
  }

  @Test func counts() {
    var notes = RecordNotes()
    #expect(notes.isEmpty)
    notes.add(unknownKey: "a")
    notes.add(unknownKey: "a", 2)
    notes.add(repeatedKey: "user")
    notes.note(repeatedKey: "user", at: "line 1")
    notes.note(repeatedKey: "user", at: "line 2")
    notes.note(repeatedKey: "other", at: "line 3")
    #expect(notes.unknownKeys == ["a": 3])
    #expect(notes.repeatedKeys == ["user": 1])
    #expect(notes.repeatedPlaces == ["user": "line 1"])
    let earlier = notes
    notes.add(unknownKey: "b")
    notes.add(unknownKey: "a")
    let new = notes.since(earlier)
    #expect(new.unknownKeys == ["a": 1, "b": 1])
    #expect(new.repeatedKeys.isEmpty)
    var sum = earlier
    sum.add(new)
    #expect(sum.unknownKeys == ["a": 4, "b": 1])
    #expect(sum.repeatedKeys == ["user": 1] && sum.repeatedPlaces == ["user": "line 1"])
    #expect(!sum.isEmpty)
  }

  /// The first who contradicts an earlier record is named, and all are counted.
  @Test func contradictions() {
    var notes = RecordNotes()
    notes.note(contradicting: "u", at: "b:2", first: "a:1", isPartial: false)
    #expect(!notes.isEmpty)
    #expect(
      notes.contradictions
        == .init(id: "u", first: "a:1", second: "b:2", records: 1, isPartial: false))
    notes.note(contradicting: "w", at: "b:4", first: "a:3", isPartial: true)
    notes.note(contradicting: "x", at: "b:5", first: "a:5", isPartial: false)
    #expect(
      notes.contradictions
        == .init(id: "u", first: "a:1", second: "b:2", records: 3, isPartial: true))
  }
}
