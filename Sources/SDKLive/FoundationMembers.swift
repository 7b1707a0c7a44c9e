public import Foundation
public import Pricing
internal import RuleEngine
public import SDK

// The SDK's own types use `Instant` for times, `Money` for prices, strings for addresses and
// `Duration` for time spans. These members add the types that apps use: `Date`, `Decimal` and
// `URL`.

extension ConfigOrigin {
  /// When the server sent it; nil for a config from the app.
  public var fetchedDate: Date? { fetchedAt.map { Date($0) } }
}

extension PaywallInfo {
  public var presentedDate: Date? { presentedAt.map { Date($0) } }
  /// The address of the paywall's page.
  public var pageURL: URL? { URL(string: url) }
}

extension TransactionProduct {
  /// The end of a trial that starts now.
  public var trialEndDate: Date? { trialEnd.map { Date($0) } }
}

extension StoreTransaction {
  /// The date of the transaction.
  public var date: Date? { Self.date(transactionDate) }
  /// The date of the subscription's first transaction.
  public var originalDate: Date? { Self.date(originalTransactionDate) }
  /// When the purchase expires.
  public var expiry: Date? { Self.date(expirationDate) }
  /// When it was revoked.
  public var revocation: Date? { Self.date(revocationDate) }

  private static func date(_ text: String?) -> Date? {
    text.flatMap { try? WireTime.instant($0) }.map { Date($0) }
  }
}

extension Money {
  /// The amount in the currency's unit, exactly.
  public var decimal: Decimal { Decimal(micros) / 1_000_000 }

  /// An amount in the currency's unit, rounded to a millionth.
  ///
  /// - Throws: for an amount that is not a number or too large.
  public init(_ amount: Decimal, _ currency: Currency) throws(PricingError) {
    try self.init("\(amount)", currency)
  }
}

extension PresentationHandle {
  /// The paywall requests to open an address, in the app or outside.
  public func openURL(_ url: URL, external: Bool = false) {
    openURL(url.absoluteString, external: external)
  }

  /// The paywall requests to follow a link inside the app.
  public func openDeepLink(_ url: URL) { openDeepLink(url.absoluteString) }
}
