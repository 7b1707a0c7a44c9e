internal import CivilTime
internal import Expressions
internal import RuleEngine

/// Device attributes that the engine derives from other attributes or from the clock if they are missing.
extension SQLTranslator {
  /// The attribute at a path, if the engine derives it.
  func derivable(_ path: String) -> DeviceAttribute? {
    ruleSet.storage.derived.first { "device.\($0.rawValue)" == path }
  }

  /// The attributes that an attribute is derived from, if the query has them.
  func sources(of path: String) -> [AttributePath] {
    let sources = derivable(path).flatMap { DeviceDerivation.sources(of: $0) } ?? []
    return sources.filter { ruleSet.requirements.contains($0) || isOptional($0) }
  }

  /// Whether the query reads an attribute that no rule reads, because the table may have a column for it.
  private func isOptional(_ source: AttributePath) -> Bool {
    // Only DuckDB has a union by name, which adds the columns that a flat table lacks.
    guard database == .duckdb, columns.names != .structs,
      let slot = ruleSet.program.slot(of: source)
    else { return false }
    return Self.optional.contains(source.description) && columns.columns[slot] != nil
  }

  private static let optional: Set<String> = Set(
    [
      DeviceAttribute.minutesSinceInstall, .minutesSinceLastPaywallView, .appVersion, .sdkVersion,
      .appBuildString, .deviceLocale, .preferredLocale,
    ].map { "device.\($0.rawValue)" })

  /// The derived value of an attribute whose column is NULL; nil if it remains missing.
  mutating func derived(_ path: String, _ kind: SQLColumnKind) throws(SQLRefusal) -> SQLCell? {
    guard let attribute = derivable(path) else { return nil }
    let sources = sources(of: path)
    if attribute.isOfTheMoment {
      guard sources.isEmpty else {
        throw SQLRefusal("'\(path)' depends on the clock and on '\(sources[0])'")
      }
      return try ofTheMoment(attribute, kind)
    }
    guard let source = sources.first else { return nil }
    let refusal = SQLRefusal("'\(path)' is computed from '\(source)' if it is missing")
    guard database == .duckdb, sources.count == 1, let slot = ruleSet.program.slot(of: source),
      let column = columns.columns[slot]
    else { throw refusal }
    if !ruleSet.requirements.contains(source) { optional[source.description] = column.column }
    let text = passed(column.expression, column.column.kind).text
    switch (attribute, column.column.kind) {
    case (.daysSinceInstall, .integer), (.daysSinceLastPaywallView, .integer):
      guard source.names[1].hasPrefix("minutes") else { throw refusal }
      if try derived(source.description, .integer) != nil { throw refusal }
      return known(fact("CASE WHEN \(text) >= 0 THEN \(text) // 1440 END")) { .integer($0) }
    case (.appVersionPadded, .text), (.sdkVersionPadded, .text):
      let width = ruleSet.language.platform == .web ? 4 : 3
      return known(fact(named(text, SQLDerivations.padded(text, width: width)))) { .text($0) }
    case (.deviceLanguageCode, .text), (.preferredLanguageCode, .text):
      return known(fact(named(text, "split_part(replace(\(text), '-', '_'), '_', 1)"))) {
        .text($0)
      }
    case (.regionCode, .text), (.preferredRegionCode, .text):
      return known(fact(named(text, SQLDerivations.region(text)))) { .text($0) }
    case (.appBuildStringNumber, .text):
      let (test, number) = database.integer(text)
      return known(fact("CASE WHEN \(test) THEN \(number) END")) { .integer($0) }
    default: throw refusal
    }
  }

  /// Excludes strings that name bools or numbers, from which no attribute is derived.
  private func named(_ source: String, _ text: String) -> String {
    var tests: [String] = []
    if binding.readsBooleanTexts { tests.append("\(source) NOT IN ('true', 'false')") }
    if binding.readsNumberTexts {
      tests.append(
        "NOT regexp_full_match(\(source), '\(SQLNumbers.pattern)|\(SQLNumbers.nan)')")
    }
    return tests.isEmpty
      ? text : "CASE WHEN \(tests.joined(separator: " AND ")) THEN \(text) END"
  }

  private func known(_ fact: SQLExpression, _ value: (SQLExpression) -> SQLValue) -> SQLCell {
    let isNull = SQLCondition.atom(.isNull(fact.columns[0]), true)
    return SQLCell([(isNull, .fault(.noSuchAttribute)), (!isNull, value(fact))])
  }

  private mutating func ofTheMoment(_ attribute: DeviceAttribute, _ kind: SQLColumnKind)
    throws(SQLRefusal)
    -> SQLCell
  {
    let path = ["device", attribute.rawValue]
    readsClock = true
    let record = DeviceDerivation.complete(
      .object([:]), [attribute], on: ruleSet.language.platform, at: clock)
    switch record.value(at: path) {
    case .int(let number): return SQLCell(.constant(Cell(number)))
    case .string(let text):
      if kind == .time {
        guard let time = try? Timestamp(rfc3339: text) else {
          return SQLCell(.fault(.conversion))
        }
        return SQLCell(
          .time(SQLExpression(text: try literal(time), columns: [])))
      }
      return SQLCell(.text(SQLExpression(text: database.literal(text), columns: [])))
    default: return SQLCell(.fault(.noSuchAttribute))
    }
  }
}

/// The values that DuckDB derives, like ``DeviceDerivation``.
enum SQLDerivations {
  /// A number padded with zeros. Other strings count as 0.
  private static func paddedNumber(_ part: String, width: Int) -> String {
    let digits =
      "CASE WHEN regexp_matches(\(part), '^[0-9]+$') THEN ltrim(\(part), '0') ELSE '' END"
    return "repeat('0', greatest(0, \(width) - length(\(digits)))) || \(digits)"
  }

  /// A padded version, like ``PaddedVersion``.
  static func padded(_ version: String, width: Int) -> String {
    let numbers =
      "array_to_string(list_transform(string_split(split_part(\(version), '-', 1), '.')[1:3], "
      + "lambda part: \(paddedNumber("part", width: width))), '.')"
    let suffix = "substr(\(version), length(split_part(\(version), '-', 1)) + 2)"
    let name = "split_part(\(suffix), '.', 1)"
    let number = "substr(\(suffix), length(\(name)) + 2)"
    return "CASE WHEN NOT contains(\(version), '-') THEN \(numbers) "
      + "WHEN contains(\(suffix), '.') THEN \(numbers) || '-' || \(name) || '.' || "
      + "\(paddedNumber(number, width: width)) ELSE \(numbers) || '-' || \(suffix) END"
  }

  /// The last part of a locale, if it is a region.
  static func region(_ locale: String) -> String {
    let parts =
      "list_filter(string_split(replace(split_part(\(locale), '@', 1), '-', '_'), '_'), "
      + "lambda part: part <> '')"
    return "CASE WHEN len(\(parts)) > 1 AND length_grapheme(\(parts)[-1]) IN (2, 3) "
      + "THEN \(parts)[-1] ELSE '' END"
  }
}
