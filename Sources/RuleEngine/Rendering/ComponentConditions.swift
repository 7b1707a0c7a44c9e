internal import Expressions
internal import Pricing

/// Problems in the condition of a native paywall's component. A component whose condition is unreadable is always
/// hidden.
struct ComponentCondition {
  let schema: PaywallSchema

  /// Operators of other systems, and their equivalents.
  private static let others = [
    "equals": "is", "equal": "is", "eq": "is", "==": "is", "=": "is", "not_equals": "is_not",
    "not_equal": "is_not", "neq": "is_not", "ne": "is_not", "!=": "is_not", ">": "gt",
    "greater_than": "gt", ">=": "gte", "<": "lt", "less_than": "lt", "<=": "lte",
    "includes": "contains", "has": "exists", "is_set": "exists",
  ]
  /// Operators with a list are not available in conditions.
  private static let operators = Filter.Operator.allCases.filter { $0 != .in && $0 != .notIn }
  private static let form =
    #"write {"field": "user.plan", "operator": "is", "value": "free"}"#

  /// - Parameter path: the path of the condition.
  func problems(_ condition: Value, _ filter: Filter?, at path: String) -> [Diagnostic] {
    guard let filter else {
      return [
        Diagnostic(
          .decodeFailure, "the condition names no field", path: path, suggestion: Self.form)
      ]
    }
    guard let known = filter.operator else { return [badOperator(condition, at: path)] }
    var found: [Diagnostic] = []
    if filter.value == nil, known != .exists, known != .notExists {
      found.append(
        Diagnostic(
          .decodeFailure, "'value' is missing; the component is never shown", path: path,
          suggestion: Self.form))
    }
    return found + [badField(filter, at: path + ".field")].compactMap { $0 }
  }

  private func badOperator(_ condition: Value, at path: String) -> Diagnostic {
    guard let written = condition["operator"], written != .null else {
      return Diagnostic(
        .decodeFailure, "'operator' is missing; the component is never shown", path: path,
        suggestion: Self.form)
    }
    let names = Self.operators.map { $0.rawValue }
    guard let text = written.text else {
      return Diagnostic(
        .decodeFailure, "'operator' must be a string; the component is never shown",
        path: path + ".operator", suggestion: "write \(names.joined(separator: ", "))")
    }
    let isForLists = Filter.Operator(rawValue: text) != nil
    let meant = Self.others[text.lowercased()].map { "write \($0)" }
    let close = Suggestion.question(about: text, among: names)
    return Diagnostic(
      .decodeFailure,
      isForLists
        ? "conditions do not support lists or '\(text)'; the component is never shown"
        : "'\(text)' is not an operator; the component is never shown",
      path: path + ".operator",
      suggestion: meant ?? (isForLists ? nil : close) ?? "write \(names.joined(separator: ", "))")
  }

  // MARK: Fields

  /// Reports a field that never exists.
  private func badField(_ filter: Filter, at path: String) -> Diagnostic? {
    let names = filter.path
    guard let root = names.first else { return nil }
    switch root {
    case "user": return nil
    case "products": return badProductField(names, at: path)
    case "theme":
      guard names.count > 1 else { return nil }
      return missing(names[1], of: "theme", among: PaywallSchema.Theme().value.keys, at: path)
    default:
      return missing(root, of: "a condition", among: ["user", "products", "theme"], at: path)
    }
  }

  private func badProductField(_ names: [String], at path: String) -> Diagnostic? {
    guard names.count > 1, !schema.slots.isEmpty else { return nil }
    let slots = ["selected"] + schema.slots.map { $0.slot }
    if let bad = missing(names[1], of: "products", among: slots, at: path) { return bad }
    guard names.count > 2 else { return nil }
    let fields = ["slot", "label", "product_id"] + PricingProfile.agentWallie.schema.names
    return missing(names[2], of: "products.\(names[1])", among: fields, at: path)
  }

  private func missing(_ name: String, of owner: String, among known: [String], at path: String)
    -> Diagnostic?
  {
    guard !known.contains(name) else { return nil }
    let close = Suggestion.closest(to: name, among: known)
    return Diagnostic(
      .unknownAttribute, "\(owner) has no '\(name)'", severity: .warning, path: path,
      suggestion: close.map { "did you mean '\($0)'?" }
        ?? (known.count < 8 ? "there is \(known.joined(separator: ", "))" : nil))
  }
}

extension Value {
  fileprivate var keys: [String] {
    guard case .map(let entries) = self else { return [] }
    return entries.compactMap { $0.key.text }
  }
}
