package import Expressions

/// The roots that the conditions of a paywall's components read: products by slot, the user, the
/// theme.
package struct ConditionContext: Hashable, Sendable {
  /// The roots, as a map that can fill a frame.
  package let value: Value

  /// Creates a context for conditions.
  ///
  /// - Parameters:
  ///   - slots: the paywall's slots, in order.
  ///   - selected: index of the selected slot; out of range means that no slot is selected.
  ///   - resolved: further fields of each slot's product, such as `price` and `has_trial`, by slot name.
  ///   - user: the user's attributes, a map.
  package init(
    slots: [ProductSlot], selected: Int, resolved: [String: Value] = [:], user: Value = .map([]),
    theme: PaywallSchema.Theme? = nil
  ) {
    var products: [Value.Entry] = []
    if slots.indices.contains(selected) {
      products.append(Self.entry("selected", Self.fields(slots[selected], resolved)))
    }
    // A slot with the name "selected" is added later, and therefore takes precedence.
    for slot in slots { products.append(Self.entry(slot.slot, Self.fields(slot, resolved))) }
    var roots: [Value.Entry] = []
    if !products.isEmpty { roots.append(Self.entry("products", .map(products))) }
    roots.append(Self.entry("user", user))
    if let theme { roots.append(Self.entry("theme", theme.value)) }
    value = .map(roots)
  }

  private static func entry(_ key: String, _ value: Value) -> Value.Entry {
    Value.Entry(key: .string(key), value: value)
  }

  private static func fields(_ slot: ProductSlot, _ resolved: [String: Value]) -> Value {
    var fields = [entry("slot", .string(slot.slot)), entry("label", .string(slot.label))]
    if let productID = slot.productID { fields.append(entry("product_id", .string(productID))) }
    if case .map(let further)? = resolved[slot.slot] { fields += further }
    return .map(fields)
  }
}

extension Filter {
  /// The condition under which a paywall's component is shown, as a filter. Conditions cannot contain lists. A
  /// condition without a value is never true, unless it tests presence.
  package static func condition(_ json: Value) -> Filter? {
    guard case .map = json, let field = json["field"]?.text else { return nil }
    var found: Operator?
    if let name = json["operator"]?.text { found = Operator(rawValue: name) }
    if found == .in || found == .notIn { found = nil }
    let value = json["value"]
    return Filter(field: field, operator: found, value: value == .null ? nil : value)
  }
}
