package import Expressions

/// The roots that the texts of a paywall read: the products by slot, the selected product, the user, and the theme.
package struct TextContext: Hashable, Sendable {
  /// The roots, as a map that can fill a frame.
  package let value: Value

  /// A product in a slot of a paywall.
  package struct SlottedProduct: Hashable, Sendable {
    package var slot: String
    package var label: String
    package var productID: String?
    /// The product's prices, periods and trials, by their names in texts.
    package var attributes: Value
    /// Whether the user is eligible for the introductory offer, if the product has one.
    package var mayHaveOffer: Bool

    package init(
      slot: String, label: String? = nil, productID: String? = nil, attributes: Value,
      mayHaveOffer: Bool = true
    ) {
      self.slot = slot
      self.mayHaveOffer = mayHaveOffer
      self.label = label ?? slot
      self.productID = productID
      self.attributes = attributes
    }

    /// The attributes, including the attributes of the slot.
    var value: Value {
      var entries: [Value.Entry] = []
      if case .map(let known) = attributes { entries = known }
      func add(_ name: String, _ value: String) {
        let key = Value.string(name)
        if !entries.contains(where: { $0.key == key }) {
          entries.append(Value.Entry(key: key, value: .string(value)))
        }
      }
      add("slot", slot)
      add("label", label)
      if let productID { add("product_id", productID) }
      return .map(entries)
    }
  }

  /// Slots whose products need no `products.` prefix.
  static let rootSlots = ["primary", "secondary", "tertiary"]

  /// Creates a context for texts.
  ///
  /// - Parameters:
  ///   - products: the products, in the order of the paywall. If a slot appears twice, the last product counts.
  ///   - selected: index of the selected product; out of range means that no product is selected.
  ///   - roots: further roots, such as `user`, `device`, `params` and `theme`.
  package init(
    products: [SlottedProduct], selected: Int?, roots: [(name: String, value: Value)] = []
  ) {
    var slots = products.map { Self.entry($0.slot, $0.value) }
    // A slot with the name "selected" is unreachable.
    if let selected, products.indices.contains(selected) {
      slots.append(Self.entry("selected", products[selected].value))
      slots.append(Self.entry("selectedIndex", .int(Int64(selected))))
    }
    if !products.isEmpty {
      let hasOffer = products.contains { $0.hasIntroductoryOffer }
      slots.append(Self.entry("hasIntroductoryOffer", .bool(hasOffer)))
    }
    var entries = [Self.entry("products", .map(slots))]
    // Superwall's older editor reads products without a prefix.
    for name in Self.rootSlots {
      guard let product = products.last(where: { $0.slot == name }) else { continue }
      entries.append(Self.entry(name, product.value))
    }
    for root in roots { entries.append(Self.entry(root.name, root.value)) }
    value = .map(entries)
  }

  /// The members of a user record as roots, completed from the record's top level: `subscriptionStatus`, `entitlements`
  /// and `userId` replace a missing `device.subscriptionStatus`, `device.activeEntitlements` and `user.id`. A member
  /// that is null counts as missing. If a member is repeated, the last value counts.
  ///
  /// - Parameter hasUserID: whether `user.id` exists, as for AgentWallie.
  package static func roots(ofRecord members: [Value.Entry], hasUserID: Bool) -> [(
    name: String, value: Value
  )] {
    var roots: [(name: String, value: Value)] = []
    var seen: Set<[UInt8]> = []
    for member in members.reversed() {
      guard case .string(var name) = member.key, seen.insert(Array(name.utf8)).inserted else {
        continue
      }
      // SAFETY: The view of the name stays in the closure. Tests: UserRecordTests.
      let isMember = name.withUTF8 { UserMember(key: $0) } != nil
      if member.value != .null || !isMember { roots.append((name, member.value)) }
    }
    roots.reverse()
    for known in UserMember.attributes(hasUserID: hasUserID) {
      guard let value = roots.last(where: { $0.name == known.member.key })?.value else { continue }
      let place = roots.lastIndex { $0.name == known.root.key }
      var entries: [Value.Entry] = []
      if let place {
        guard case .map(let there) = roots[place].value else { continue }
        entries = there
      }
      if entries.contains(where: { $0.key == .string(known.name) }) { continue }
      entries.append(entry(known.name, value))
      if let place {
        roots[place].value = .map(entries)
      } else {
        roots.append((known.root.key, .map(entries)))
      }
    }
    return roots
  }

  fileprivate static func entry(_ name: String, _ value: Value) -> Value.Entry {
    Value.Entry(key: .string(name), value: value)
  }
}

extension TextContext.SlottedProduct {

  /// Whether this user's purchase of the product begins with a trial or another offer.
  var hasIntroductoryOffer: Bool {
    if !mayHaveOffer { return false }
    if attributes["has_trial"] == .bool(true) { return true }
    switch attributes["trialPeriodDays"] {
    case .string(let days)?: return days != "0" && !days.isEmpty
    case .int(let days)?: return days > 0
    default: return false
    }
  }
}
