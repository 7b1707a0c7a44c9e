internal import CivilTime
internal import Expressions
internal import RuleEngine

/// Simulates users over time, one after the other. Each placement of a user can affect the outcomes
/// of later ones.
///
/// All state that changes is in this type and is reset for the next user: the state that decisions
/// read, the events that rules ask about, and the session. Attributes keep the record's values,
/// except for the subscription of a user that subscribes.
struct TrafficUser: ~Copyable {
  // SAFETY: The reader and the frame point into the caller's line until `end()` or `forget()`. A
  // record that is read again is a copy that lies in the frame. Tests: TrafficPartsTests,
  // TrafficTests.

  /// The result of a placement.
  struct Step {
    var choice: TrafficPlan.Choice
    /// The rule that decided the placement.
    var rule: Int?
    /// Rules that failed before the decision, if outcomes are written.
    var errors: [RuleError] = []
    /// Whether a paywall was shown and closed.
    var isDeclined = false
  }

  private let plan: TrafficPlan
  private let program: Program
  private let readsEvents: Bool
  private var frame: Frame
  private var reader: UserRecordReader
  /// Reads a record again, without noting its oddities twice.
  private var again: UserRecordReader
  private(set) var counter: TrafficCounter
  private(set) var state = DecisionState(subjectID: "", now: 0)
  private var events = EventHistory()
  private var clock: HistoryClock
  private var last: Instant?
  /// The current record, if it differs from the record that was read.
  private var record: [UInt8] = []
  /// The parameters in the frame, if they replace the record's parameters.
  private var params: [UInt8]?
  private var purchases = TrafficRandom(seed: 0)
  /// Whether the last closed paywall has not led to a decline yet.
  private var hasDeclined = false

  /// The number of times that are stored per event name, the same as in the SDK.
  static let remembered = 1_000

  init(_ plan: TrafficPlan) {
    self.plan = plan
    program = plan.ruleSet.program
    readsEvents = plan.ruleSet.readsEvents
    frame = Frame(for: plan.ruleSet.program)
    // Questions about events are answered for each placement.
    let never = HistoryClock(now: 0)
    reader = UserRecordReader(plan.ruleSet, at: never)
    again = UserRecordReader(plan.ruleSet, at: never)
    counter = TrafficCounter(plan)
    clock = plan.options.clock
  }

  /// The oddities of the records that were read.
  var notes: RecordNotes { reader.notes }

  mutating func takeSums() -> TrafficSums { counter.take() }

  /// Checks that a line is a user's record. Returns the user's identity.
  mutating func check(_ line: ByteView) throws(UserRecordReader.Rejection) -> String {
    try reader.read(line, into: &frame)
    defer { forget() }
    return reader.subject.text
  }

  // MARK: Users

  /// Begins a user. The record must stay in place until the user ends.
  mutating func begin(_ line: ByteView) throws(UserRecordReader.Rejection) {
    try reader.read(line, into: &frame)
    record = Array(line)
    state = reader.state(now: 0)
    events = reader.events
    last = state.sessionStart
    params = nil
    hasDeclined = false
    purchases = TrafficRandom(seed: plan.options.seed, "purchases", state.subjectID)
  }

  /// Ends a user and adds its counts.
  mutating func end() {
    counter.endUser()
    forget()
  }

  /// Drops the current user without counting it.
  mutating func forget() {
    reader.forget()
    again.forget()
    frame.reset()
  }

  /// Continues with a user that another SDK has decided until now, and drops the other simulation
  /// of this user.
  ///
  /// - Parameter sdk: the number of this SDK's plan.
  mutating func resume(_ other: inout TrafficUser, sdk: Int) {
    counter.resume(&other.counter, sdk: sdk)
    state = other.state
    events = other.events
    last = other.last
    record = other.record
    purchases = other.purchases
    hasDeclined = other.hasDeclined
    let given = other.params
    other.forget()
    // No parameters are empty bytes, so the frame will be filled.
    params = []
    fill(given)
  }

  /// Takes over the counts of another SDK's simulation before a user begins.
  mutating func takeCounts(_ other: inout TrafficUser, sdk: Int) {
    counter.resume(&other.counter, sdk: sdk)
  }

  /// Counts a user whose SDK was updated.
  mutating func countUpdate(at time: Instant) { counter.update(at: time) }

  // MARK: Placements

  /// Triggers a placement. The placements of one user must be in chronological order.
  ///
  /// - Parameter given: the placement's parameters as JSON; nil for the record's parameters.
  mutating func ask(_ place: Int, at time: Instant, params given: [UInt8]? = nil) -> Step {
    counter.begin(at: time)
    let placement = plan.placements[place]
    state.now = time
    clock.now = time
    remember(placement, time)
    fill(given)
    answer(placement.name, time)
    var choice = placement.unmatched
    var stale = -1
    let rule = plan.ruleSet.storage.table.firstMatch(
      of: placement.rules, program, in: &frame, state, &counter)
    if counter.hasAborted {
      choice = placement.aborted
    } else if let rule {
      counter.taken(rule)
      let verdict = plan.ruleSet.storage.assign(rule, state, plan.options.assigner)
      choice = plan.choice(verdict)
      stale = Int(verdict.assignment)
    }
    var step = Step(choice: choice, rule: counter.hasAborted ? nil : rule)
    if counter.hasFailed, plan.options.form != nil {
      step.errors = plan.ruleSet.errors(placement.name, frame: &frame, state: state)
    }
    counter.end(place, choice)
    apply(choice, stale, time)
    if choice.paywall >= 0 { step.isDeclined = !close(choice.paywall, time) }
    return step
  }

  private mutating func apply(
    _ choice: borrowing TrafficPlan.Choice, _ stale: Int, _ time: Instant
  ) {
    if let assignment = choice.stored {
      if stale >= 0 {
        state.assignments[stale] = assignment
      } else {
        state.assignments.append(assignment)
      }
    }
    if choice.firesTrigger { remember(.triggerFire, time) }
    guard let key = choice.occurrence else { return }
    let known = state.occurrences.firstIndex { $0.key.utf8.elementsEqual(key.utf8) }
    if let known {
      state.occurrences[known].times.append(time)
      let surplus = state.occurrences[known].times.count - TrafficUser.remembered
      if surplus > 0 { state.occurrences[known].times.removeFirst(surplus) }
    } else {
      state.occurrences.append(DecisionState.Occurrences(key: key, times: [time]))
    }
  }

  /// Decides whether the user subscribes on a paywall or closes it.
  ///
  /// - Returns: whether the user has subscribed.
  private mutating func close(_ paywall: Int, _ time: Instant) -> Bool {
    remember(.paywallOpen, time)
    let subscribes =
      plan.options.purchaseRate > purchases.fraction() && !owns(plan.entitlements[paywall])
    if subscribes {
      counter.purchase()
      remember(.transactionComplete, time)
      subscribe(plan.entitlements[paywall])
    } else {
      hasDeclined = true
      remember(.paywallDecline, time)
    }
    remember(.paywallClose, time)
    return subscribes
  }

  /// Whether the user already owns the products of a paywall, and therefore does not buy them again.
  ///
  /// - Parameter granted: entitlements of the paywall's products. If there are none, every
  ///   subscriber counts as an owner.
  private func owns(_ granted: [String]) -> Bool {
    guard let user = try? Value.parse(json: record) else { return false }
    let device = user[UserMember.device.key]
    func own(_ attribute: DeviceAttribute, _ member: UserMember) -> Value? {
      let value = device?[attribute.rawValue] ?? .null
      return value == .null ? user[member.key] : value
    }
    let status = own(.subscriptionStatus, .status) ?? .null
    let owned = own(.activeEntitlements, .entitlements)?.elements?.compactMap { $0.text } ?? []
    // Any other status means that the subscription has ended, or never existed.
    guard status == "ACTIVE" || status == .null && !owned.isEmpty else { return false }
    // A subscriber with unknown entitlements counts as an owner.
    if granted.isEmpty || owned.isEmpty { return true }
    return granted.allSatisfy { name in owned.contains { $0.utf8.elementsEqual(name.utf8) } }
  }

  // MARK: History

  /// Adds a triggered placement to the history. The placement may be the first of a session.
  private mutating func remember(_ placement: TrafficPlan.Placement, _ time: Instant) {
    let isNewSession =
      placement.event == .sessionStart
      || last.map { time - $0 > plan.sessionTimeout || time < $0 } ?? true
    if isNewSession {
      counter.beginSession()
      state.sessionStart = time
      remember(.sessionStart, time)
    }
    last = time
    // `session_start` and `paywall_decline` are already added.
    if placement.event == .sessionStart { return }
    if placement.event == .paywallDecline, hasDeclined {
      hasDeclined = false
      return
    }
    remember(placement.name, time)
  }

  private mutating func remember(_ event: SuperwallEventName, _ time: Instant) {
    remember(event.placementName, time)
  }

  private mutating func remember(_ name: String, _ time: Instant) {
    guard readsEvents else { return }
    events.record(name, at: time, keeping: TrafficUser.remembered)
  }

  // MARK: The frame

  /// Fills the frame with the record again, with other parameters than the record's.
  private mutating func fill(_ given: [UInt8]?) {
    let wanted = plan.readsParams ? given : nil
    // Values derived from the clock change with each placement.
    guard wanted != params || plan.answersTakeMemory || again.derivation != nil else { return }
    again.clock = clock
    params = wanted
    var text = record
    if let wanted {
      // If a member appears twice, the last one counts.
      while text.last != UInt8(ascii: "}"), !text.isEmpty { text.removeLast() }
      text.removeLast()
      text += #","params":"#.utf8
      text += wanted
      text.append(UInt8(ascii: "}"))
    }
    let bytes = frame.own(text)
    do throws(UserRecordReader.Rejection) {
      try again.read(bytes, into: &frame)
    } catch {
      // Parameters beyond the memory limit count as missing, so rules that read them do not match.
      frame.reset()
    }
  }

  private mutating func answer(_ placement: String, _ time: Instant) {
    guard readsEvents else { return }
    do throws(EvaluationError) {
      try plan.ruleSet.answer(events, at: clock, placement: (placement, time), in: &frame)
    } catch {
      frame.reset()
    }
  }

  /// Changes the record so that the user is subscribed and owns the purchase.
  private mutating func subscribe(_ entitlements: [String]) {
    guard var user = try? Value.parse(json: record) else { return }
    var owned = state.entitlements
    for value in (user["device"]?["activeEntitlements"] ?? user["entitlements"])?.elements ?? [] {
      if let name = value.text, !owned.contains(name) { owned.append(name) }
    }
    for name in entitlements where !owned.contains(name) { owned.append(name) }
    state.entitlements = owned
    let names = Value.list(owned.map { .string($0) })
    var device = user["device"] ?? .map([])
    device.set(DeviceAttribute.subscriptionStatus.rawValue, to: "ACTIVE")
    device.set(DeviceAttribute.activeEntitlements.rawValue, to: names)
    user.set(UserMember.device.key, to: device)
    user.set(UserMember.status.key, to: "ACTIVE")
    user.set(UserMember.entitlements.key, to: names)
    record = []
    JSONWriter.append(user, to: &record)
    // Later placements read the changed record.
    params = []
    fill(nil)
  }
}

extension Value {
  /// Sets a member of a map, replacing any with the same name.
  fileprivate mutating func set(_ name: String, to value: Value) {
    guard case .map(var entries) = self else {
      self = .map([Entry(key: .string(name), value: value)])
      return
    }
    entries.removeAll { $0.key == .string(name) }
    entries.append(Entry(key: .string(name), value: value))
    self = .map(entries)
  }
}
