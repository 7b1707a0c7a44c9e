internal import Expressions
package import Pricing

extension OfferEligibility {
  /// What a user record says of the offers that the user may have: those of products that give nothing
  /// that is active. Nothing known is a user that may have all.
  ///
  /// - Parameter record: the JSON of a record that is sound, or nil.
  package init(ofRecord record: [UInt8]?) {
    self = .all
    guard let record, case .map(let members)? = try? Value.parse(json: record) else { return }
    let roots = TextContext.roots(ofRecord: members, hasUserID: false)
    guard let device = roots.last(where: { $0.name == UserMember.device.key })?.value else {
      return
    }
    let status = device["subscriptionStatus"]?.text
    var entitlements: [String] = []
    if case .list(let active)? = device["activeEntitlements"] {
      entitlements = active.compactMap { $0.text ?? $0["identifier"]?.text ?? $0["id"]?.text }
    }
    if status == "ACTIVE" || status == nil && !entitlements.isEmpty {
      self = .subscriber(entitlements: entitlements)
    }
  }
}
