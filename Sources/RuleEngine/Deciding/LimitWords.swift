internal import CivilTime

/// Occurrence limits in words.
package enum LimitWords {
  /// The limit in words: `at most 2 times in 24 hours`.
  package static func describe(_ limit: OccurrenceLimit) -> String {
    let most = limit.maxCount == 1 ? "at most once" : "at most \(limit.maxCount) times"
    return switch limit.interval {
    case .infinity: "\(most) ever"
    case .session: "\(most) in a session"
    case .minutes(let minutes): "\(most) in \(describe(minutes: minutes, isLast: false))"
    }
  }

  /// The count, times and limit:
  /// `shown 2 times in the last 24 hours (2026-02-28 19:05, 2026-03-01 08:40), at most 2, counted as 'export_free'`.
  ///
  /// - Parameter times: the times of the occurrences, in order.
  package static func describe(_ limit: OccurrenceLimit, times: [Instant], _ clock: HistoryClock)
    -> String
  {
    describe(limit, count: times.count, list(times, clock)) + ", counted as '\(limit.key)'"
  }

  /// The count and the limit: `shown 2 times in the last 24 hours, at most 2`.
  package static func describe(_ limit: OccurrenceLimit, count: Int, _ when: String = "") -> String
  {
    let most = "at most \(limit.maxCount)"
    let span = span(limit.interval)
    return switch (count, limit.interval) {
    case (0, .infinity): "never shown, \(most)"
    case (0, _): "not shown \(span), \(most)"
    default: "shown \(count == 1 ? "once" : "\(count) times") \(span)\(when), \(most)"
    }
  }

  /// The limit in words: `2 in 24 hours`, `1 in a session`, `3 ever`.
  package static func short(_ limit: OccurrenceLimit) -> String {
    switch limit.interval {
    case .infinity: "\(limit.maxCount) ever"
    case .session: "\(limit.maxCount) in a session"
    case .minutes(let minutes): "\(limit.maxCount) in \(describe(minutes: minutes, isLast: false))"
    }
  }

  /// The limit in words: `at most 2 in the last 24 hours, counted as 'export_free'`.
  package static func rule(_ limit: OccurrenceLimit) -> String {
    "at most \(limit.maxCount) \(limit.interval == .infinity ? "ever" : span(limit.interval)), "
      + "counted as '\(limit.key)'"
  }

  private static func span(_ interval: OccurrenceLimit.Interval) -> String {
    switch interval {
    case .infinity: "so far"
    case .session: "in this session"
    case .minutes(let minutes): "in the last \(describe(minutes: minutes, isLast: true))"
    }
  }

  /// Minutes as days or hours if they are whole. A day is 24 hours.
  ///
  /// - Parameter isLast: whether the words follow "the last", as in "the last hour". A single unit then has no number.
  private static func describe(minutes: Int, isLast: Bool) -> String {
    func counted(_ number: Int, _ unit: String, one: String) -> String {
      number == 1 ? (isLast ? unit : one) : "\(number) \(unit)s"
    }
    if minutes > 1_440, minutes % 1_440 == 0 { return "\(minutes / 1_440) days" }
    if minutes > 0, minutes % 60 == 0 { return counted(minutes / 60, "hour", one: "an hour") }
    return counted(minutes, "minute", one: "a minute")
  }

  /// The maximum number of times to list.
  private static let shown = 5

  /// The times: ` (09:00, 11:30 and 3 more)`, with dates unless all are on the day of the decision.
  private static func list(_ times: [Instant], _ clock: HistoryClock) -> String {
    guard !times.isEmpty else { return "" }
    let days = Set(times.map { day($0, clock) })
    let today = day(clock.now, clock)
    var texts = times.prefix(shown).map { time in
      days.count > 1 ? "\(day(time, clock)) \(clockTime(time, clock))" : clockTime(time, clock)
    }
    if days.count == 1, days.first != today { texts[0] = "\(day(times[0], clock)) \(texts[0])" }
    let more = times.count > shown ? " and \(times.count - shown) more" : ""
    return " (\(texts.joined(separator: ", "))\(more))"
  }

  private static func day(_ time: Instant, _ clock: HistoryClock) -> String {
    let date = clock.civil(time).date
    return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))"
  }

  private static func clockTime(_ time: Instant, _ clock: HistoryClock) -> String {
    let civil = clock.civil(time)
    return "\(padded(civil.hour, 2)):\(padded(civil.minute, 2))"
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
