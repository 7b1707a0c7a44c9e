package import Expressions
internal import RuleEngine

/// A number in a different unit than the name of its attribute suggests.
///
/// `user.session_seconds > 60000`
enum Units: Lint {
  static let page = CodePage(
    .unitMismatch, .warning,
    what: "A number seems to be in another unit than its attribute.",
    why: """
      The name of the attribute contains its unit: percent, seconds, milliseconds, cents. A number that fits \
      another unit better is probably a mistake. The condition then matches nearly every user, or nearly none.
      """,
    example: .condition("user.discount_percent > 0.2"),
    advice: "Write the number in the unit of the attribute.",
    better: .condition("user.discount_percent > 20"))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    subject.conditions.flatMap { condition -> [Diagnostic] in
      let expression = condition.expression
      return expression.relations.flatMap { relation -> [Diagnostic] in
        comparisons(relation, in: expression).flatMap { attribute, literal -> [Diagnostic] in
          guard let path = expression.path(attribute), path.count > 1,
            let number = expression.literal(literal)?.number,
            let mismatch = UnitReading(path[path.count - 1]).mismatch(number)
          else { return [] }
          let name = path.joined(separator: ".")
          return findings(
            message(name, number, mismatch), in: condition, range: expression[literal].range,
            suggestion: mismatch.form.map { "write \($0.shortText), if so" }, subject: name)
        }
      }
    } + calculations(in: subject) + filters(in: subject)
  }

  private static func filters(in subject: LintSubject) -> [Diagnostic] {
    subject.filters.flatMap { placed -> [Diagnostic] in
      let reading = UnitReading(placed.filter.path.last ?? "")
      return placed.values.compactMap { value, path -> Diagnostic? in
        guard let number = value.number, let mismatch = reading.mismatch(number) else { return nil }
        return finding(
          message(placed.filter.field, number, mismatch), at: path,
          suggestion: mismatch.form.map { "write \($0.shortText), if so" },
          subject: placed.filter.field)
      }
    }
  }

  /// The attributes that are compared with numbers, converted or not.
  private static func comparisons(_ relation: Relation, in expression: ParsedExpression)
    -> [(ParsedExpression.ID, ParsedExpression.ID)]
  {
    if let (attribute, literals) = relation.attributeWithLiterals(in: expression) {
      return literals.map { (attribute, $0) }
    }
    return [(relation.left, relation.right), (relation.right, relation.left)].map {
      (expression.unconverted($0), $1)
    }
  }

  private static func message(_ name: String, _ number: Double, _ mismatch: UnitReading.Mismatch)
    -> String
  {
    "'\(name)' is in \(mismatch.unit), and \(number.shortText) looks like \(mismatch.meant)"
  }
}

/// The unit in the name of an attribute.
struct UnitReading {
  private let words: Set<String>
  private let last: String

  init(_ name: String) {
    var words: [String] = []
    var word = ""
    var previous: Character?
    for character in name {
      if character == "_" || character == "-" {
        words.append(word)
        word = ""
      } else {
        if character.isUppercase, previous?.isUppercase == false {
          words.append(word)
          word = ""
        }
        word.append(contentsOf: character.lowercased())
      }
      previous = character
    }
    words.append(word)
    self.words = Set(words.filter { !$0.isEmpty })
    last = words.last { !$0.isEmpty } ?? ""
  }

  func hasAny(_ names: Set<String>) -> Bool { !words.isDisjoint(with: names) }

  private func has(_ names: String...) -> Bool { names.contains(where: words.contains) }

  typealias Mismatch = (unit: String, meant: String, form: Double?)

  /// The unit in the attribute's name, and the unit that a number suggests.
  func mismatch(_ number: Double) -> Mismatch? {
    let size = number.magnitude
    guard size > 0 else { return nil }
    if has("percent", "percentage", "pct") {
      return size < 1 ? ("percent", "a fraction", (number * 100_000).rounded() / 1_000) : nil
    }
    if has("fraction", "ratio", "probability", "likelihood") || isShare {
      return size > 1 && size <= 100 && size == size.rounded() && size >= 2
        ? ("parts of 1", "percent", number / 100) : nil
    }
    if has("cents", "cent", "micros") {
      let isMicros = has("micros")
      guard size != size.rounded() else { return nil }
      let factor: Double = isMicros ? 1_000_000 : 100
      return (isMicros ? "millionths" : "cents", "whole units", (number * factor).rounded())
    }
    return time(size)
  }

  /// Whether the name is that of a share, such as `conversion_rate`. A heart rate is not a share.
  private var isShare: Bool {
    last == "rate"
      && has(
        "conversion", "completion", "churn", "open", "click", "retention", "success", "response",
        "engagement", "renewal", "bounce")
  }

  private func time(_ size: Double) -> Mismatch? {
    let isMilliseconds = has("ms", "msec", "millis", "millisecond", "milliseconds")
    let isSeconds = has("seconds", "second", "secs", "sec") || last == "s" && words.count > 1
    let isEpoch = has("unix", "epoch")
    if isMilliseconds {
      if (1_000_000_000..<3_000_000_000).contains(size),
        has(
          "at", "epoch", "timestamp", "seen", "unix", "date", "time", "last", "created", "updated",
          "started", "expires", "login", "signup")
      {
        return ("milliseconds", "seconds since 1970", size * 1_000)
      }
      let isQuick = has(
        "latency", "load", "response", "ping", "delay", "frame", "animation", "render", "startup",
        "rtt")
      if isQuick || size != size.rounded() { return nil }
      let isSecondsLike =
        size <= 90
        || [120, 180, 300, 600, 900, 1_800, 3_600, 7_200, 86_400, 604_800].contains(size)
      return isSecondsLike ? ("milliseconds", "seconds", size * 1_000) : nil
    }
    if isSeconds || isEpoch {
      if (1_000_000_000_000..<3_000_000_000_000).contains(size) {
        return ("seconds", "milliseconds since 1970", (size / 1_000).rounded())
      }
      return isSeconds && UnitReading.looksLikeMilliseconds(size)
        ? ("seconds", "milliseconds", size / 1_000) : nil
    }
    for (unit, most) in [
      ("minutes", 3_600.0), ("hours", 3_600.0), ("days", 3_600.0), ("weeks", 3_600.0),
      ("months", 3_600.0),
    ]
    where words.contains(unit) {
      let isSecondsLike = [3_600, 7_200, 86_400, 604_800, 2_592_000, 31_536_000].contains(size)
      let isTooMany = !["minutes", "hours"].contains(unit) && size >= 40_000
      if size >= most, isSecondsLike || isTooMany || size >= 3_600_000 {
        return (unit, size >= 3_600_000 ? "milliseconds" : "seconds", nil)
      }
    }
    return nil
  }

  /// Whether a number is a round time in milliseconds but not in seconds.
  private static func looksLikeMilliseconds(_ size: Double) -> Bool {
    guard size >= 30_000, size.truncatingRemainder(dividingBy: 1_000) == 0 else { return false }
    let seconds = size / 1_000
    guard seconds.truncatingRemainder(dividingBy: 30) == 0 else { return false }
    // A number of whole hours or days in seconds is plausible.
    let (hours, days) = (size / 3_600, size / 86_400)
    let isHours =
      hours == hours.rounded() && (hours <= 24 || hours.truncatingRemainder(dividingBy: 12) == 0)
    return !(isHours && days <= 400)
  }
}

extension Diagnostic.Code {
  /// A number in a different unit than its attribute.
  package static let unitMismatch = Self(rawValue: "unit-mismatch")
}
