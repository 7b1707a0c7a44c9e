package import Expressions
internal import RuleEngine

/// An occurrence limit that allows no occurrence.
///
/// `"occurrence": {"key": "k", "max_count": 0, "interval": {"type": "INFINITY"}}`
enum OccurrenceLimits: Lint {
  static let page = CodePage(
    .limitNeverHolds, .error,
    what: "An occurrence limit allows no occurrence at all.",
    why: "The audience never takes a user, whatever its condition says.",
    example: .audience(
      #""occurrence": {"key": "k", "max_count": 0, "interval": {"type": "INFINITY"}}"#),
    advice: "Write the number of allowed occurrences. To disable an audience, remove it.",
    better: .audience(
      #""occurrence": {"key": "k", "max_count": 1, "interval": {"type": "INFINITY"}}"#))

  /// The page of a limit that has no effect.
  static let otherPage = CodePage(
    .limitAlwaysHolds, .warning,
    what: "The interval of an occurrence limit is zero.",
    why: "No earlier occurrence counts, so the limit has no effect.",
    example: .audience(
      """
      "occurrence": {"key": "k", "max_count": 1,
                     "interval": {"type": "MINUTES", "minutes": 0}}
      """),
    advice: "Write a positive number of minutes, or INFINITY for all time, or remove the limit.",
    better: .audience(
      """
      "occurrence": {"key": "k", "max_count": 1,
                     "interval": {"type": "MINUTES", "minutes": 1440}}
      """))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    subject.audiences.compactMap { audience -> Diagnostic? in
      guard let limit = audience.occurrenceLimit else { return nil }
      let isSuperwall = subject.config.format == .superwall
      let path = audience.limitPath(subject.config.format)
      if limit.maxCount <= 0 {
        // In older AgentWallie configs, a cap is a single word.
        let count = path + (isSuperwall ? ".max_count" : ".limit")
        return finding(
          "a limit of \(limit.maxCount) lets no user through: the audience never matches",
          at: subject.root.value(at: count) == nil ? path : count,
          suggestion: "write a maximum of at least 1, or remove the audience")
      }
      guard case .minutes(let minutes) = limit.interval else { return nil }
      guard minutes <= 0 else {
        return otherUnit(Double(minutes), limit.key, at: "\(path).interval.minutes")
      }
      return Diagnostic(
        otherPage.code,
        "an interval of \(minutes) minutes has no occurrences, so the limit stops no user",
        severity: otherPage.severity, path: "\(path).interval.minutes",
        suggestion: "write a positive number of minutes or INFINITY, or remove the limit")
    }
  }
}

extension OccurrenceLimits {
  /// Words in keys that name an interval, its minutes, and the numbers for this interval in other units.
  private static let intervals: [(words: [String], minutes: Double, others: Set<Double>)] = [
    (["hour", "hourly"], 60, [1, 3_600, 3_600_000]),
    (["day", "daily"], 1_440, [1, 24, 86_400, 86_400_000]),
    (["week", "weekly"], 10_080, [1, 7, 168, 604_800, 604_800_000]),
    (["month", "monthly"], 43_200, [1, 30, 31, 720, 744, 2_592_000, 2_678_400]),
  ]

  /// Reports an interval whose number is in another unit: `"once_per_day"` with 24 minutes.
  private static func otherUnit(_ minutes: Double, _ key: String, at path: String) -> Diagnostic? {
    let words = key.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    // `once-per-60-days` names another interval.
    guard !words.contains(where: { $0.contains { $0.isNumber } }) else { return nil }
    guard
      let interval = intervals.first(where: { $0.words.contains(where: words.contains) }),
      interval.others.contains(minutes)
    else { return nil }
    return Diagnostic(
      .unitMismatch,
      "the interval of '\(key)' is in minutes, and \(minutes.shortText) looks like another unit",
      severity: .warning, path: path, suggestion: "write \(interval.minutes.shortText), if so")
  }
}

extension Diagnostic.Code {
  /// An occurrence limit that allows no occurrence.
  package static let limitNeverHolds = Self(rawValue: "limit-never-holds")
  /// An occurrence limit that has no effect.
  package static let limitAlwaysHolds = Self(rawValue: "limit-always-holds")
}
