public import Expressions

/// Reads one line of a users file: the attributes into a frame, everything else into plain values.
///
/// The object's form is
/// `{"userId", "user":{}, "device":{}, "params":{}, "subscriptionStatus", "entitlements":[NAME], "assignments":[{"experimentId","variantId"}], "occurrences":{KEY:[ISO]}, "events":{NAME:[ISO]}, "sessionStart":ISO}`.
/// Only `userId` is required. Other members may be missing or null. A member of the wrong type makes the record
/// invalid, even if no rule reads it. If a key is repeated, the last value is used, but every value must have the right
/// type. Repeated assignments, occurrences and events are combined, so that no past event is lost.
///
/// `subscriptionStatus` and `entitlements` replace a missing `device.subscriptionStatus` and
/// `device.activeEntitlements`. In rules from an AgentWallie config, `userId` replaces a missing `user.id`. If `device`
/// lacks an attribute that SDKs derive from the clock, the time zone or other attributes, the reader derives it. The
/// object may also contain other roots that the rules read.
///
/// ```swift
/// let audience = Audience(index: 0, experimentID: "e", expression: "user.plan == 'free'")
/// let config = Config(placements: [Placement(name: "p", audiences: [audience])])
/// let rules = try RuleSet.compile(config).get()
/// var frame = Frame(for: rules.program)
/// var reader = UserRecordReader(rules, at: HistoryClock(now: 1_772_366_400_000))
/// try reader.read(json: #"{"userId": "u1", "user": {"plan": "free"}}"#.utf8, into: &frame)
/// let state = reader.state(now: 1_772_366_400_000)
/// state.subjectID  // "u1"
/// rules.steps("p", frame: &frame, state: state)[0].reason  // .matched
/// do throws(UserRecordReader.Rejection) {
///   try reader.read(json: #"{"userId": "u2", "user": "free"}"#.utf8, into: &frame)
/// } catch {
///   error.reason  // "'user' must be an object, not a string"
/// }
/// ```
public struct UserRecordReader: ~Copyable {
  // SAFETY: Cells may point into the last record. They are dropped when the next record is read,
  // and by `forget()`. If the record lies in the frame, the ID is copied. Tests: UserRecordTests,
  // InputFormsTests.

  /// A message that explains why a record is invalid.
  public struct Rejection: Error, Hashable, Sendable {
    public var reason: String
    /// The byte offset in the record, or nil if it is unknown.
    public var offset: Int?
    /// A suggestion to correct the record, or nil.
    public var hint: String?

    package init(reason: String, offset: Int? = nil) {
      self.reason = reason
      self.offset = offset
    }

    /// Creates the rejection of input that is not JSON.
    init(_ fault: JSONFault, in record: ByteView) {
      reason = fault.message
      offset = fault.offset
      hint = fault.hint(in: Array(record))
    }
  }

  /// The subject's ID, unchanged from the record. Valid until the next record is read.
  package private(set) var subject: Cell = .emptyText
  public private(set) var assignments: [Assignment] = []
  public private(set) var occurrences: [DecisionState.Occurrences] = []
  /// The subject's entitlements, which are read only if audiences skip owners of entitlements.
  public private(set) var ownedEntitlements: [String] = []
  public private(set) var sessionStart: Instant?
  /// The subject's events, which are read only if the rules ask about events.
  public private(set) var events = EventHistory()
  /// The oddities of the records that were read.
  package private(set) var notes = RecordNotes()
  /// Whether the records are requests. The reader then collects their ``otherMembers`` instead of ``notes``.
  package var readsRequests = false
  /// The members that belong to a request instead of the user, whether or not rules read these members. The list points
  /// into the record.
  package private(set) var otherMembers = OtherMembers()

  private let ruleSet: RuleSet
  /// The time at which the rules are evaluated. The clock may change between records.
  package var clock: HistoryClock {
    didSet { derivation?.clock = clock }
  }
  /// Derives attributes that a record lacks. Nil if rules read no such attribute.
  package var derivation: DeviceDerivation?
  /// Whether the caller sets the attributes, and derives missing ones afterwards.
  package var hasOnlyMembers = false
  private let questions: [HostQuestion]
  /// Whether any null in the attributes, at any depth, makes every condition fail.
  package let failsOnNull: Bool
  /// Whether the record contains a null that makes every condition fail.
  private var hasNull = false
  package let wantsEvents: Bool
  private let nesting: Int
  /// The slots of attributes that a record may also have outside `device` and `user`.
  package let statusSlot: Int?
  package let entitlementsSlot: Int?
  package let userIDSlot: Int?
  package let needsEntitlements: Bool
  private var status: Cell?
  private var entitlements: Cell?
  /// Keys that the record repeats. The last value counts.
  package private(set) var repeatedKeys: [String] = []
  /// The members read so far, one bit each.
  private var seen: UInt32 = 0
  /// Unknown keys of the record. The keys are counted when the record is accepted.
  private var unknownKeys: [String] = []

  /// - Parameters:
  ///   - ruleSet: the rules that determine which attributes are read.
  ///   - clock: when the rules are evaluated. Questions about events count back from this time.
  public init(_ ruleSet: RuleSet, at clock: HistoryClock) {
    self.ruleSet = ruleSet
    self.clock = clock
    derivation = DeviceDerivation(ruleSet, at: clock)
    questions = ruleSet.questions
    failsOnNull = ruleSet.profile?.has(.failsOnNull) ?? false
    wantsEvents = !questions.isEmpty || !ruleSet.computed.isEmpty
    nesting = ruleSet.program.limits.dataNesting
    let program = ruleSet.program
    let attributes = UserMember.attributes(hasUserID: ruleSet.format == .agentWallie)
    func slot(_ member: UserMember) -> Int? {
      attributes.first { $0.member == member }
        .flatMap { program.slot(of: AttributePath([$0.root.key, $0.name])) }
    }
    statusSlot = slot(.status)
    entitlementsSlot = slot(.entitlements)
    userIDSlot = slot(.userID)
    needsEntitlements = !ruleSet.storage.table.entitlements.isEmpty
  }

  /// The subject's state in the record, without its attributes.
  public func state(now: Instant) -> DecisionState {
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
    // The ID is copied, because the frame may be refilled or freed before the state is read.
    ownedSubject = subject.text
  }

  /// The subject's identity, if it is not stored in the frame.
  private var ownedSubject: String?

  /// Reads a record into a frame of the rule set's program. The frame refers to these bytes, so they must stay where
  /// they are for as long as the frame is used.
  package mutating func read(_ record: ByteView, into frame: inout Frame) throws(Rejection) {
    // SAFETY: The caller keeps the bytes where they are for as long as it uses the frame or the
    // reader. A record that is rejected leaves no cell behind. Tests: UserRecordTests,
    // InputFormsTests.
    frame.reset()
    problem = nil
    ownedSubject = nil
    if !unknownKeys.isEmpty { unknownKeys.removeAll(keepingCapacity: true) }
    if !repeatedKeys.isEmpty { repeatedKeys.removeAll(keepingCapacity: true) }
    if readsRequests { otherMembers.removeAll() }
    seen = 0
    hasNull = false
    for member in UserMember.allCases { forget(member) }
    // If the record is rejected, its values must be dropped: they may point into memory that is about to be freed.
    var isAccepted = false
    defer { if !isAccepted { forget() } }
    guard let base = record.baseAddress, !record.isEmpty else {
      throw Rejection(reason: "the record is empty")
    }
    var cursor = JSONCursor(base, from: 0, to: record.count)
    do throws(JSONFault) {
      let isObject = cursor.peek() == UInt8(ascii: "{")
      if !isObject {
        try cursor.skipValue(nesting: nesting)
        try cursor.expectEnd()
        problem = Rejection(reason: "a user record must be a JSON object", offset: 0)
      }
      if isObject {
        try cursor.forEachMember(nesting: nesting) { (cursor, key) throws(JSONFault) in
          try member(key, &cursor, &frame)
        }
        try cursor.expectEnd()
      }
    } catch {
      throw Rejection(error, in: record)
    }
    if let problem { throw problem }
    guard subject != .emptyText else {
      let unknown = otherMembers.unknownKeys + unknownKeys
      throw UserRecordReader.missingID(unknown.first(where: UserMember.meansID))
    }
    try readID(&frame)
    fillStatus(&frame)
    if !hasOnlyMembers { derivation?.fill(&frame) }
    if wantsEvents { try answerQuestions(&frame) }
    for slot in ruleSet.storage.unsent { frame.slots[slot] = .missing }
    if hasNull {
      for (slot, _) in ruleSet.program.storage.prepared().attributes {
        frame.slots[slot] = .undeclared
      }
    }
    if let slot = frame.repeatedSlot { repeatedKeys.append(ruleSet.program.name(ofSlot: slot)) }
    if !readsRequests {
      for key in repeatedKeys { notes.add(repeatedKey: key) }
      for key in unknownKeys { notes.add(unknownKey: key) }
      if let status { notes.add(status: status) }
    }
    isAccepted = true
  }

  /// Discards the values of an earlier record, or an earlier value of a repeated key.
  private mutating func forget(_ member: UserMember) {
    switch member {
    case .userID: subject = .emptyText
    case .status: status = nil
    case .entitlements:
      entitlements = nil
      if !ownedEntitlements.isEmpty { ownedEntitlements.removeAll(keepingCapacity: true) }
    case .assignments:
      if !assignments.isEmpty { assignments.removeAll(keepingCapacity: true) }
    case .occurrences:
      if !occurrences.isEmpty { occurrences.removeAll(keepingCapacity: true) }
    case .events: if !events.isEmpty { events = EventHistory() }
    case .sessionStart: sessionStart = nil
    case .user, .device, .params: break
    }
  }

  /// Trims white space from both ends of the ID, if requested.
  private mutating func readID(_ frame: inout Frame) throws(Rejection) {
    // SAFETY: The view of the local cell stays in the closure, and the result is copied. Tests:
    // UserIDTests.
    let isTrimmed = withUnsafePointer(to: subject) { UserID.isTrimmed($0.textBytes) }
    if isTrimmed { return }
    if !readsRequests { notes.add(untrimmedID: subject.text) }
    guard ruleSet.userIDs == .sdk else { return }
    let copy = subject
    let trimmed = withUnsafePointer(to: copy) {
      frame.arena.text(copying: UserID.trimmed($0.textBytes))
    }
    guard let trimmed, trimmed != .emptyText else {
      throw Rejection(reason: "'userId' contains only white space")
    }
    subject = trimmed
  }

  /// Drops the references to the last record's bytes.
  package mutating func forget() {
    subject = .emptyText
    status = nil
    entitlements = nil
    if readsRequests { otherMembers.removeAll() }
  }

  /// Answers the rules' questions about events.
  private func answerQuestions(_ frame: inout Frame) throws(Rejection) {
    guard let platform = ruleSet.language.platform else { return }
    do throws(EvaluationError) {
      try ruleSet.answer(events, at: clock, on: platform, questions, in: &frame)
    } catch {
      throw Rejection(reason: "the events need more memory than the limit allows")
    }
  }

  /// A member that is valid JSON but has the wrong form.
  private var problem: Rejection?

  private mutating func member(
    _ key: JSONCursor.RawString, _ cursor: inout JSONCursor, _ frame: inout Frame
  ) throws(JSONFault) {
    var name = key.hasEscapes ? key.text : ""
    let known =
      key.hasEscapes
      ? name.withUTF8 { UserMember(key: $0) } : UserMember(key: key.bytes)
    guard let known else {
      let start = cursor.at
      let isRead = try frame.fillMember(key, from: &cursor)
      if readsRequests { otherMembers.append(key, at: start, isRead: isRead) }
      if !isRead, !readsRequests || otherMembers.areTooMany { noteUnknown(key) }
      return isRead ? () : try cursor.skipValue(nesting: nesting)
    }
    let bit: UInt32 = 1 << UInt32(known.number)
    if seen & bit != 0, !known.addsUp, !repeatedKeys.contains(known.key) {
      repeatedKeys.append(known.key)
    }
    seen |= bit
    let start = cursor
    guard known.kind == .attributes else {
      // Rules may read a root with this name.
      if try frame.fillMember(key, from: &cursor) { cursor = start }
      if !known.addsUp { forget(known) }
      if known == .userID, cursor.isAtNull { note(UserRecordReader.nullID, start) }
      if try !cursor.takeNull() { note(try read(known, &cursor, &frame), start) }
      return
    }
    if failsOnNull {
      var value = start
      if try value.value(nesting: nesting).containsNull { hasNull = true }
    }
    if try frame.fillMember(key, from: &cursor, nullIsAbsent: true) {
      note(start.isAtNull ? nil : known.mismatch(start), start)
    } else {
      note(try known.pass(&cursor, nesting: nesting), start)
    }
  }

  /// - Parameter other: a key of the record that probably means `userId`.
  private static func missingID(_ other: String?) -> Rejection {
    Rejection(
      reason: other.map {
        "'userId' is missing; is '\(UserMember.short($0))' meant to be 'userId'?"
      } ?? noID)
  }

  /// The reason for refusing a record without an ID, or with an empty one.
  package static let noID = "'userId' is missing; it must be a string that is not empty"

  private static let nullID = "'userId' is null; it must be a string that is not empty"

  /// Stores the first reason why the record is invalid.
  private mutating func note(_ reason: String?, _ cursor: JSONCursor) {
    guard let reason, problem == nil else { return }
    var cursor = cursor
    _ = cursor.peek()
    problem = Rejection(reason: reason, offset: cursor.at)
  }

  private mutating func noteUnknown(_ key: JSONCursor.RawString) {
    guard unknownKeys.count < RecordNotes.limit else { return }
    let key = key.text
    if !unknownKeys.contains(where: { $0.utf8.elementsEqual(key.utf8) }) { unknownKeys.append(key) }
  }

  /// Reads the value of a member that is not a root.
  ///
  /// - Returns: why the value is invalid, or nil.
  private mutating func read(
    _ member: UserMember, _ cursor: inout JSONCursor, _ frame: inout Frame
  ) throws(JSONFault) -> String? {
    switch member {
    case .userID, .status:
      if (member.mismatch(cursor) ?? member.halfCharacter(cursor)) != nil {
        return try member.pass(&cursor, nesting: nesting)
      }
      let text = try cursor.text(in: &frame.arena)
      if member == .userID { subject = text } else { status = text }
      return nil
    case .entitlements:
      if entitlementsSlot != nil {
        var copy = cursor
        entitlements = try copy.cell(in: &frame.arena, nesting: nesting)
      }
      var owned: [String] = []
      let isNeeded = needsEntitlements
      let problem = try member.passTexts(&cursor, nesting: nesting) { text in
        if isNeeded { owned.append(text.text) }
      }
      ownedEntitlements = owned
      return problem
    case .assignments:
      var stored: [Assignment] = []
      let problem = try member.passAssignments(&cursor, nesting: nesting) { stored.append($0) }
      assignments += stored
      return problem
    case .occurrences:
      var series: [EventHistory.Series] = []
      let problem = try readTimes(member, &cursor, &series)
      occurrences += series.map { DecisionState.Occurrences(key: $0.name, times: $0.times) }
      return problem
    case .events where wantsEvents:
      var series: [EventHistory.Series] = []
      let problem = try readTimes(member, &cursor, &series)
      events.merge(series)
      return problem
    case .sessionStart:
      var start: Instant?
      let problem = try member.passTime(&cursor, nesting: nesting) { start = $0 }
      sessionStart = start
      return problem
    case .events, .user, .device, .params: return try member.pass(&cursor, nesting: nesting)
    }
  }

  /// Reads names with their times. If a name is repeated, the last one counts.
  private func readTimes(
    _ member: UserMember, _ cursor: inout JSONCursor, _ series: inout [EventHistory.Series]
  ) throws(JSONFault) -> String? {
    let problem = try member.passTimes(
      &cursor, nesting: nesting,
      name: { series.append(EventHistory.Series(name: $0.text, times: [])) },
      time: { series[series.count - 1].times.append($0) })
    series = series.lastOfRepeated()
    return problem
  }

  private func fill(_ slot: Int?, _ cell: Cell?, _ frame: inout Frame) {
    guard let slot, let cell, !frame.slots[slot].isValue else { return }
    let passed = ruleSet.program.passed(cell, in: &frame.arena)
    if passed.isValue { frame.slots[slot] = passed }
  }

  /// Fills in attributes that `device` lacks from the record's top level.
  private func fillStatus(_ frame: inout Frame) {
    fill(statusSlot, status, &frame)
    fill(entitlementsSlot, entitlements, &frame)
    if let slot = userIDSlot, !frame.slots[slot].isValue { frame.slots[slot] = subject }
  }
}

extension UserRecordReader {
  /// Why a JSON value is not a valid user record, or nil if it is valid.
  ///
  /// - Parameter needsID: whether `userId` is required. Paywall texts can be rendered without a user ID.
  package static func problem(in json: some Sequence<UInt8>, needsID: Bool = true) -> Rejection? {
    // SAFETY: The view of the local array stays in the closure. Tests: UserRecordTests.
    Array(json).withUnsafeBufferPointer { problem(in: $0, needsID: needsID) }
  }

  private static func problem(in record: ByteView, needsID: Bool) -> Rejection? {
    guard let base = record.baseAddress, !record.isEmpty else {
      return Rejection(reason: "the record is empty")
    }
    var cursor = JSONCursor(base, from: 0, to: record.count)
    let nesting = Limits().dataNesting
    var found: Rejection?
    var hasID = false
    var other: String?
    do throws(JSONFault) {
      guard cursor.peek() == UInt8(ascii: "{") else {
        try cursor.skipValue(nesting: nesting)
        return Rejection(reason: "a user record must be a JSON object", offset: 0)
      }
      try cursor.forEachMember(nesting: nesting) { (cursor, key) throws(JSONFault) in
        var name = key.text
        guard let member = name.withUTF8({ UserMember(key: $0) }) else {
          if other == nil, UserMember.meansID(name) { other = name }
          return try cursor.skipValue(nesting: nesting)
        }
        _ = cursor.peek()
        let at = cursor.at
        if member == .userID {
          hasID = !cursor.isAtNull
          if needsID, !hasID, found == nil {
            found = Rejection(reason: nullID, offset: at)
          }
        }
        guard let reason = try member.pass(&cursor, nesting: nesting), found == nil else { return }
        found = Rejection(reason: reason, offset: at)
      }
      try cursor.expectEnd()
    } catch {
      return Rejection(error, in: record)
    }
    return found ?? (needsID && !hasID ? missingID(other) : nil)
  }
}

extension Value {
  /// Whether a member or an element of the value is null, at any depth.
  fileprivate var containsNull: Bool {
    (members?.map { $0.value } ?? elements ?? []).contains { $0 == .null || $0.containsNull }
  }
}
