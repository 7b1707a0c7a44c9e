internal import CivilTime
internal import Expressions

/// A date, or a time of day, as people write it in a string.
struct DateText {
  /// The order of a date's numbers.
  enum Form {
    case yearFirst, dayFirst, monthFirst, inWords
  }

  let form: Form
  let year: Int
  let month: Int
  let day: Int
  /// Whether months and days have two digits and the separators are `-`.
  let isISO: Bool
  /// The part after the date, such as `T10:00`.
  let rest: Substring

  /// Reads a date such as `01.02.2026`, `2026-2-1`, `12/25/2026` or `1 Jan 2026`.
  init?(_ text: String) {
    if let words = DateText.words(text) {
      (year, month, day) = words
      (form, isISO, rest) = (.inWords, false, "")
      return
    }
    let date = text.prefix { $0.isASCII && ($0.isNumber || "-./".contains($0)) }
    let rest = text.dropFirst(date.count)
    guard rest.isEmpty || rest.first == "T" || rest.first == " " || rest.first == "t" else {
      return nil
    }
    let parts = date.split(omittingEmptySubsequences: false) { !$0.isNumber }
    let separators = Set(date.filter { !$0.isNumber })
    let numbers = parts.compactMap { Int($0) }
    guard parts.count == 3, numbers.count == 3, separators.count == 1 else { return nil }
    let widths = parts.map { $0.count }
    let isShort = widths.allSatisfy { $0 <= 2 } && separators == ["/"] && widths[2] == 2
    if widths[0] == 4, widths[1] <= 2, widths[2] <= 2, DateText.isYear(numbers[0]) {
      (year, month, day) = (numbers[0], numbers[1], numbers[2])
      form = .yearFirst
      isISO = widths == [4, 2, 2] && separators == ["-"]
    } else if isShort
      || widths[2] == 4 && widths[0] <= 2 && widths[1] <= 2 && DateText.isYear(numbers[2])
    {
      let isMonthFirst = separators == ["/"] ? numbers[0] <= 12 : numbers[1] > 12
      year = isShort ? 2_000 + numbers[2] : numbers[2]
      (month, day) = isMonthFirst ? (numbers[0], numbers[1]) : (numbers[1], numbers[0])
      form = isMonthFirst ? .monthFirst : .dayFirst
      isISO = false
      guard (1...31).contains(day), (1...12).contains(month) else { return nil }
    } else {
      return nil
    }
    self.rest = rest
  }

  private static func isYear(_ number: Int) -> Bool { (1970...2100).contains(number) }

  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]
  private static let longMonths = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
  ]

  private static let days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

  /// Reads a date with a word for the month: `1 Jan 2026`, `January 1, 2026`, `Thu, 1 Jan 2026`,
  /// `January 2026`.
  private static func words(_ text: String) -> (Int, Int, Int)? {
    var parts = text.lowercased().split { " ,.-".contains($0) }
    // The day may have an ending, as in `4th`.
    parts = parts.map { part in
      let isOrdinal =
        part.first?.isNumber == true && ["st", "nd", "rd", "th"].contains(part.suffix(2))
      return isOrdinal ? part.dropLast(2) : part
    }
    if parts.count == 4, days.contains(String(parts[0].prefix(3))) { parts.removeFirst() }
    // A month without a day means its first day.
    if parts.count == 2, longMonths.contains(where: { $0.hasPrefix(parts[0]) }) {
      parts.append("1")
    }
    guard parts.count == 3,
      let place = parts.firstIndex(where: { $0.count >= 3 && months.contains(String($0.prefix(3))) }
      ),
      let month = months.firstIndex(of: String(parts[place].prefix(3)))
    else { return nil }
    let numbers = parts.compactMap { Int($0) }
    guard numbers.count == 2, let year = numbers.first(where: isYear),
      let day = numbers.first(where: { (1...31).contains($0) })
    else { return nil }
    return (year, month + 1, day)
  }

  /// The date in ISO form.
  var iso: String { DateText.iso(year, month, day) }

  private static func iso(_ year: Int, _ month: Int, _ day: Int) -> String {
    func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(year)-\(padded(month))-\(padded(day))"
  }

  /// The reason why the date does not exist in the calendar; nil if it exists.
  var problem: String? {
    guard (1...12).contains(month) else { return "there is no month \(month) in '\(iso)'" }
    let last = CivilDate.days(inMonth: month, of: year)
    return (1...last).contains(day) ? nil : "there is no date '\(iso)': the month has \(last) days"
  }

  /// The last existing date before a date that the calendar does not have.
  var nearest: String {
    guard (1...12).contains(month) else { return DateText.iso(year, 12, 1) }
    return DateText.iso(year, month, min(max(day, 1), CivilDate.days(inMonth: month, of: year)))
  }
}
