internal import CivilTime
internal import Expressions
internal import RuleEngine

/// One user after the other over time: what they are asked for, in order, changes what they get next.
///
/// All that changes is here and goes when the next user begins: the state that decisions read, the
/// events that rules ask about, the session. Attributes stay as the record has them, but for the
/// subscription of somebody who subscribes.
struct TrafficUser: ~Copyable {
  // SAFETY: The reader and the frame point into the caller's line until `end()` or `forget()`. A
  // record that is read again is a copy that lies in the frame. Tests: TrafficPartsTests,
  // TrafficTests.

  /// What came of a placement.
  struct Step {
    var choice: TrafficPlan.Choice
    /// The rule that decided.
    var rule: Int?
    /// Rules that failed on the way, where outcomes are written.
    var errors: [RuleError] = []
    /// Whether a paywall was shown and closed.
    var isDeclined = false
  }

  private let plan: TrafficPlan
  private let program: Program
  private let readsEvents: Bool
  private var frame: Frame
  private var reader: UserRecordReader
  /// Reads a record again. What is odd about it was noted already.
  private var again: UserRecordReader
  private(set) var counter: TrafficCounter
  private(set) var state = DecisionState(subjectID: "", now: 0)
  private var events = EventHistory()
  private var clock: HistoryClock
  private var last: Instant?
  /// The record as it is by now, when it is not that which was read.
  private var record: [UInt8] = []
  /// What the frame holds in place of the record's parameters.
  private var params: [UInt8]?
  private var purchases = TrafficRandom(seed: 0)
  /// Whether the paywall that was closed last has been declined by nothing else yet.
  private var hasDeclined = false

  /// How many times of one name are remembered, as by the SDK.
  static let remembered = 1_000

  init(_ plan: TrafficPlan) {
    self.plan = plan
    program = plan.ruleSet.program
    readsEvents = plan.ruleSet.readsEvents
    frame = Frame(for: plan.ruleSet.program)
    // What happened is asked for at each placement.
    let never = HistoryClock(now: 0)
    reader = UserRecordReader(plan.ruleSet, at: never)
    again = UserRecordReader(plan.ruleSet, at: never)
    counter = TrafficCounter(plan)
    clock = plan.options.clock
  }

  /// What is odd about the records that were read.
  var notes: RecordNotes { reader.notes }

  mutating func takeSums() -> TrafficSums { counter.take() }

  /// Whether a line is a user's record.
  mutating func check(_ line: ByteView) throws(UserRecordReader.Rejection) -> String {
    try reader.read(line, into: &frame)
    defer { forget() }
    return reader.subject.text
  }

  // MARK: Users

  /// Begins a user, whose record stays where it is until the user ends.
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

  /// Ends a user with all that was counted.
  mutating func end() {
    counter.endUser()
    forget()
  }

  /// Lets go of a user.
  mutating func forget() {
    reader.forget()
    again.forget()
    frame.reset()
  }

  // MARK: Placements

  /// Asks for a placement. Those of one user come in the order of their times.
  ///
  /// - Parameter given: the placement's parameters as JSON; nil for those of the record.
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
    if let rule {
      counter.taken(rule)
      let verdict = plan.ruleSet.storage.assign(rule, state, plan.options.assigner)
      choice = plan.choice(verdict)
      stale = Int(verdict.assignment)
    }
    var step = Step(choice: choice, rule: rule)
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

  /// The user who sees a paywall subscribes or closes it.
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

  /// Whether the user has what a paywall sells, and so does not buy it again.
  ///
  /// - Parameter granted: entitlements of the paywall's products; of a paywall without any, every subscriber
  ///   has what it sells.
  private func owns(_ granted: [String]) -> Bool {
    guard let user = try? Value.parse(json: record) else { return false }
    let device = user[UserMember.device.key]
    func own(_ attribute: DeviceAttribute, _ member: UserMember) -> Value? {
      let value = device?[attribute.rawValue] ?? .null
      return value == .null ? user[member.key] : value
    }
    let status = own(.subscriptionStatus, .status) ?? .null
    let owned = own(.activeEntitlements, .entitlements)?.elements?.compactMap(\.text) ?? []
    // Any other status says that a subscription has ended, or that there was none.
    guard status == "ACTIVE" || status == .null && !owned.isEmpty else { return false }
    // A subscriber of whom no more is known has what there is.
    if granted.isEmpty || owned.isEmpty { return true }
    return granted.allSatisfy { name in owned.contains { $0.utf8.elementsEqual(name.utf8) } }
  }

  // MARK: What happened

  /// Takes in that a placement is asked for: it may be the first of a session.
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
    // These two are there already.
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

  /// Puts the record into the frame anew, with other parameters than its own.
  private mutating func fill(_ given: [UInt8]?) {
    let wanted = plan.readsParams ? given : nil
    // What is derived from the clock is another at each placement.
    guard wanted != params || plan.answersTakeMemory || again.derivation != nil else { return }
    again.clock = clock
    params = wanted
    var text = record
    if let wanted {
      // Of a member that appears twice the last one counts.
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
      // Parameters past the memory limit count as not there: rules that read them do not match.
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

  /// The record says from now on that the user is subscribed, and owns what was bought.
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
    // Whatever is asked next is read from it.
    params = []
    fill(nil)
  }
}

extension Value {
  /// Gives a map a member, in place of any that it has by the name.
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
