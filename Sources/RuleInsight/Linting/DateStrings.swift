internal import CivilTime
package import Expressions
internal import RuleEngine

/// A date or a time is compared as a string whose order is not chronological.
///
/// `user.renews_on < "01.02.2026"`: strings order by the day first.
enum DateStrings: Lint {
  static let page = CodePage(
    .dateForm, .warning,
    what: "A date or a time is compared as a string that does not sort by time.",
    why: """
      Strings are compared character by character. "01.02.2026" is less than "15.01.2026", because the day \
      comes first. Dates such as 2026-02-01 and times such as 09:00 have the right order. SDKs send \
      device.localDate as 2026-02-01, and device.localTime as 09:00:00.
      """,
    example: .condition(#"user.renews_on > "01.02.2026""#),
    advice: """
      Send and compare dates as 2026-02-01 and times as 09:00. In CEL, compare times with date() and \
      timestamp().
      """,
    better: .condition(#"user.renews_on > "2026-02-01""#))

  /// The content of a device attribute.
  private enum Clock {
    case date, time, dateTime

    init?(_ path: [String]) {
      guard path.count == 2 else { return nil }
      switch (path[0], path[1]) {
      case ("device", "localDate"), ("device", "utcDate"): self = .date
      case ("device", "localTime"), ("device", "utcTime"): self = .time
      case ("device", "localDateTime"), ("device", "utcDateTime"), ("device", "appInstallDate"),
        ("user", "applicationInstalledAt"):
        self = .dateTime
      default: return nil
      }
    }

    var form: String {
      switch self {
      case .date: "2026-02-01"
      case .time: "09:00:00"
      case .dateTime: "2026-02-01T09:00:00"
      }
    }
  }

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    subject.conditions.flatMap { condition -> [Diagnostic] in
      let expression = condition.expression
      return expression.relations.flatMap { relation -> [Diagnostic] in
        guard let (attribute, literals) = relation.attributeWithLiterals(in: expression),
          let path = expression.path(attribute)
        else { return [] }
        return literals.flatMap { literal -> [Diagnostic] in
          guard case .string(let text)? = expression.literal(literal), !text.isEmpty,
            let problem = problem(text, path, isOrder: relation.isOrder, subject)
          else { return [] }
          return findings(
            problem.message, in: condition, range: expression[literal].range,
            suggestion: problem.form.map { "write \"\($0)\"" }, subject: path.joined(separator: ".")
          )
        }
      }
    }
  }

  private typealias Problem = (message: String, form: String?)

  private static func problem(
    _ text: String, _ path: [String], isOrder: Bool, _ subject: LintSubject
  ) -> Problem? {
    if let clock = Clock(path) {
      // For users' own records, apps choose the format.
      return problem(text, clock, path.joined(separator: "."), isOrder: isOrder)
    }
    guard isOrder, !(path.last ?? "").lowercased().contains("version") else { return nil }
    if let date = DateText(text) { return problem(text, date) }
    if let month = month(text) {
      let problem = month.isFirst ? "sorts by the month first" : "needs two digits for the month"
      return ("\"\(text)\" \(problem); compare months as \(month.form)", month.form)
    }
    if let problem = CalendarName.problem(text, path.last ?? "") { return problem }
    guard let form = ClockText.padded(text), form != text else { return nil }
    return ("strings sort letter by letter: \"\(text)\" needs two digits for the hour", form)
  }

  /// Rewrites `03/2026` and `2026-3` as `2026-03`.
  private static func month(_ text: String) -> (form: String, isFirst: Bool)? {
    let parts = text.split(omittingEmptySubsequences: false) { "/-".contains($0) }
    let numbers = parts.compactMap { Int($0) }
    guard parts.count == 2, numbers.count == 2 else { return nil }
    let isFirst = parts[1].utf8.count == 4
    let (month, year) = isFirst ? (numbers[0], numbers[1]) : (numbers[1], numbers[0])
    guard (1...12).contains(month), (1_970...2_100).contains(year),
      isFirst ? parts[0].utf8.count <= 2 : parts[1].utf8.count == 1
    else { return nil }
    return ("\(year)-\(month < 10 ? "0" : "")\(month)", isFirst)
  }

  private static func problem(_ text: String, _ date: DateText) -> Problem? {
    let advice = "; compare dates as 2026-02-01, or with date() in CEL"
    switch date.form {
    case .dayFirst: return ("\"\(text)\" sorts by the day first" + advice, date.iso)
    case .monthFirst: return ("\"\(text)\" sorts by the month first" + advice, date.iso)
    case .inWords: return ("\"\(text)\" does not sort by time" + advice, date.iso)
    case .yearFirst:
      if let problem = date.problem { return (problem, date.nearest) }
      // With two digits everywhere, the order is right with any separator.
      let head = text.prefix { $0.isNumber || "-./".contains($0) }
      if let time = date.rest.dropFirst().split(separator: ":").first, time.utf8.count == 1 {
        let form = "\(date.iso)\(date.rest.prefix(1))0\(date.rest.dropFirst())"
        return ("strings sort letter by letter: \"\(text)\" needs two digits for the hour", form)
      }
      return head.utf8.count == 10
        ? nil
        : ("\"\(text)\" needs two digits for months and days to sort by time" + advice, date.iso)
    }
  }

  private static func problem(_ text: String, _ clock: Clock, _ name: String, isOrder: Bool)
    -> Problem?
  {
    let message = "'\(name)' is written as \(clock.form), and \"\(text)\" is not"
    switch clock {
    case .date:
      return dateProblem(text, isWhole: !isOrder, message, allowsTime: isOrder)
    case .dateTime:
      return dateProblem(text, isWhole: !isOrder, message, allowsTime: true)
    case .time:
      if ClockText.isOrdered(text, isWhole: !isOrder) { return nil }
      return (message, ClockText.padded(text).map { $0 + (isOrder ? "" : ":00") })
    }
  }

  private static func dateProblem(
    _ text: String, isWhole: Bool, _ message: String, allowsTime: Bool
  ) -> Problem? {
    if let date = DateText(text) {
      guard date.isISO, date.rest.first != " " else {
        let time = date.rest.dropFirst()
        return (message, allowsTime && !time.isEmpty ? "\(date.iso)T\(time)" : date.iso)
      }
      if let problem = date.problem { return (problem, date.nearest) }
      return date.rest.isEmpty || allowsTime ? nil : (message, date.iso)
    }
    // A year, or a year and a month, are enough for a chronological order.
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let isPrefix =
      !isWhole && parts.count <= 2 && parts[0].count == 4 && Int(parts[0]) != nil
      && parts.dropFirst().allSatisfy { $0.count == 2 && (1...12).contains(Int($0) ?? 0) }
    return isPrefix ? nil : (message, nil)
  }
}

/// A part of the calendar in a string, such as `Q1 2026`, `March` or `Monday`.
private enum CalendarName {
  private static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
  ]
  private static let days = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
  ]

  static func problem(_ text: String, _ name: String) -> (message: String, form: String?)? {
    let lower = text.lowercased()
    if let form = yearFirst(lower) {
      return (
        "\"\(text)\" does not sort by time, because the year is last; compare as \(form)", form
      )
    }
    for (names, unit) in [(months, "month"), (days, "day")] {
      let isAbout = name.lowercased().contains(unit)
      guard
        let place = names.firstIndex(where: {
          $0 == lower && ($0.count > 3 || isAbout)
            || isAbout && lower.count == 3 && $0.hasPrefix(lower)
        })
      else { continue }
      return (
        "\"\(text)\" sorts by its letters and not by time; compare the number of the \(unit), \(place + 1)",
        nil
      )
    }
    return nil
  }

  /// Rewrites `q1 2026` as `2026-Q1`, and `h2/2026` as `2026-H2`.
  private static func yearFirst(_ text: String) -> String? {
    let parts = text.split { " /-.'".contains($0) }
    guard parts.count == 2 || parts.count == 1, let first = parts.first, let kind = first.first,
      "qh".contains(kind), let number = Int(first.dropFirst().prefix(1)),
      number >= 1, number <= (kind == "q" ? 4 : 2)
    else { return nil }
    let rest = parts.count == 2 && first.count == 2 ? String(parts[1]) : String(first.dropFirst(2))
    guard let year = Int(rest), (1_970...2_100).contains(year) else { return nil }
    return "\(year)-\(kind.uppercased())\(number)"
  }
}

/// A time of day in a string.
private enum ClockText {
  /// Whether a string sorts correctly with the SDKs' times, such as `09:00:00`.
  static func isOrdered(_ text: String, isWhole: Bool) -> Bool {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard isWhole ? parts.count == 3 : (1...3).contains(parts.count) else { return false }
    for (part, limit) in zip(parts, [24, 59, 59]) {
      guard part.count == 2, let number = Int(part), (0...limit).contains(number) else {
        return false
      }
    }
    return true
  }

  /// Rewrites `9:00`, `9 am` and `9:00 AM` as `09:00`, and `6pm` as `18:00`; nil if the string is
  /// not a time.
  static func padded(_ text: String) -> String? {
    var rest = text.lowercased().filter { $0 != " " && $0 != "." }[...]
    var shift: Int?
    if rest.hasSuffix("am") { shift = 0 }
    if rest.hasSuffix("pm") { shift = 12 }
    if shift != nil { rest = rest.dropLast(2) }
    let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
    guard shift != nil && parts.count == 1 || (2...3).contains(parts.count) else { return nil }
    var numbers: [Int] = []
    for (part, limit) in zip(parts, [24, 59, 59]) {
      guard (1...2).contains(part.count), let number = Int(part), (0...limit).contains(number)
      else {
        return nil
      }
      numbers.append(number)
    }
    if let shift { numbers[0] = numbers[0] % 12 + shift }
    if numbers.count == 1 { numbers.append(0) }
    return numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }
}

extension Diagnostic.Code {
  /// A date or a time is compared as a string whose order is not chronological.
  package static let dateForm = Self(rawValue: "date-form")
}
