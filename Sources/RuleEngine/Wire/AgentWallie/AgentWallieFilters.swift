internal import Expressions

/// Reads filters. An unusable filter is reported, and is never true.
extension AgentWallieDecoder {
  package static let filterKeys = ["field", "operator", "value", "conjunction"].map {
    ConfigKey($0)
  }

  mutating func filter(_ element: ConfigElement) -> Filter {
    var filter = Filter(field: "", operator: nil)
    guard element.isObject, let field = log.text("field", of: element) else {
      if !element.isObject {
        log.report(
          .decodeFailure, "a filter must be a JSON object", at: element.path, peers: log.rejected)
      }
      return filter
    }
    log.checkKeys(of: element, Self.filterKeys)
    filter.field = field
    if element.member("conjunction") != nil {
      filter.conjunction = log.word(
        "conjunction", of: element, default: .and, peers: log.rejected)
    }
    filter.operator = filterOperator(element)
    filter.value = filterValue(element, filter.operator)
    if let `operator` = filter.operator, let value = filter.value {
      checkValue(`operator`, value, element)
    }
    return filter
  }

  private mutating func filterOperator(_ element: ConfigElement) -> Filter.Operator? {
    guard let text = log.text("operator", of: element) else { return nil }
    if let known = Filter.Operator(rawValue: text) { return known }
    let known = Filter.Operator.allCases.map { $0.rawValue }
    log.report(
      .decodeFailure, "'\(text)' is not an operator; the filter is never true",
      at: element.memberPath("operator"),
      suggestion: Suggestion.closest(to: text, among: known).map { "did you mean \($0)?" }
        ?? "write \(known.joined(separator: ", "))", peers: log.rejected)
    return nil
  }

  /// Reads a boolean, a number, a string or a list of strings. Whole numbers become ints, even if written as 2.0.
  private mutating func filterValue(_ element: ConfigElement, _ operator: Filter.Operator?)
    -> Value?
  {
    let needsNone = `operator` == .exists || `operator` == .notExists
    guard let member = element.member("value") else {
      if needsNone {
        log.missing(
          "value", "a bool, a number, a string or a list of strings", element, meaning: nil)
      } else {
        log.report(
          .decodeFailure, "'value' is missing; the filter is never true", at: element.path,
          peers: log.rejected)
      }
      return nil
    }
    switch member.value {
    case .bool, .string: return member.value
    case .int, .uint, .double: return member.wholeNumber.map { .int(Int64($0)) } ?? member.value
    case .list(let values)
    where values.allSatisfy({ if case .string = $0 { true } else { false } }):
      return member.value
    default:
      log.report(
        .decodeFailure,
        needsNone
          ? "'value' must be a bool, a number, a string or a list of strings"
          : "'value' must be a bool, a number, a string or a list of strings; the filter is never true",
        severity: needsNone ? .warning : .error, at: member.path, peers: log.rejected)
      return nil
    }
  }

  /// Reports valid filters that are always or never true.
  private mutating func checkValue(
    _ operator: Filter.Operator, _ value: Value, _ element: ConfigElement
  ) {
    var isList = false
    var isText = false
    switch value {
    case .list: isList = true
    case .string: isText = true
    default: break
    }
    let problem: String?
    switch `operator` {
    case .greaterThan, .greaterOrEqual, .lessThan, .lessOrEqual:
      let isNumber =
        value.typeName == "int" || value.typeName == "double" || value.typeName == "uint"
      problem = isNumber ? nil : "only numbers have an order"
    case .in, .notIn: problem = isList ? nil : "'\(`operator`.rawValue)' needs a list of strings"
    case .contains:
      problem = !isText ? "'contains' needs a string" : value == "" ? "the string is empty" : nil
    case .is: problem = isList ? "no value equals a list" : nil
    case .isNot, .exists, .notExists: problem = nil
    }
    guard let problem else { return }
    log.report(
      .constantClause, "the filter is never true: \(problem)", severity: .warning,
      at: element.memberPath("value"))
  }
}
