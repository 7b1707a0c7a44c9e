public import Foundation
public import Pricing
internal import RuleEngine
public import SDK

// The SDK's own types use `Instant` for times, `Money` for prices, strings for addresses and
// `Duration` for time spans. These members add the types that apps use: `Date`, `Decimal` and
// `URL`.

extension ConfigOrigin {
  /// When the config was fetched; nil for a config that the app supplied.
  public var fetchedDate: Date? { fetchedAt.map { Date($0) } }
}

extension PaywallInfo {
  public var presentedDate: Date? { presentedAt.map { Date($0) } }
  /// The address of the paywall's page.
  public var pageURL: URL? { URL(string: url) }
}

extension TransactionProduct {
  /// When a trial that starts now would end.
  public var trialEndDate: Date? { trialEnd.map { Date($0) } }
}

extension StoreTransaction {
  /// The date of the transaction.
  public var date: Date? { Self.date(transactionDate) }
  /// The date of the subscription's first transaction.
  public var originalDate: Date? { Self.date(originalTransactionDate) }
  /// When the purchase expires.
  public var expiry: Date? { Self.date(expirationDate) }
  /// When the purchase was revoked.
  public var revocation: Date? { Self.date(revocationDate) }

  private static func date(_ text: String?) -> Date? {
    text.flatMap { try? WireTime.instant($0) }.map { Date($0) }
  }
}

extension Money {
  /// The exact amount in units of the currency.
  public var decimal: Decimal { Decimal(micros) / 1_000_000 }

  /// Creates an amount from units of the currency, rounded to a millionth.
  ///
  /// - Throws: if the amount is too large or not a number.
  public init(_ amount: Decimal, _ currency: Currency) throws(PricingError) {
    try self.init("\(amount)", currency)
  }
}

extension PresentationHandle {
  /// Reports that the paywall requests to open a URL inside or outside the app.
  public func openURL(_ url: URL, external: Bool = false) {
    openURL(url.absoluteString, external: external)
  }

  /// Reports that the paywall requests to open a deep link into the app.
  public func openDeepLink(_ url: URL) { openDeepLink(url.absoluteString) }
}
