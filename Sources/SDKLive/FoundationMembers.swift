public import Foundation
public import Pricing
internal import RuleEngine
public import SDK

// The SDK's own types have times as `Instant`, prices as `Money` and addresses as text; spans of time
// are `Duration`. Beside these stands what an app's code has: `Date`, `Decimal` and `URL`.

extension ConfigOrigin {
  /// When the server sent it; nil for a config that the app brings.
  public var fetchedDate: Date? { fetchedAt.map { Date($0) } }
}

extension PaywallInfo {
  public var presentedDate: Date? { presentedAt.map { Date($0) } }
  /// Where the paywall's page is.
  public var pageURL: URL? { URL(string: url) }
}

extension TransactionProduct {
  /// When a trial that starts now would end.
  public var trialEndDate: Date? { trialEnd.map { Date($0) } }
}

extension StoreTransaction {
  /// When it was made.
  public var date: Date? { Self.date(transactionDate) }
  /// When the first of the subscription was made.
  public var originalDate: Date? { Self.date(originalTransactionDate) }
  /// When what was bought ends.
  public var expiry: Date? { Self.date(expirationDate) }
  /// When it was taken back.
  public var revocation: Date? { Self.date(revocationDate) }

  private static func date(_ text: String?) -> Date? {
    text.flatMap { try? WireTime.instant($0) }.map { Date($0) }
  }
}

extension Money {
  /// The amount in the currency's unit, exactly.
  public var decimal: Decimal { Decimal(micros) / 1_000_000 }

  /// An amount in the currency's unit; what is below a millionth is rounded.
  ///
  /// - Throws: for one that is no number or too large.
  public init(_ amount: Decimal, _ currency: Currency) throws(PricingError) {
    try self.init("\(amount)", currency)
  }
}

extension PresentationHandle {
  /// The paywall wants an address opened, in the app or outside.
  public func openURL(_ url: URL, external: Bool = false) {
    openURL(url.absoluteString, external: external)
  }

  /// The paywall wants a link followed inside the app.
  public func openDeepLink(_ url: URL) { openDeepLink(url.absoluteString) }
}
