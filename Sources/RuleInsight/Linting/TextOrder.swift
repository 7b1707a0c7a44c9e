package import Expressions
internal import RuleEngine

/// Versions are compared as strings, letter by letter.
///
/// `device.appVersion >= "3.10.0"`: "3.9.0" is greater, because 9 is greater than 1.
enum TextOrder: Lint {
  static let page = CodePage(
    .textOrder, .warning,
    what: "Versions are compared letter by letter.",
    why: """
      Strings are ordered by their characters: "3.9.0" is greater than "3.10.0", because "9" is \
      greater than "1". So the condition is wrong for some versions.
      """,
    example: .condition(#"device.appVersion >= "3.10.0""#),
    advice: """
      Compare appVersionPadded or sdkVersionPadded: SDKs pad these versions with zeros, so that they sort \
      correctly. In CEL, version(a) >= version(b) compares versions.
      """,
    better: .condition(#"device.appVersionPadded >= "003.010.000""#))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    subject.conditions.flatMap { condition in
      condition.expression.relations.flatMap { relation in
        finding(relation, condition, subject.language)
      } + beginnings(in: condition, subject.language)
    }
  }

  private static func finding(
    _ relation: Relation, _ condition: LintSubject.Condition, _ language: RuleLanguage
  ) -> [Diagnostic] {
    let expression = condition.expression
    guard let (attribute, literals) = relation.attributeWithLiterals(in: expression),
      let path = expression.path(attribute), let name = path.last
    else { return [] }
    let isPadded = isPadded(path)
    guard isPadded || relation.isOrder else { return [] }
    return literals.flatMap { literal -> [Diagnostic] in
      let digits = language.platform == .web ? 4 : 3
      let isAlone = hasPadded(path) || isPadded || name.lowercased().hasSuffix("version")
      guard case .string(let text)? = expression.literal(literal),
        let version = Version(text, isAlone: isAlone)
      else {
        return isPadded
          ? unlike(literal, path, condition, digits)
          : numbers(literal, relation, path, condition, language)
      }
      let padded = version.padded(digits)
      if isPadded {
        if relation.isOrder, version.isPast(digits) {
          return findings(
            "'\(name)' has \(digits) digits in every part; \"\(text)\" has more, and longer parts "
              + "do not sort as numbers", in: condition, range: expression[literal].range,
            suggestion: "compare parts of at most \(digits) digits, or appBuildStringNumber",
            subject: path.joined(separator: "."))
        }
        guard text != padded, !padded.hasPrefix(text + ".") else { return [] }
        return findings(
          "'\(name)' has \(digits) digits in every part, as in \"\(padded)\"; strings are ordered "
            + "letter by letter", in: condition, range: expression[literal].range,
          suggestion: "write \"\(padded)\"",
          fix: replacing(literal, by: padded, expression, isSafe: true),
          subject: path.joined(separator: "."))
      }
      // A separate lint checks dates.
      guard !version.isOrderedAsText,
        name.lowercased().contains("version") || DateText(text) == nil,
        let other = version.counterexample
      else { return [] }
      return findings(
        "strings are ordered letter by letter: \(other) than \"\(text)\"",
        in: condition, range: expression[relation.id].range,
        suggestion: advice(expression, attribute, path, literal, padded, language),
        fix: fix(expression, attribute, path, literal, padded, language),
        subject: path.joined(separator: "."))
    }
  }

  private static func isPadded(_ path: [String]) -> Bool {
    path[0] == "device" && path.last?.hasSuffix("VersionPadded") == true
  }

  /// Reports a string that cannot equal any padded version, such as "v3.10.0".
  private static func unlike(
    _ literal: ParsedExpression.ID, _ path: [String], _ condition: LintSubject.Condition,
    _ digits: Int
  ) -> [Diagnostic] {
    guard case .string(let text)? = condition.expression.literal(literal), let first = text.first,
      !first.isNumber
    else { return [] }
    let form = [Int](repeating: 1, count: 3).map {
      String(repeating: "0", count: digits - 1) + "\($0)"
    }
    return findings(
      "'\(path.joined(separator: "."))' begins with a digit, as in \"\(form.joined(separator: "."))\"; "
        + "\"\(text)\" does not", in: condition, range: condition.expression[literal].range,
      subject: path.joined(separator: "."))
  }

  /// Reports beginnings of padded versions: `device.appVersionPadded.startsWith("3.")`.
  private static func beginnings(in condition: LintSubject.Condition, _ language: RuleLanguage)
    -> [Diagnostic]
  {
    let expression = condition.expression
    let digits = language.platform == .web ? 4 : 3
    var found: [Diagnostic] = []
    expression.visit { id, _ in
      guard let call = expression.call(id), call.name == "startsWith", let target = call.target,
        let path = expression.path(target), isPadded(path), let literal = call.arguments.first,
        case .string(let text)? = expression.literal(literal)
      else { return }
      let fits = text.prefix((digits + 1) * 3 - 1).enumerated().allSatisfy { place, character in
        place % (digits + 1) == digits ? character == "." : character.isNumber
      }
      // "3" is the beginning of all numbers from 300 to 399.
      let isShort = text.count < digits && !text.hasPrefix("0") && !text.isEmpty
      guard !fits || isShort else { return }
      let number = text.last == "." ? String(text.dropLast()) : text
      let isNumber = number.allSatisfy { $0.isNumber }
      let padded =
        isNumber ? Version(number, isAlone: true)?.padded(digits).prefix(digits + 1) : nil
      found += findings(
        "'\(path.joined(separator: "."))' has \(digits) digits in every part, and never begins with "
          + "\"\(text)\"", in: condition, range: expression[literal].range,
        suggestion: padded.map { "write \"\($0)\"" }, subject: path.joined(separator: "."))
    }
    return found
  }

  /// Reports a number in quotes: as a string, "9" is greater than "10".
  private static func numbers(
    _ literal: ParsedExpression.ID, _ relation: Relation, _ path: [String],
    _ condition: LintSubject.Condition, _ language: RuleLanguage
  ) -> [Diagnostic] {
    let isBuild = path == ["device", "appBuildString"]
    guard relation.isOrder, path[0] != "device" || isBuild,
      case .string(let text)? = condition.expression.literal(literal), let number = Double(text),
      number.isFinite, text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
      // Years and numbers with leading zeros sort correctly.
      !(text.count == 4 && (1_900...2_100).contains(number)), text == "0" || !text.hasPrefix("0")
    else { return [] }
    return findings(
      "strings are ordered letter by letter, and numbers are not strings: this compares with the string "
        + "\"\(text)\"", in: condition, range: condition.expression[literal].range,
      suggestion: isBuild
        ? "write device.appBuildStringNumber and \(text) without quotes"
        : "write \(text) without quotes", subject: path.joined(separator: "."))
  }

  private static func hasPadded(_ path: [String]) -> Bool {
    path == ["device", "appVersion"] || path == ["device", "sdkVersion"]
  }

  private static func advice(
    _ expression: ParsedExpression, _ attribute: ParsedExpression.ID, _ path: [String],
    _ literal: ParsedExpression.ID, _ padded: String, _ language: RuleLanguage
  ) -> String {
    if language == .cel {
      return "write version(\(expression.text(attribute))) and version(\(expression.text(literal)))"
    }
    return hasPadded(path)
      ? "compare \(path.joined(separator: "."))Padded with \"\(padded)\""
      : "compare a number, or a string with leading zeros"
  }

  private static func fix(
    _ expression: ParsedExpression, _ attribute: ParsedExpression.ID, _ path: [String],
    _ literal: ParsedExpression.ID, _ padded: String, _ language: RuleLanguage
  ) -> Diagnostic.Fix? {
    if language == .cel {
      let edits = [attribute, literal].map {
        Diagnostic.Fix.Edit(expression[$0].range, "version(\(expression.text($0)))")
      }
      return Diagnostic.Fix(edits.sorted { $0.range.from < $1.range.from }, isSafe: false)
    }
    guard hasPadded(path), let name = expression.lastName(attribute), let last = path.last,
      var fix = replacing(literal, by: padded, expression, isSafe: false)
    else { return nil }
    fix.edits.append(Diagnostic.Fix.Edit(name, last + "Padded"))
    fix.edits.sort { $0.range.from < $1.range.from }
    return fix
  }

  private static func replacing(
    _ literal: ParsedExpression.ID, by text: String, _ expression: ParsedExpression, isSafe: Bool
  ) -> Diagnostic.Fix? {
    Diagnostic.Fix(
      [Diagnostic.Fix.Edit(expression[literal].range, "\"\(text)\"")], isSafe: isSafe)
  }

  /// A version: numbers and dots, optionally with a suffix.
  private struct Version {
    private let parts: [Substring]
    private let suffix: Substring

    /// - Parameter isAlone: whether a single number counts too.
    init?(_ text: String, isAlone: Bool) {
      let end = text.firstIndex { !($0.isASCII && ($0.isNumber || $0 == ".")) } ?? text.endIndex
      let parts = text[..<end].split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count > 1 || isAlone, parts.allSatisfy({ !$0.isEmpty && $0.count < 10 }) else {
        return nil
      }
      self.parts = parts
      suffix = text[end...]
      guard suffix.isEmpty || suffix.hasPrefix("-") else { return nil }
    }

    /// The version with every part padded to this many digits.
    func padded(_ digits: Int) -> String {
      var parts = parts.prefix(3).map { part -> String in
        let number = String(part.drop { $0 == "0" })
        return String(repeating: "0", count: max(0, digits - number.count)) + number
      }
      while parts.count < 3 { parts.append(String(repeating: "0", count: digits)) }
      return parts.joined(separator: ".") + String(suffix)
    }

    /// Whether a part is longer than the padding. Years have the same length in all versions.
    func isPast(_ digits: Int) -> Bool {
      parts.enumerated().contains { place, part in
        let number = part.drop { $0 == "0" }
        return number.count > digits && !(place == 0 && number.count == 4 && number.hasPrefix("20"))
      }
    }

    /// Whether the version's parts have a fixed width, as in padded versions and dates.
    var isOrderedAsText: Bool {
      let widths = parts.map { $0.count }
      let isDate = widths[0] == 4 && widths.dropFirst().allSatisfy { $0 == 2 }
      return isDate || widths[0] > 2 && widths.allSatisfy { $0 == widths[0] }
    }

    /// Another version that sorts differently as a string than as a version; nil if there is none.
    var counterexample: String? {
      // 9 is less than 10, but it sorts after 10 as a string.
      if let place = parts.firstIndex(where: { $0.count > 1 && $0.first ?? "9" < "9" }) {
        return "\"\(replacing(place, by: "9"))\" is greater"
      }
      guard let place = parts.firstIndex(where: { $0 != "0" && $0 != "1" }) else { return nil }
      let larger = "1" + String(repeating: "0", count: parts[place].count)
      return "\"\(replacing(place, by: larger))\" is less"
    }

    private func replacing(_ place: Int, by part: String) -> String {
      let behind = [String](repeating: "0", count: parts.count - place - 1)
      return (parts[..<place].map(String.init) + [part] + behind).joined(separator: ".")
    }
  }
}

extension Diagnostic.Code {
  /// Versions or numbers are compared letter by letter.
  package static let textOrder = Self(rawValue: "text-order")
}
