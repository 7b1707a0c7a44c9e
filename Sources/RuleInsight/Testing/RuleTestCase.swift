package import CivilTime
package import Expressions
package import RuleEngine

/// A user, and the expected outcome at a placement.
package struct RuleTestCase: Sendable {
  package var name: String?
  package var placement: String
  /// The time of the decision, if the test has one.
  package var now: Instant?
  /// The seed of the draw, if the test has one. The seed only matters if variants are drawn by hash.
  package var seed: String?
  /// The user's record, as JSON.
  package var record: [UInt8]
  package var expectation: RuleExpectation

  package init(
    name: String? = nil, placement: String, now: Instant? = nil, seed: String? = nil,
    record: [UInt8], expectation: RuleExpectation
  ) {
    self.name = name
    self.placement = placement
    self.now = now
    self.seed = seed
    self.record = record
    self.expectation = expectation
  }

  /// The keys of tests in addition to those of user records.
  private static let keys = ["name", "placement", "now", "seed", "expect"]

  /// - Parameters:
  ///   - value: a user record with `placement` and `expect`, and optionally `name`, `now` and
  ///     `seed`.
  ///   - timeZone: the time zone of times without one.
  package init(_ value: Value, timeZone: String) throws(RuleExpectation.Fault) {
    guard case .map(let members) = value else {
      throw RuleExpectation.Fault("a test must be a JSON object")
    }
    guard let placement = value["placement"] else {
      throw RuleExpectation.Fault("'placement' is missing")
    }
    guard let placementName = placement.text, !placementName.isEmpty else {
      throw RuleExpectation.Fault("'placement' must be the name of a placement")
    }
    guard let expect = value["expect"] else {
      throw RuleExpectation.Fault(
        "'expect' is missing: write what the user gets, such as {\"result\":\"holdout\"}")
    }
    self.placement = placementName
    if let name = value["name"], name != .null {
      guard let text = name.text else { throw RuleExpectation.Fault("'name' must be a string") }
      self.name = text
    }
    now = try Self.now(value, timeZone: timeZone)
    seed = try Self.seed(value)
    expectation = try RuleExpectation(expect)
    let record = members.filter { member in
      !Self.keys.contains { member.key.text?.utf8.elementsEqual($0.utf8) ?? false }
    }
    var bytes: [UInt8] = []
    JSONWriter.append(.map(record), to: &bytes)
    self.record = bytes
  }

  /// The time of a test or a table of tests; nil if it has none.
  package static func now(_ value: Value, timeZone: String) throws(RuleExpectation.Fault)
    -> Instant?
  {
    guard let now = value["now"], now != .null else { return nil }
    guard let text = now.text else {
      throw RuleExpectation.Fault("'now' must be an ISO 8601 time in quotes")
    }
    do throws(WireTime.Fault) {
      return try WireTime.instant(text, in: timeZone)
    } catch {
      throw RuleExpectation.Fault("'now': \(error.message(text))")
    }
  }

  /// The seed of a test or a table of tests; nil if it has none.
  package static func seed(_ value: Value) throws(RuleExpectation.Fault) -> String? {
    guard let seed = value["seed"], seed != .null else { return nil }
    guard let text = seed.text else { throw RuleExpectation.Fault("'seed' must be a string") }
    return text
  }
}

/// The result of a test.
package struct RuleTestResult: Sendable {
  package var subjectID: String
  /// The differences from the expectation; empty if the test passes.
  package var differences: [RuleExpectation.Difference]
  /// The outcome at the placement, in a line; empty if the test passes.
  package var got = ""
  /// The reasons as lines: the result of the expected audience, or of the audience that decided.
  package var reasons: [String] = []
}

/// Runs tests against the rules of a config.
package struct RuleTester: ~Copyable {
  private let ruleSet: RuleSet
  private let assigner: Assigner
  private var frame: Frame
  private var reader: UserRecordReader
  private var clock: HistoryClock

  package init(_ ruleSet: RuleSet, assigner: Assigner, clock: HistoryClock) {
    self.ruleSet = ruleSet
    self.assigner = assigner
    self.clock = clock
    frame = Frame(for: ruleSet.program)
    reader = UserRecordReader(ruleSet, at: clock)
  }

  /// - Parameters:
  ///   - clock: the time and the calendar of the test.
  ///   - texts: the texts of paywalls at the time of the test, if the test expects texts.
  package mutating func run(_ test: RuleTestCase, at clock: HistoryClock, texts: TextPlan? = nil)
    throws(UserRecordReader.Rejection) -> RuleTestResult
  {
    if clock.now != self.clock.now {
      self.clock = clock
      reader = UserRecordReader(ruleSet, at: clock)
    }
    try reader.read(json: test.record, into: &frame)
    let state = reader.state(now: clock.now)
    let assigner = test.seed.map { self.assigner.seeded($0) } ?? self.assigner
    let decision = ruleSet.decide(test.placement, frame: &frame, state: state, assigner: assigner)
    var differences = test.expectation.differences(from: decision)
    var problems: [String] = []
    if !test.expectation.texts.isEmpty {
      let read = texts?.texts(of: decision, test.record) ?? (texts: [], problems: [])
      differences += test.expectation.differences(from: read.texts)
      problems = read.problems
    }
    var result = RuleTestResult(subjectID: state.subjectID, differences: differences)
    guard !differences.isEmpty else { return result }
    let explanation = ruleSet.explain(
      test.placement, frame: &frame, state: state, assigner: assigner, clock: clock)
    result.got = explanation.line
    let isAboutTexts = differences.allSatisfy { $0.field.hasPrefix("texts.") }
    result.reasons = isAboutTexts ? problems : explanation.reasons(for: test.expectation) + problems
    let audiences = explanation.audiences.map { ruleSet.rules[$0.step.rule].audience }
    result.reasons =
      test.expectation.unknownNames(audiences).map(DiagnosticText.visible) + result.reasons
    return result
  }
}

extension Explanation {
  /// The lines that explain why a test fails: the result of the expected audience. Without an
  /// expected audience, the lines show the audience that decided and the audiences that were held
  /// back.
  fileprivate func reasons(for expectation: RuleExpectation) -> [String] {
    let expected: Audience? =
      switch expectation.audience {
      case .index(let index): audiences.first { $0.step.index == index }
      case .id(let id): audiences.first { $0.id == id || $0.step.experimentID == id }
      case .none?, nil: nil
      }
    let deciding = audiences.first { $0.step.index == decision.audience }
    var shown: [Audience] = []
    if let expected, expected.step.index != decision.audience { shown.append(expected) }
    if shown.isEmpty, deciding == nil {
      shown = audiences.filter { $0.step.reason != .notReached }
    }
    if let deciding, expected?.step.index != deciding.step.index { shown.append(deciding) }
    return shown.prefix(5).flatMap { $0.decidingLines }.map(DiagnosticText.visible)
  }
}
