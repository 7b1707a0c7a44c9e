import Expressions
import Foundation

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

  static let month = StoreProduct(
    id: "com.tollgate.pro.month", priceMicros: 9_990_000, currencyCode: "USD", currencySymbol: "$",
    period: .init(unit: .month, count: 1),
    introductoryOffer: .init(mode: .freeTrial, period: .init(unit: .day, count: 7)))
  static let year = StoreProduct(
    id: "com.tollgate.pro.year", priceMicros: 59_990_000, currencyCode: "USD", currencySymbol: "$",
    period: .init(unit: .year, count: 1))
  static let coins = StoreProduct(
    id: "com.tollgate.coins", priceMicros: 1_990_000, currencyCode: "USD", currencySymbol: "$")

  /// 2026-01-01T00:00:00Z.
  static let start: Int64 = 1_767_225_600_000
}
