import Foundation
import Pricing
import SDK
import SDKTesting

/// The products of the app. A real app uses the App Store here (`Ports.live(folder:presenter:)`). This one has a store that
/// needs no account, with the prices of some countries.
enum Shop {
  static let year = "com.example.pro.year"
  static let month = "com.example.pro.month"

  private static let prices: [(locale: String, currency: String, year: String, month: String)] = [
    ("en_US", "USD", "59.99", "9.99"),
    ("de_DE", "EUR", "64.99", "10.99"),
    ("ja_JP", "JPY", "8800", "1500"),
    ("pt_BR", "BRL", "199.90", "29.90"),
  ]

  static var locales: [String] { prices.map(\.locale) }

  static func products(locale: String) throws -> [StoreProduct] {
    guard let row = prices.first(where: { $0.locale == locale }),
      let currency = Currency(row.currency)
    else { return [] }
    let week = Period(.day, 7).map { IntroductoryOffer(.freeTrial, $0) }
    return [
      StoreProduct(
        PricedProduct(
          identifier: year, price: try Money(row.year, currency), locale: locale,
          period: Period(.year, 1), intro: week)),
      StoreProduct(
        PricedProduct(
          identifier: month, price: try Money(row.month, currency), locale: locale,
          period: Period(.month, 1))),
    ]
  }

  static func result(_ word: String) -> PurchaseResult? {
    switch word {
    case "purchased": .purchased
    case "cancelled": .cancelled
    case "pending": .pending
    case "failed": .failed("Your card was declined.")
    default: nil
    }
  }

  /// The products that were bought in earlier runs.
  static func owned(in folder: String) -> [String] {
    let text = try? String(contentsOfFile: folder + "/purchases.txt", encoding: .utf8)
    return (text ?? "").split(whereSeparator: \.isNewline).map(String.init)
  }

  static func remember(_ productID: String, in folder: String) {
    let all = owned(in: folder) + [productID]
    let text = all.map { $0 + "\n" }.joined()
    try? text.write(toFile: folder + "/purchases.txt", atomically: true, encoding: .utf8)
  }
}
