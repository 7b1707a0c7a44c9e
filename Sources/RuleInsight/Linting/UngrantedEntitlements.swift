package import Expressions
internal import RuleEngine

/// A condition or a guard requires an entitlement that no product of the config grants.
///
/// `"pro" in device.activeEntitlements`, if products only grant `premium`
enum UngrantedEntitlements: Lint {
  static let page = CodePage(
    .ungrantedEntitlement, .warning,
    what: "A condition tests for an entitlement that no product of the config gives.",
    why: """
      Users cannot buy such an entitlement, so they have it only if another source grants it. Often the name is \
      misspelled.
      """,
    example: .config(
      """
      {"trigger_options": [{"event_name": "p", "rules": [
        {"experiment_id": "e", "experiment_group_id": "g",
         "expression_cel": "'premuim' in device.activeEntitlements",
         "variants": [{"variant_id": "v", "variant_type": "HOLDOUT", "percentage": 100}]}]}],
       "products_v3": [
        {"sw_composite_product_id": "year", "entitlements": [{"identifier": "premium", "type": "SERVICE_LEVEL"}],
         "store_product": {"store": "APP_STORE", "product_identifier": "year"}}]}
      """),
    advice: "Name an entitlement that a product gives, or add the entitlement to a product.",
    better: .config(
      """
      {"trigger_options": [{"event_name": "p", "rules": [
        {"experiment_id": "e", "experiment_group_id": "g",
         "expression_cel": "'premium' in device.activeEntitlements",
         "variants": [{"variant_id": "v", "variant_type": "HOLDOUT", "percentage": 100}]}]}],
       "products_v3": [
        {"sw_composite_product_id": "year", "entitlements": [{"identifier": "premium", "type": "SERVICE_LEVEL"}],
         "store_product": {"store": "APP_STORE", "product_identifier": "year"}}]}
      """))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    let products = subject.config.products + subject.config.paywalls.flatMap { $0.products }
    let granted = Set(products.flatMap { $0.entitlements }.map { $0.id })
    // If a config mentions no entitlements, they are granted elsewhere.
    guard !granted.isEmpty else { return [] }
    let names = granted.sorted()
    func suggestion(_ id: String) -> String {
      Suggestion.question(about: id, among: names)
        ?? "products give \(names.prefix(5).joined(separator: ", "))"
    }
    let message = "no product of the config gives the entitlement"
    var found: [Diagnostic] = []
    for audience in subject.audiences {
      guard let id = audience.entitlementGuard, !granted.contains(id) else { continue }
      found.append(
        finding(
          "\(message) '\(id)': no user is skipped for it",
          at: "\(audience.path).entitlement_check", suggestion: suggestion(id)))
    }
    for condition in subject.conditions {
      for (id, range) in entitlements(in: condition.expression) where !granted.contains(id) {
        found += findings(
          "\(message) '\(id)'", in: condition, range: range, suggestion: suggestion(id))
      }
    }
    return found
  }

  private static let list = ["device", "activeEntitlements"]

  /// Entitlements that an expression tests the user for.
  private static func entitlements(in expression: ParsedExpression) -> [(String, SourceRange)] {
    var found: [(String, SourceRange)] = []
    func add(_ id: ParsedExpression.ID) {
      if case .string(let text)? = expression.literal(id) {
        found.append((text, expression[id].range))
      }
    }
    expression.visit { id, _ in
      let node = expression[id]
      if node.kind == .in, expression.path(Int(node.b)) == list { add(Int(node.a)) }
      guard let call = expression.call(id), let target = call.target,
        expression.path(target) == list
      else { return }
      switch call.name {
      case "contains": call.arguments.forEach(add)
      case "exists", "exists_one":
        guard call.arguments.count == 2 else { return }
        let test = expression[call.arguments[1]]
        if test.kind == .equal { [Int(test.a), Int(test.b)].forEach(add) }
      default: return
      }
    }
    return found
  }
}

extension Diagnostic.Code {
  /// A required entitlement that no product grants.
  package static let ungrantedEntitlement = Self(rawValue: "ungranted-entitlement")
}
