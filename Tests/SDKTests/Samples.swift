import Expressions
import Foundation
import Pricing

@testable import SDK

/// Fixtures of the corpus.
enum Samples {
  private static let corpus = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "corpus")

  static func file(_ path: String) -> [UInt8] {
    guard let data = try? Data(contentsOf: corpus.appending(path: path)) else {
      fatalError("there is no file corpus/\(path)")
    }
    return Array(data)
  }

  /// The static config of the scenarios, as text.
  static let configText = file("sdk/fixtures/config.std.json")

  static var config: Value {
    guard let value = try? Value.parse(json: configText) else { fatalError("bad fixture") }
    return value
  }

  /// The config with another trigger for everybody.
  static func config(adding placement: String, paywall: String) -> Value {
    let variant: Value = [
      "variant_id": "v_more", "variant_type": "TREATMENT", "percentage": 100,
      "paywall_identifier": .string(paywall),
    ]
    let rule: Value = [
      "experiment_id": "exp_more", "experiment_group_id": "camp_more", "variants": [variant],
      "preload": ["behavior": "ALWAYS"],
    ]
    let trigger: Value = ["event_name": .string(placement), "rules": [rule]]
    let triggers = (config["trigger_options"]?.elements ?? []) + [trigger]
    return config.merging(patch: ["trigger_options": .list(triggers)])
  }

  static let month = product(
    "com.tollgate.pro.month", "9.99", period: Period(.month, 1), trial: Period(.day, 7))
  static let year = product("com.tollgate.pro.year", "59.99", period: Period(.year, 1))
  static let web = StoreProduct(
    PricedProduct(
      identifier: "live:price_123:no-trial", store: .stripe,
      price: Money(micros: 9_990_000, .usd), period: Period(.month, 1)))
  static let coins = product("com.tollgate.coins", "1.99")

  static func product(
    _ id: String, _ price: String, _ currency: Currency = .usd, locale: String = "en_US",
    period: Period? = nil, trial: Period? = nil
  ) -> StoreProduct {
    StoreProduct(
      PricedProduct(
        identifier: id, price: try? Money(price, currency), locale: locale, period: period,
        intro: trial.map { IntroductoryOffer(.freeTrial, $0) }))
  }

  /// 2026-01-01T00:00:00Z.
  static let start: Instant = 1_767_225_600_000
}
