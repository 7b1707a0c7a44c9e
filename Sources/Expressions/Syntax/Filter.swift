/// One condition on one field, in the dialect of AgentWallie's configs.
///
/// A list of filters is a condition too: it is split at every `or`, and is true if all filters of one group are true. A
/// filter on a missing field is false, even if the filter is negated. Values are never converted.
///
/// ```swift
/// let filters = [
///   Filter(field: "user.plan", operator: .is, value: "free"),
///   Filter(field: "device.sessions", operator: .greaterThan, value: 3),
/// ]
/// filters.map(\.text)  // ["user.plan is \"free\"", "device.sessions gt 3"]
/// let program = ExpressionEnvironment().compile(filters)
/// try program.evaluate(["user": ["plan": "free"], "device": ["sessions": 4]])  // true
/// ```
package struct Filter: Hashable, Sendable {
  /// The test of the field.
  package enum Operator: String, Hashable, Sendable, CaseIterable {
    /// The field equals the value, and has its type. Whole numbers and fractions have the same type.
    case `is`
    /// The field does not equal the value. A field of another type is not equal.
    case isNot = "is_not"
    /// The field is a string that contains the value, which must not be empty.
    case contains
    case greaterThan = "gt"
    case greaterOrEqual = "gte"
    case lessThan = "lt"
    case lessOrEqual = "lte"
    /// The field is a string in the list.
    case `in`
    /// The field is a string that is not in the list.
    case notIn = "not_in"
    /// The field exists, whatever its value.
    case exists
    case notExists = "not_exists"
  }

  /// How a filter is combined with the previous filter.
  package enum Conjunction: String, Hashable, Sendable, CaseIterable {
    case and
    case or
  }

  /// The names of the field's path, separated by dots. Empty parts are ignored. An empty path is the whole context.
  package var field: String
  /// The operator. Nil for an unknown operator, in which case the filter is never true.
  package var `operator`: Operator?
  /// A bool, a number, a string or a list of strings. With any other value, or nil, the filter is never true,
  /// except for `exists` and `not_exists`, which need no value.
  package var value: Value?
  /// The conjunction. Nil means `and`. The first filter of a list ignores this value.
  package var conjunction: Conjunction?

  package init(
    field: String, operator: Operator?, value: Value? = nil, conjunction: Conjunction? = nil
  ) {
    self.field = field
    self.operator = `operator`
    self.value = value
    self.conjunction = conjunction
  }

  /// The names of the field's path.
  package var path: [String] {
    field.split(separator: ".").map(String.init)
  }

  /// Whether the filter is valid. An invalid filter is never true.
  package var isKnown: Bool {
    guard let `operator`, !field.isEmpty else { return false }
    return value != nil || `operator` == .exists || `operator` == .notExists
  }

  /// The filter in readable form: `user.plan is "free"`.
  package var text: String {
    let name = field.isEmpty ? "(everything)" : field
    guard let `operator` else { return "\(name) (unknown operator)" }
    switch `operator` {
    case .exists, .notExists: return "\(name) \(`operator`.rawValue)"
    default: return "\(name) \(`operator`.rawValue) \(value.map { $0.json } ?? "(no value)")"
    }
  }
}

/// A list of filters as one string, with the place of each filter, for explanations.
package struct FilterText {
  package private(set) var text = ""
  /// The range of each filter.
  package private(set) var ranges: [SourceRange] = []

  package init(_ filters: [Filter]) {
    for (i, filter) in filters.enumerated() {
      if i > 0 { text += " \((filter.conjunction ?? .and).rawValue) " }
      let start = text.utf8.count
      text += filter.text
      ranges.append(SourceRange(from: start, to: text.utf8.count))
    }
  }
}
