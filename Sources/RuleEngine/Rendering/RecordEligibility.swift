internal import Expressions
package import Pricing

extension OfferEligibility {
  /// The offers that a user may get according to the user's record: the offers of products that grant no active
  /// entitlement. Without a record the user may get every offer.
  ///
  /// - Parameter record: the JSON of a valid record, or nil.
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
