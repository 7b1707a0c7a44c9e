/// One condition on one field, in the dialect of AgentWallie's configs.
///
/// A list of filters is a condition too: it is split at every `or`, and a group in which all
/// filters hold is enough. A filter on a field that is not there does not hold, not even a negated
/// one; values are never converted.
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
  /// What is asked of the field.
  package enum Operator: String, Hashable, Sendable, CaseIterable {
    /// Equal, of the same type; whole and broken numbers are one type.
    case `is`
    /// Not equal; a value of another type is not equal.
    case isNot = "is_not"
    /// A text that has a part, which is not empty.
    case contains
    case greaterThan = "gt"
    case greaterOrEqual = "gte"
    case lessThan = "lt"
    case lessOrEqual = "lte"
    /// A text that is one of a list.
    case `in`
    /// A text that is none of a list.
    case notIn = "not_in"
    /// The field is there, whatever it holds.
    case exists
    case notExists = "not_exists"
  }

  /// How a filter goes with the one before it.
  package enum Conjunction: String, Hashable, Sendable, CaseIterable {
    case and
    case or
  }

  /// Names separated by dots. Empty parts count nothing; an empty path is the whole context.
  package var field: String
  /// Nil for an operator that nobody knows: the filter never holds.
  package var `operator`: Operator?
  /// A bool, a number, a text or a list of texts; with anything else, or nil, the filter never
  /// holds, but for `exists` and `not_exists`, which need no value.
  package var value: Value?
  /// Nil is `and`. Ignored in the first filter of a list.
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

  /// Whether it could be read; what could not never holds.
  package var isKnown: Bool {
    guard let `operator`, !field.isEmpty else { return false }
    return value != nil || `operator` == .exists || `operator` == .notExists
  }

  /// The filter for a person: `user.plan is "free"`.
  package var text: String {
    let name = field.isEmpty ? "(everything)" : field
    guard let `operator` else { return "\(name) (unknown operator)" }
    switch `operator` {
    case .exists, .notExists: return "\(name) \(`operator`.rawValue)"
    default: return "\(name) \(`operator`.rawValue) \(value.map(\.json) ?? "(no value)")"
    }
  }
}

/// A list of filters as a text, with the place of each, as explanations point to it.
package struct FilterText {
  package private(set) var text = ""
  /// By filter.
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
