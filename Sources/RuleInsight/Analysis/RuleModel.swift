internal import CivilTime
internal import Expressions
internal import RuleEngine

/// The conditions of a rule set in the form of an analysis, without duplicates.
struct RuleModel {
  let model: ConditionModel
  /// The number of each rule's condition in the model; nil for a rule that matches every user or
  /// does not compile.
  let conditionOf: [Int?]
  /// The model's conditions that are true for all devices from now on.
  let dates: Range<Int>

  init(_ ruleSet: RuleSet, now: Instant) {
    var places: [[UInt8]: Int] = [:]
    var filterPlaces: [[Filter]: Int] = [:]
    var sources: [ConditionModel.Source] = []
    conditionOf = ruleSet.rules.map { rule -> Int? in
      guard !rule.isBroken, rule.entry != nil else { return nil }
      if let expression = rule.audience.expression {
        let key = Array(expression.utf8)
        let place = places[key] ?? sources.count
        if place == sources.count { sources.append(.expression(expression)) }
        places[key] = place
        return place
      }
      let place = filterPlaces[rule.audience.filters] ?? sources.count
      if place == sources.count { sources.append(.filters(rule.audience.filters)) }
      filterPlaces[rule.audience.filters] = place
      return place
    }
    let firstDate = sources.count
    sources += RuleModel.dates(of: ruleSet, from: now).map { .expression($0) }
    dates = firstDate..<sources.count
    model = ConditionModel(
      ruleSet.environment, sources
    ) { ruleSet.answers(to: $0) }
  }

  /// Conditions that are true for every device from now on, because the date that a device reports
  /// is not in the past.
  private static func dates(of ruleSet: RuleSet, from now: Instant) -> [String] {
    let day: Int64 = 86_400_000
    // In some time zones the date is still yesterday's.
    guard let yesterday = (now - day).text else { return [] }
    return ["utcDate", "localDate", "utcDateTime", "localDateTime"].filter { name in
      ruleSet.requirements.contains(AttributePath(["device", name]))
    }.map { "device.\($0) >= \"\(yesterday.prefix(10))\"" }
  }
}
