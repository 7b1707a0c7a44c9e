public import Expressions

/// One line of a users file: attributes in a frame, everything else as plain values.
///
/// The object's form is `{"userId", "user":{}, "device":{}, "params":{}, "subscriptionStatus",
/// "entitlements", "assignments":[{"experimentId","variantId"}], "occurrences":{KEY:[ISO]},
/// "events":{NAME:[ISO]}, "sessionStart":ISO}`; everything but `userId` may be absent. `subscriptionStatus` and
/// `entitlements` also stand for `device.subscriptionStatus` and `device.activeEntitlements` where
/// `device` does not have these, and `userId` for `user.id` in rules from an AgentWallie config. Any
/// other root that the rules read may stand in the object too.
public struct UserRecordReader: ~Copyable {
  /// Why a record cannot be used, for a person.
  public struct Rejection: Error, Hashable, Sendable {
    public var reason: String
    /// Byte offset in the record, where it is known.
    public var offset: Int?
  }

  /// The subject's identity, as in the record; valid until the next record is read.
  package private(set) var subject: Cell = .emptyText
  public private(set) var assignments: [DecisionState.Assignment] = []
  public private(set) var occurrences: [DecisionState.Occurrences] = []
  /// What the subject owns, read when audiences pass over owners.
  public private(set) var ownedEntitlements: [String] = []
  /// Milliseconds since 1970.
  public private(set) var sessionStart: Int64?
  /// What happened to the subject, read when the rules ask about it.
  public private(set) var events = EventHistory()
  /// Keys that no reader knows, with the number of records that had them.
  public private(set) var unknownKeys: [String: Int] = [:]

  private let ruleSet: RuleSet
  private let clock: HistoryClock
  private let questions: [HostQuestion]
  let wantsEvents: Bool
  private let nesting: Int
  /// The slots of attributes that a record may also say elsewhere.
  let statusSlot: Int?
  let entitlementsSlot: Int?
  let userIDSlot: Int?
  let needsEntitlements: Bool
  private var status: Cell?
  private var entitlements: Cell?
  /// At most this many different unknown keys are remembered.
  private static let unknownKeyLimit = 16

  /// - Parameter clock: when the rules are evaluated: questions about events count back from it.
  public init(_ ruleSet: RuleSet, at clock: HistoryClock) {
    self.ruleSet = ruleSet
    self.clock = clock
    questions = ruleSet.questions
    wantsEvents = !questions.isEmpty || !ruleSet.computed.isEmpty
    nesting = ruleSet.program.limits.dataNesting
    let program = ruleSet.program
    statusSlot = program.slot(of: AttributePath(["device", "subscriptionStatus"]))
    entitlementsSlot = program.slot(of: AttributePath(["device", "activeEntitlements"]))
    userIDSlot =
      ruleSet.format == .agentWallie ? program.slot(of: AttributePath(["user", "id"])) : nil
    needsEntitlements = !ruleSet.storage.table.entitlements.isEmpty
  }

  /// What the record says of the subject beside its attributes.
  public func state(now: Int64) -> DecisionState {
    DecisionState(
      subjectID: ownedSubject ?? subject.text, now: now, assignments: assignments,
      occurrences: occurrences, entitlements: ownedEntitlements, sessionStart: sessionStart)
  }

  /// Reads a record, one JSON object, into a frame of the rule set's program.
  public mutating func read(json record: some Sequence<UInt8>, into frame: inout Frame)
    throws(Rejection)
  {
    let bytes = frame.own(record)
    try read(bytes, into: &frame)
    // The frame may be filled again, or be gone, before somebody asks for the state.
    ownedSubject = subject.text
  }

  /// The subject's identity where it does not lie in the frame.
  private var ownedSubject: String?

  /// Reads a record into a frame of the rule set's program. The frame refers to these bytes, so
  /// they must stay where they are for as long as it is used.
  package mutating func read(_ record: ByteView, into frame: inout Frame) throws(Rejection) {
    frame.reset()
    problem = nil
    ownedSubject = nil
    subject = .emptyText
    status = nil
    entitlements = nil
    if !assignments.isEmpty { assignments.removeAll(keepingCapacity: true) }
    if !occurrences.isEmpty { occurrences.removeAll(keepingCapacity: true) }
    if !ownedEntitlements.isEmpty { ownedEntitlements.removeAll(keepingCapacity: true) }
    sessionStart = nil
    if !events.isEmpty { events.removeAll() }
    guard let base = record.baseAddress else { throw Rejection(reason: "the line is empty") }
    var cursor = JSONCursor(base, from: 0, to: record.count)
    do throws(JSONFault) {
      let isObject = cursor.peek() == UInt8(ascii: "{")
      if !isObject {
        try cursor.skipValue(nesting: nesting)
        try cursor.expectEnd()
        problem = Rejection(reason: "a user record is a JSON object", offset: 0)
      }
      if isObject {
        try cursor.forEachMember(nesting: nesting) { (cursor, key) throws(JSONFault) in
          try member(key, &cursor, &frame)
        }
        try cursor.expectEnd()
      }
    } catch {
      throw Rejection(reason: error.message, offset: error.offset)
    }
    if let problem { throw problem }
    guard subject != .emptyText else {
      throw Rejection(reason: "'userId' is missing; it must be a string that is not empty")
    }
    fillStatus(&frame)
    if wantsEvents { try answerQuestions(&frame) }
  }

  /// Lets go of the last record's bytes.
  package mutating func forget() {
    subject = .emptyText
    status = nil
    entitlements = nil
  }

  /// What the rules want to know of the events.
  private func answerQuestions(_ frame: inout Frame) throws(Rejection) {
    guard let platform = ruleSet.language.platform else { return }
    do throws(EvaluationError) {
      try ruleSet.answer(events, at: clock, on: platform, questions, in: &frame)
    } catch {
      throw Rejection(reason: "the events take more memory than the limit allows")
    }
  }

  /// Found in a member that is JSON but has the wrong form.
  private var problem: Rejection?

  private mutating func member(
    _ key: JSONCursor.RawString, _ cursor: inout JSONCursor, _ frame: inout Frame
  ) throws(JSONFault) {
    if try frame.fillMember(key, from: &cursor) { return }
    var name = key.hasEscapes ? key.text : ""
    let known =
      key.hasEscapes
      ? name.withUTF8 { UserRecordReader.known($0) } : UserRecordReader.known(key.bytes)
    switch known {
    case .userID: try readSubject(&cursor, &frame)
    case .assignments: try readAssignments(&cursor)
    case .occurrences: try readOccurrences(&cursor)
    case .events where wantsEvents: try readEvents(&cursor)
    case .status where statusSlot != nil:
      status = try cursor.cell(in: &frame.arena, nesting: nesting)
    case .entitlements where entitlementsSlot != nil || needsEntitlements:
      let start = cursor
      entitlements = try cursor.cell(in: &frame.arena, nesting: nesting)
      if needsEntitlements { readEntitlements(start) }
    case .sessionStart: try readSessionStart(&cursor)
    case .root, .status, .entitlements, .events:
      try cursor.skipValue(nesting: nesting)
    case nil:
      try cursor.skipValue(nesting: nesting)
      noteUnknown(key.text)
    }
  }

  private enum Key {
    case userID, root, status, entitlements, assignments, occurrences, events, sessionStart
  }

  private static func known(_ key: ByteView) -> Key? {
    func isKey(_ name: StaticString) -> Bool {
      key.elementsEqual(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }
    switch key.count {
    case 4: return isKey("user") ? .root : nil
    case 6:
      return isKey("userId")
        ? .userID : isKey("device") || isKey("params") ? .root : isKey("events") ? .events : nil
    case 11: return isKey("assignments") ? .assignments : isKey("occurrences") ? .occurrences : nil
    case 12:
      return isKey("entitlements") ? .entitlements : isKey("sessionStart") ? .sessionStart : nil
    case 18: return isKey("subscriptionStatus") ? .status : nil
    default: return nil
    }
  }

  private mutating func noteUnknown(_ key: String) {
    if unknownKeys[key] == nil, unknownKeys.count >= UserRecordReader.unknownKeyLimit { return }
    unknownKeys[key, default: 0] += 1
  }

  private mutating func reject(_ reason: String, _ cursor: JSONCursor) {
    if problem == nil { problem = Rejection(reason: reason, offset: cursor.at) }
  }

  private mutating func readSubject(_ cursor: inout JSONCursor, _ frame: inout Frame)
    throws(JSONFault)
  {
    guard cursor.peek() == UInt8(ascii: "\"") else {
      reject("'userId' must be a string", cursor)
      return try cursor.skipValue(nesting: nesting)
    }
    subject = try cursor.text(in: &frame.arena)
  }

  private mutating func readAssignments(_ cursor: inout JSONCursor) throws(JSONFault) {
    let start = cursor
    guard case .list(let values) = try cursor.value(nesting: nesting) else {
      return reject("'assignments' must be a list", start)
    }
    for value in values {
      guard case .string(let experiment)? = value["experimentId"],
        case .string(let variant)? = value["variantId"]
      else { return reject("an assignment needs 'experimentId' and 'variantId'", start) }
      assignments.append(
        DecisionState.Assignment(
          experimentID: experiment, variantID: variant,
          isSentToServer: value["isSentToServer"] != .bool(false)))
    }
  }

  private mutating func readEntitlements(_ start: JSONCursor) {
    guard let entitlements, entitlements.tag == Tag.list else {
      return reject("'entitlements' must be a list", start)
    }
    for entitlement in entitlements.elements where entitlement.isText {
      ownedEntitlements.append(entitlement.text)
    }
  }

  private mutating func readSessionStart(_ cursor: inout JSONCursor) throws(JSONFault) {
    let start = cursor
    guard case .string(let text) = try cursor.value(nesting: nesting),
      let time = WireTime.milliseconds(text)
    else { return reject("'sessionStart' must be an ISO 8601 time", start) }
    sessionStart = time
  }

  private mutating func readOccurrences(_ cursor: inout JSONCursor) throws(JSONFault) {
    for series in try readTimes("occurrences", &cursor) {
      occurrences.append(DecisionState.Occurrences(key: series.name, times: series.times))
    }
  }

  private mutating func readEvents(_ cursor: inout JSONCursor) throws(JSONFault) {
    for series in try readTimes("events", &cursor) { events.record(series.name, at: series.times) }
  }

  /// An object of lists of times.
  private mutating func readTimes(_ member: String, _ cursor: inout JSONCursor) throws(JSONFault)
    -> [EventHistory.Series]
  {
    let start = cursor
    var all: [EventHistory.Series] = []
    guard case .map(let entries) = try cursor.value(nesting: nesting) else {
      reject("'\(member)' must be an object of lists of times", start)
      return []
    }
    for entry in entries {
      guard case .string(let key) = entry.key, case .list(let values) = entry.value else {
        reject("'\(member)' must be an object of lists of times", start)
        return []
      }
      var times: [Int64] = []
      for value in values {
        guard case .string(let text) = value, let time = WireTime.milliseconds(text) else {
          reject("'\(value.json)' under '\(key)' is no ISO 8601 time", start)
          return []
        }
        times.append(time)
      }
      all.append(EventHistory.Series(name: key, times: times))
    }
    return all
  }

  private func fill(_ slot: Int?, _ cell: Cell?, _ frame: inout Frame) {
    guard let slot, let cell, !frame.slots[slot].isValue else { return }
    let passed = ruleSet.program.passed(cell, in: &frame.arena)
    if passed.isValue { frame.slots[slot] = passed }
  }

  /// What the record says outside `device` counts where `device` is silent.
  private func fillStatus(_ frame: inout Frame) {
    fill(statusSlot, status, &frame)
    fill(entitlementsSlot, entitlements, &frame)
    if let slot = userIDSlot, !frame.slots[slot].isValue { frame.slots[slot] = subject }
  }
}
