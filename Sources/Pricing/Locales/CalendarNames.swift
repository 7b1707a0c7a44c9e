/// Names of months and days, and counted hours, minutes and seconds, in a language.
package struct CalendarNames: Hashable, Sendable {
  private let names: [String]
  private let times: [PeriodWords.Forms]
  private let periods: PeriodWords

  init(_ names: [Substring], times: [Substring], _ periods: PeriodWords) {
    self.names = names.map(String.init)
    self.times = times.map { PeriodWords.Forms($0) }
    self.periods = periods
  }

  /// The name of a month, 1 to 12.
  package func month(_ number: Int, isShort: Bool) -> String {
    name(number - 1, isShort ? 12 : 0)
  }

  /// The name of a day of the week, where 0 means Sunday.
  package func weekday(_ number: Int, isShort: Bool) -> String {
    name(24 + number, isShort ? 7 : 0)
  }

  /// A name, or its short form. The short form is stored as empty if it equals the name.
  private func name(_ place: Int, _ distance: Int) -> String {
    let name = names[place + distance]
    return name.isEmpty ? names[place] : name
  }

  /// A number with its unit, `second` to `year`: `3 Stunden`. The result is nil for other units, and for numbers above
  /// the maximum of a period.
  package func counted(_ unit: String, _ count: Int64, isShort: Bool) -> String? {
    guard let number = Int(exactly: count), 0...Period.maximumCount ~= number else { return nil }
    if let unit = Period.Unit(unit) {
      return periods.text(Period(known: unit, number), isShort ? .short : .long)
    }
    guard let place = ["hour", "minute", "second"].firstIndex(of: unit) else { return nil }
    var buffer = TextBuffer(capacity: 64)
    periods.write(number, times[place * 2 + (isShort ? 0 : 1)], to: &buffer)
    return buffer.text
  }
}

extension PriceLocale {
  /// The names in this locale's language. Store the names, and use them for all dates.
  package var calendarNames: CalendarNames {
    let index = LocaleIndex.shared
    let locale = index.locale(line)
    return CalendarNames(
      index.dateNames.fields(locale.dateNames), times: index.timeWords.fields(locale.timeWords),
      periods)
  }
}
