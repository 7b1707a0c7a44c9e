internal import Expressions

/// The products of a StoreKit configuration file (`.storekit`), as Xcode writes it.
///
/// Read are one-time products, the subscriptions of all groups with their introductory offers, and
/// the storefront's locale. Prices are texts there, so they are exact.
public struct StoreKitConfiguration: Hashable, Sendable {
  public var products: [StoreProduct]

  /// Why a file cannot be used.
  public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String
  }

  /// Reads the text of a file.
  public init(_ text: some Sequence<UInt8>) throws(Fault) {
    let value: Value
    do throws(JSONFault) {
      value = try Value.parse(json: text)
    } catch {
      throw Fault(description: "\(error.message) at byte \(error.offset)")
    }
    guard value.isObject else { throw Fault(description: "a StoreKit configuration is an object") }
    let locale = value["settings"]?["_locale"]?.text ?? "en_US"
    let currency = Currency(storefront: value["settings"]?["_storefront"]?.text ?? "USA")
    let single =
      (value["products"]?.elements ?? []) + (value["nonRenewingSubscriptions"]?.elements ?? [])
    products = single.compactMap { StoreProduct(storeKit: $0, locale, currency, group: nil) }
    for group in value["subscriptionGroups"]?.elements ?? [] {
      let id = group["id"]?.text ?? group["name"]?.text
      products += (group["subscriptions"]?.elements ?? [])
        .compactMap { StoreProduct(storeKit: $0, locale, currency, group: id) }
    }
  }
}

/// The currency of a storefront. The file names countries; those that Xcode offers first are known
/// here, and all others count in dollars.
private struct Currency {
  var code: String
  var symbol: String

  private static let known = [
    "USA": ("USD", "$"), "GBR": ("GBP", "£"), "CAN": ("CAD", "CA$"), "AUS": ("AUD", "A$"),
    "JPN": ("JPY", "¥"), "CHE": ("CHF", "CHF "), "SWE": ("SEK", "kr "), "BRA": ("BRL", "R$"),
    "IND": ("INR", "₹"), "KOR": ("KRW", "₩"), "MEX": ("MXN", "MX$"), "CHN": ("CNY", "CN¥"),
  ]
  private static let euro: Set<String> = [
    "DEU", "FRA", "ITA", "ESP", "NLD", "AUT", "BEL", "FIN", "IRL", "PRT", "GRC", "LUX",
  ]

  init(storefront: String) {
    let known =
      Self.euro.contains(storefront) ? ("EUR", "€") : Self.known[storefront] ?? ("USD", "$")
    (code, symbol) = known
  }
}

extension StoreProduct {
  fileprivate init?(storeKit value: Value, _ locale: String, _ currency: Currency, group: String?) {
    guard let id = value["productID"]?.text,
      let price = value["displayPrice"]?.text.flatMap({ Self.micros($0) })
    else { return nil }
    let offer = value["introductoryOffer"].flatMap { offer -> IntroductoryOffer? in
      guard
        let period = offer["subscriptionPeriod"]?.text.flatMap({ SubscriptionPeriod(iso8601: $0) })
      else { return nil }
      let mode: IntroductoryOffer.Mode =
        switch offer["paymentMode"]?.text {
        case "payAsYouGo": .payAsYouGo
        case "payUpFront": .payUpFront
        default: .freeTrial
        }
      return IntroductoryOffer(
        mode: mode, period: period, periods: offer["numberOfPeriods"]?.wholeNumber ?? 1,
        priceMicros: mode == .freeTrial
          ? 0 : offer["displayPrice"]?.text.flatMap { Self.micros($0) } ?? 0)
    }
    self.init(
      id: id, priceMicros: price, currencyCode: currency.code, currencySymbol: currency.symbol,
      locale: locale,
      period: value["recurringSubscriptionPeriod"]?.text.flatMap {
        SubscriptionPeriod(iso8601: $0)
      },
      introductoryOffer: offer, subscriptionGroupID: group,
      isFamilyShareable: value["familyShareable"]?.truth ?? false)
  }

  /// Millionths of a decimal such as `9.99`; nil for anything else.
  static func micros(_ decimal: String) -> Int64? {
    let parts = decimal.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let whole = Int64(parts[0]), whole >= 0 else { return nil }
    let digits = parts.count == 2 ? parts[1] : ""
    guard digits.count <= 6, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    let fraction = Int64(digits + String(repeating: "0", count: 6 - digits.count)) ?? 0
    let (micros, overflows) = whole.multipliedReportingOverflow(by: 1_000_000)
    return overflows ? nil : micros + fraction
  }
}

extension SubscriptionPeriod {
  /// Reads `P1M`, `P7D`, `P1Y` and their like; nil for anything else.
  public init?(iso8601 text: String) {
    guard text.first == "P", let letter = text.last, let count = Int(text.dropFirst().dropLast()),
      count > 0
    else { return nil }
    switch letter {
    case "D": self.init(unit: .day, count: count)
    case "W": self.init(unit: .week, count: count)
    case "M": self.init(unit: .month, count: count)
    case "Y": self.init(unit: .year, count: count)
    default: return nil
    }
  }
}
