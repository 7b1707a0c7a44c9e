/// A web product: `live:price_123:no-trial`, or `test:price_123:7` with the days of a trial.
struct PriceID: Hashable {
  let isLive: Bool
  let price: String
  let trialDays: Int

  /// Parses a string. Fails for strings of another form.
  init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, ["live", "test"].contains(parts[0]), !parts[1].isEmpty,
      text.utf8.count <= 200
    else { return nil }
    isLive = parts[0] == "live"
    price = String(parts[1])
    if parts[2] == "no-trial" {
      trialDays = 0
    } else {
      guard parts[2].utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let days = Int(parts[2]),
        days <= 3_650
      else { return nil }
      trialDays = days
    }
  }

  /// How the sandbox's payment for the product proceeds.
  enum Script: Hashable {
    /// A user pays: on the page of the checkout, in the console, or by confirming.
    case manual
    /// The payment succeeds immediately.
    case paid
    /// The payment is declined whenever it is confirmed.
    case declined
    /// The user abandons the payment.
    case abandoned
  }

  var script: Script {
    if price.hasSuffix("_paid") { return .paid }
    if price.hasSuffix("_declined") { return .declined }
    return price.hasSuffix("_abandoned") ? .abandoned : .manual
  }
}
