/// English words for periods, as in the attributes of the systems.
enum PeriodNames {
  /// Superwall's `period`: the unit, but 7 days are a week, and 2, 3 and 6 months have names. Any other count is left
  /// out: 2 years are "year".
  static func period(_ period: Period) -> StaticString {
    switch (period.unit, period.count) {
    case (.day, 7): "week"
    case (.day, _): "day"
    case (.week, _): "week"
    case (.month, 2): "2 months"
    case (.month, 3): "quarter"
    case (.month, 6): "6 months"
    case (.month, _): "month"
    case (.year, _): "year"
    }
  }

  /// Superwall's `periodly`: the name with "ly" after it (also "dayly"), or "every" before it.
  static func periodly(_ period: Period) -> StaticString {
    switch (period.unit, period.count) {
    case (.day, 7): "weekly"
    case (.day, _): "dayly"
    case (.week, _): "weekly"
    case (.month, 2): "every 2 months"
    case (.month, 3): "quarterly"
    case (.month, 6): "every 6 months"
    case (.month, _): "monthly"
    case (.year, _): "yearly"
    }
  }

  /// The correct adverb for a unit: daily, weekly, monthly or yearly.
  static func adverb(_ unit: Period.Unit) -> StaticString {
    switch unit {
    case .day: "daily"
    case .week: "weekly"
    case .month: "monthly"
    case .year: "yearly"
    }
  }

  static func unit(_ unit: Period.Unit) -> StaticString {
    switch unit {
    case .day: "day"
    case .week: "week"
    case .month: "month"
    case .year: "year"
    }
  }

  /// Writes Tollgate's `periodAdverb`: the frequency with the count: "daily", "quarterly", "every 2 weeks".
  static func writeAdverb(_ period: Period, to buffer: inout TextBuffer) {
    let period = period.normalized
    if period.count == 1 {
      buffer.append(adverb(period.unit))
    } else if period.unit == .month, period.count == 3 {
      buffer.append("quarterly")
    } else {
      buffer.append("every ")
      writeCounted(period, to: &buffer)
    }
  }

  /// Writes the words after "every": "month", "3 months".
  static func writeEvery(_ period: Period, to buffer: inout TextBuffer) {
    if period.count == 1 {
      buffer.append(unit(period.unit))
    } else {
      writeCounted(period, to: &buffer)
    }
  }

  /// Whether the names contain the number of units of a period: one, or 7 days, or 2, 3 and 6 months.
  static func tellCount(of period: Period) -> Bool {
    switch (period.unit, period.count) {
    case (_, 1), (.day, 7), (.month, 2), (.month, 3), (.month, 6): true
    default: false
    }
  }

  /// Writes the count and the unit: "1 day", "3 months".
  static func writeCounted(_ period: Period, to buffer: inout TextBuffer) {
    buffer.append(period.count)
    buffer.append(UInt8(ascii: " "))
    buffer.append(unit(period.unit))
    if period.count != 1 { buffer.append(UInt8(ascii: "s")) }
  }
}

extension Period {
  /// The count and the unit in words: "1 day", "3 months".
  package var words: String {
    var buffer = TextBuffer(capacity: 16)
    PeriodNames.writeCounted(self, to: &buffer)
    return buffer.text
  }
}
