public import CivilTime
public import Expressions
package import Pricing

/// The time from which questions about past events count back, and the time zone of the calendar.
public struct HistoryClock: Hashable, Sendable {
  public var now: Instant
  package let zone: TimeZoneRules

  /// Creates a clock in UTC.
  public init(now: Instant) {
    self.now = now
    zone = .utc
  }

  /// Creates a clock in a time zone of the IANA database. The result is nil if the time zone does not exist.
  public init?(now: Instant, timeZone: String) {
    guard let zone = TimeZones.zone(named: timeZone) else { return nil }
    self.now = now
    self.zone = zone
  }

  /// The date and time in the clock's zone.
  func civil(_ time: Instant) -> CivilTime {
    CivilTime(
      secondsSince1970: time.seconds, nanosecond: Int(time.millisecondOfSecond) * 1_000_000,
      offset: zone.offset(atUTC: time.seconds))
  }
}

/// The events of one subject, by name and time. Rules can read the time since an event and the number of events.
///
/// The history contains only recorded events. SDKs record a placement before they evaluate its rules, so record it
/// first to get the same counts. Events after the time of a question are not counted, and no time has passed since
/// them.
///
/// ```swift
/// let audience = Audience(
///   index: 0, experimentID: "e", expression: #"device.daysSince("app_open") >= 7"#)
/// let config = Config(placements: [Placement(name: "p", audiences: [audience])])
/// let rules = try RuleSet.compile(config).get()
/// var events = EventHistory()
/// events.record("app_open", at: 1_771_675_200_000)
/// var frame = Frame(for: rules.program)
/// try frame.fill(["user": [:], "device": [:]])
/// try rules.answer(events, at: HistoryClock(now: 1_772_366_400_000), in: &frame)
/// let state = DecisionState(subjectID: "u1", now: 1_772_366_400_000)
/// rules.steps("p", frame: &frame, state: state)[0].reason  // .matched
/// ```
public struct EventHistory: Hashable, Sendable {
  /// The times of the events with one name.
  struct Series: Hashable, Sendable {
    var name: String
    var times: [Instant]
    /// The number of events before the known times.
    var earlier = 0
  }

  private(set) var series: [Series] = []

  public init() {}

  /// Creates a history from the events of each name, and the number of earlier events. Each name must appear only once.
  package init(_ events: [(name: String, times: [Instant], earlier: Int)]) {
    series = events.map { Series(name: $0.name, times: $0.times, earlier: $0.earlier) }
  }

  /// Whether the history has no events.
  public var isEmpty: Bool { series.isEmpty }

  /// Adds an event that was fired at a time.
  public mutating func record(_ name: String, at time: Instant) { record(name, at: [time]) }

  /// Adds series of events. Each name must appear only once.
  mutating func merge(_ more: [Series]) {
    let more = more.filter { !$0.times.isEmpty }
    guard !series.isEmpty else {
      series = more
      return
    }
    var places: [[UInt8]: Int] = [:]
    for (i, known) in series.enumerated() { places[[UInt8](known.name.utf8)] = i }
    for new in more {
      if let known = places[[UInt8](new.name.utf8)] {
        series[known].times += new.times
      } else {
        series.append(new)
      }
    }
  }

  /// Adds an event, and drops the oldest events of its name beyond the limit.
  package mutating func record(_ name: String, at time: Instant, keeping limit: Int) {
    guard let known = series.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
      series.append(Series(name: name, times: [time]))
      return
    }
    series[known].times.append(time)
    let surplus = series[known].times.count - limit
    if surplus > 0 { series[known].times.removeFirst(surplus) }
  }

  public mutating func record(_ name: String, at times: [Instant]) {
    guard !times.isEmpty else { return }
    if let known = series.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
      series[known].times += times
    } else {
      series.append(Series(name: name, times: times))
    }
  }

  /// The history without events of one name at this time or later.
  func before(_ time: Instant, _ name: String) -> EventHistory {
    var history = self
    for i in series.indices where series[i].name.utf8.elementsEqual(name.utf8) {
      history.series[i].times.removeAll { $0 >= time }
    }
    return history
  }

  /// The times of the past events of one name.
  private func times(of name: String, at clock: HistoryClock) -> [Instant] {
    let all = series.first { $0.name.utf8.elementsEqual(name.utf8) }?.times ?? []
    return all.contains { $0 > clock.now } ? all.filter { $0 <= clock.now } : all
  }

  /// The number of events of one name before the known times.
  private func earlier(_ name: String?) -> Int {
    guard let name else { return 0 }
    return series.first { $0.name.utf8.elementsEqual(name.utf8) }?.earlier ?? 0
  }
}

// MARK: Questions

extension EventHistory {
  /// The answer of a platform's SDK to a question of a rule.
  ///
  /// Superwall-iOS counts completed calendar units, and windows of 60 minutes, 24 hours, 7 and 30 days.
  /// Superwall-Android takes minutes modulo 60 and hours modulo 24, subtracts calendar fields for months and years, and
  /// counts since the same time one calendar unit ago. On Android, the time since an event that never happened is 0;
  /// other platforms return null. Superwall-Web ignores the arguments of the functions: times are null, and counts are
  /// the number of `trigger_fire` events.
  package func answer(to question: HostQuestion, at clock: HistoryClock, on platform: Platform)
    -> Value
  {
    switch question.argument {
    case .text(let event): return reply(question.function, event, clock, platform)
    case .anyOther: return reply(question.function, nil, clock, platform)
    case .anyKnown:
      return .map(
        series.filter { !times(of: $0.name, at: clock).isEmpty }.map { series in
          Value.Entry(
            key: .string(series.name),
            value: reply(question.function, series.name, clock, platform))
        })
    }
  }

  private func reply(
    _ function: String, _ event: String?, _ clock: HistoryClock, _ platform: Platform
  ) -> Value {
    if let kind = ComputedProperty.Kind(functionName: function) {
      return value(kind, event, clock, platform) ?? (platform == .android ? 0 : .null)
    }
    if function == "requestReview" { return true }
    return reviewRequests(function, clock).map { .int(Int64($0)) } ?? .null
  }

  /// The device attribute of a computed property, or nil if the event was never fired.
  package func value(
    of property: ComputedProperty, at clock: HistoryClock, on platform: Platform
  ) -> Value? {
    // The Web SDK's attributes do not come from the history.
    guard platform != .web, !times(of: property.eventName, at: clock).isEmpty else { return nil }
    return value(property.kind, property.eventName, clock, platform)
  }

  /// The value of a computed property. Nil for the time since an event that never happened.
  private func value(
    _ kind: ComputedProperty.Kind, _ event: String?, _ clock: HistoryClock, _ platform: Platform
  ) -> Value? {
    let times =
      platform == .web ? triggersOnWeb(clock) : event.map { self.times(of: $0, at: clock) } ?? []
    let number: Int
    switch kind {
    case .placementsSinceInstall:
      number = times.count + (platform == .web ? 0 : earlier(event))
    case .placementsInHour: number = count(times, .hour, clock, platform)
    case .placementsInDay: number = count(times, .day, clock, platform)
    case .placementsInWeek: number = count(times, .week, clock, platform)
    case .placementsInMonth: number = count(times, .month, clock, platform)
    case .minutesSince, .hoursSince, .daysSince, .monthsSince, .yearsSince:
      guard platform != .web, let last = times.max() else { return nil }
      number =
        platform == .android
        ? clock.androidUnits(kind, since: last) : clock.wholeUnits(kind, since: last)
    }
    return .int(Int64(number))
  }

  /// Superwall-Web remembers the last 2,000 events of any name.
  private func triggersOnWeb(_ clock: HistoryClock) -> [Instant] {
    let times = times(of: "trigger_fire", at: clock)
    let all = series.flatMap { $0.times }.filter { $0 <= clock.now }
    guard all.count > 2_000 else { return times }
    let oldest = all.sorted(by: >)[1_999]
    return times.filter { $0 >= oldest }
  }

  /// The time span in which events count.
  fileprivate enum Window {
    case hour, day, week, month, year
  }

  private func count(
    _ times: [Instant], _ window: Window, _ clock: HistoryClock, _ platform: Platform
  ) -> Int {
    let start =
      platform == .android ? clock.calendarStart(window.unit) : clock.now - window.milliseconds
    return times.reduce(0) { $0 + ($1 >= start ? 1 : 0) }
  }

  /// The number of requested reviews. Superwall-Android stores the event `review_requested` when it requests a review.
  private func reviewRequests(_ function: String, _ clock: HistoryClock) -> Int? {
    let times = times(of: "review_requested", at: clock)
    switch function {
    case "reviewRequestsInHour": return count(times, .hour, clock, .android)
    case "reviewRequestsInDay": return count(times, .day, clock, .android)
    case "reviewRequestsInWeek": return count(times, .week, clock, .android)
    case "reviewRequestsInMonth": return count(times, .month, clock, .android)
    case "reviewRequestsInYear": return count(times, .year, clock, .android)
    case "reviewRequestsSinceInstall": return times.count + earlier("review_requested")
    default: return nil
    }
  }
}

extension EventHistory.Window {
  /// The length of the window in Superwall-iOS and Superwall-Web.
  fileprivate var milliseconds: Int64 {
    switch self {
    case .hour: 3_600_000
    case .day: 86_400_000
    case .week: 7 * 86_400_000
    case .month: 30 * 86_400_000
    case .year: 365 * 86_400_000
    }
  }

  fileprivate var unit: CalendarUnit {
    switch self {
    case .hour: .hours(1)
    case .day: .days(1)
    case .week: .days(7)
    case .month: .months(1)
    case .year: .months(12)
    }
  }
}

extension RuleSet {
  /// Answers the rules' questions about a subject's events in a frame that already contains the subject's attributes.
  /// Device attributes that audiences compute from events replace the device's attributes with the same names.
  ///
  /// - Parameters:
  ///   - events: the subject's events.
  ///   - clock: when the rules are evaluated.
  ///   - placement: the placement to decide, and when it was recorded. The attribute with the time since this placement
  ///     ignores this last event and uses the previous event. Functions count the last event.
  ///   - frame: a frame of ``program``, filled with the subject's attributes.
  public func answer(
    _ events: EventHistory, at clock: HistoryClock,
    placement: (name: String, time: Instant)? = nil, in frame: inout Frame
  ) throws(EvaluationError) {
    guard let platform = language.platform else { return }
    try answer(events, at: clock, on: platform, questions, in: &frame)
    guard let placement else { return }
    var earlier: EventHistory?
    for (slot, property) in computed
    where property.kind.isTime && property.eventName.utf8.elementsEqual(placement.name.utf8) {
      let history = earlier ?? events.before(placement.time, placement.name)
      earlier = history
      let value = history.value(of: property, at: clock, on: platform)
      frame.slots[slot] = if case .int(let number)? = value { Cell(number) } else { .missing }
    }
  }

  /// The names of the events that rules ask about, without duplicates. Nil means all events.
  package var eventNames: [String]? {
    guard language.platform != .web else { return nil }
    var names: [String] = []
    func add(_ name: String) {
      if !names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { names.append(name) }
    }
    for question in questions {
      switch question.argument {
      case .text(let name): add(name)
      case .anyKnown: return nil
      case .anyOther: break
      }
    }
    for property in computed { add(property.property.eventName) }
    // The functions about reviews count this event, whatever their arguments.
    if !questions.isEmpty { add("review_requested") }
    return names
  }

  /// Whether any rule asks about events.
  public var readsEvents: Bool { !questions.isEmpty || !computed.isEmpty }

  func answer(
    _ events: EventHistory, at clock: HistoryClock, on platform: Platform,
    _ questions: [HostQuestion], in frame: inout Frame
  ) throws(EvaluationError) {
    let isSilent = storage.profile?.has(.nullTimes) ?? false
    for (number, question) in questions.enumerated() {
      let asksTime =
        ComputedProperty.Kind.allCases.first { $0.functionName == question.function }?.isTime
        ?? false
      try frame.answer(
        number,
        with: isSilent && asksTime
          ? .null : events.answer(to: question, at: clock, on: platform))
    }
    for (slot, property) in computed {
      guard case .int(let number)? = events.value(of: property, at: clock, on: platform) else {
        continue
      }
      frame.slots[slot] = Cell(number)
    }
  }
}

extension RuleSet {
  /// The answers for subjects without any events, by slot.
  package func answersWithoutEvents(at clock: HistoryClock, in frame: inout Frame)
    -> [(slot: Int, cell: Cell)]
  {
    let slots = program.questionSlots
    guard !slots.isEmpty else { return [] }
    frame.reset()
    do throws(EvaluationError) {
      try answer(EventHistory(), at: clock, in: &frame)
    } catch {
      // Without memory for answers, all answers stay null, the initial value of a frame.
    }
    return slots.map { ($0, frame.slots[$0]) }
  }
}

extension [EventHistory.Series] {
  /// Drops all but the last series of a repeated name, as for repeated keys in a JSON object.
  func lastOfRepeated() -> [EventHistory.Series] {
    guard count > 1 else { return self }
    if count <= 16 {
      let isAgain = indices.contains { i in
        self[(i + 1)...].contains { $0.name.utf8.elementsEqual(self[i].name.utf8) }
      }
      if !isAgain { return self }
    }
    var last: [[UInt8]: Int] = [:]
    for (i, series) in enumerated() { last[[UInt8](series.name.utf8)] = i }
    return last.count == count ? self : last.values.sorted().map { self[$0] }
  }
}
