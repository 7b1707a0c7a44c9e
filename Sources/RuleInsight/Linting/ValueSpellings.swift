package import Expressions
internal import RuleEngine

/// One attribute is compared with two spellings of what is probably the same value.
///
/// `user.plan == "Pro"` in one audience, `user.plan == "pro"` in others
enum ValueSpellings: Lint {
  static let page = CodePage(
    .valueSpelling, .warning,
    what: "A value, an event or a limit's key has another spelling elsewhere.",
    why:
      "Strings are equal only if all characters are equal, so one of the spellings matches no user.",
    example: .config(config("Pro")),
    advice:
      "Write the value as your apps send it. If both values exist, list them in a schema (--schema).",
    better: .config(config("pro")))

  /// A value as written at some place.
  private struct Use {
    var text: String
    var places: [(condition: Int, range: SourceRange)] = []
  }

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    var order: [[String]] = []
    var uses: [[String]: [Use]] = [:]
    for (number, condition) in subject.conditions.enumerated() {
      let expression = condition.expression
      for relation in expression.relations where !relation.isOrder {
        guard let (attribute, literals) = relation.attributeWithLiterals(in: expression),
          let path = expression.path(attribute), path.count > 1, isOpen(path, subject)
        else { continue }
        if uses[path] == nil { order.append(path) }
        // More values than this are not compared.
        if uses[path]?.count ?? 0 > mostValues { continue }
        for literal in literals {
          guard case .string(let text)? = expression.literal(literal) else { continue }
          let place = (number, expression[literal].range)
          if let known = uses[path]?.firstIndex(where: { $0.text == text }) {
            uses[path]?[known].places.append(place)
          } else {
            uses[path, default: []].append(Use(text: text, places: [place]))
            if uses[path]?.count ?? 0 > mostValues { break }
          }
        }
      }
    }
    return order.flatMap { findings(uses[$0] ?? [], $0, subject) } + filters(in: subject)
      + EventNames.findings(in: subject) + keys(in: subject)
  }

  /// Values of AgentWallie filters.
  private static func filters(in subject: LintSubject) -> [Diagnostic] {
    var order: [[String]] = []
    var uses: [[String]: [Use]] = [:]
    var paths: [String] = []
    for placed in subject.filters {
      let path = placed.filter.path
      guard path.count > 1, isOpen(path, subject), placed.filter.operator != .contains else {
        continue
      }
      if uses[path] == nil { order.append(path) }
      for (value, place) in placed.values.prefix(mostValues) {
        guard let text = value.text, uses[path]?.count ?? 0 <= mostValues else { continue }
        if uses[path]?.contains(where: { $0.text == text }) != true {
          uses[path, default: []].append(Use(text: text))
        }
        let number = uses[path]?.firstIndex { $0.text == text } ?? 0
        // Each filter counts as a separate condition.
        uses[path]?[number].places.append((paths.count, SourceRange(from: 0, to: text.utf8.count)))
        paths.append(place)
      }
    }
    return order.flatMap { path -> [Diagnostic] in
      misspellings(uses[path] ?? []).flatMap { use, usual in
        use.places.map { place in
          finding(
            message(path.joined(separator: "."), use, usual), at: paths[place.condition],
            range: place.range, suggestion: "did you mean \"\(usual.text)\"?",
            subject: path.joined(separator: "."))
        }
      }
    }
  }

  /// Reports keys of occurrence limits that differ only in case.
  private static func keys(in subject: LintSubject) -> [Diagnostic] {
    guard subject.config.format == .superwall else { return [] }
    var known: [String: String] = [:]
    return subject.audiences.compactMap { audience -> Diagnostic? in
      guard let key = audience.occurrenceLimit?.key else { return nil }
      let word = key.lowercased().filter { $0 != "_" && $0 != "-" && $0 != " " }
      guard let first = known[word] else {
        known[word] = key
        return nil
      }
      guard first != key else { return nil }
      return finding(
        "the key \"\(key)\" and \"\(first)\" count separately",
        at: audience.limitPath(subject.config.format) + ".key",
        suggestion: "did you mean \"\(first)\"?", subject: key)
    }
  }

  /// Whether the possible values of an attribute are unknown.
  private static func isOpen(_ path: [String], _ subject: LintSubject) -> Bool {
    guard let attribute = subject.schema.attribute(path) else { return true }
    if case .text(let words) = attribute.kind { return words.isEmpty && path[0] != "device" }
    return false
  }

  /// The maximum number of values of an enumeration.
  private static let mostValues = 40

  private static func findings(_ uses: [Use], _ path: [String], _ subject: LintSubject)
    -> [Diagnostic]
  {
    let name = path.joined(separator: ".")
    return misspellings(uses).flatMap { use, usual in
      use.places.flatMap { place in
        findings(
          message(name, use, usual), in: subject.conditions[place.condition], range: place.range,
          suggestion: "did you mean \"\(usual.text)\"?", subject: name)
      }
    }
  }

  private static func message(_ name: String, _ use: Use, _ usual: Use) -> String {
    "'\(name)' is compared with \"\(use.text)\" here and with \"\(usual.text)\" elsewhere"
  }

  /// The values that are probably misspellings, with the intended values.
  private static func misspellings(_ uses: [Use]) -> [(use: Use, usual: Use)] {
    guard uses.count > 1, uses.count <= mostValues else { return [] }
    return uses.enumerated().compactMap { number, use in
      let usual = uses.enumerated().first {
        $0.offset != number && isMisspelling(use, of: $0.element, isBehind: $0.offset < number)
      }
      return usual.map { (use, $0.element) }
    }
  }

  /// - Parameter isBehind: whether the other spelling comes first in the config.
  private static func isMisspelling(_ use: Use, of other: Use, isBehind: Bool) -> Bool {
    let conditions = Set(use.places.map { $0.condition })
    // A condition that contains both spellings does so deliberately.
    guard conditions.isDisjoint(with: other.places.map({ $0.condition })) else { return false }
    let (count, otherCount) = (use.places.count, other.places.count)
    if NearNames.isSameWord(use.text, other.text) {
      return count < otherCount || count == otherCount && isBehind
    }
    return count == 1 && otherCount > 1 && NearNames.isSlip(use.text, of: other.text)
  }

  private static func config(_ value: String) -> String {
    """
    {"trigger_options": [{"event_name": "p", "rules": [
      {"experiment_id": "1", "experiment_group_id": "g", "expression_cel": "user.plan == 'pro'",
       "variants": [{"variant_id": "v", "variant_type": "HOLDOUT", "percentage": 100}]}]},
     {"event_name": "q", "rules": [
      {"experiment_id": "2", "experiment_group_id": "g", "expression_cel": "user.plan == '\(value)'",
       "variants": [{"variant_id": "w", "variant_type": "HOLDOUT", "percentage": 100}]}]}]}
    """
  }
}

extension Diagnostic.Code {
  /// A value that other conditions spell differently.
  package static let valueSpelling = Self(rawValue: "value-spelling")
}
