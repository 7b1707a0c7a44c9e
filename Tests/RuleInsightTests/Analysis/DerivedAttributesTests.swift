import Expressions
import RuleEngine
import Testing

@testable import RuleEngine
@testable import RuleInsight

/// What follows from a device's attribute follows when that is changed.
@Suite struct DerivedAttributesTests {
  private static func device(_ members: [(String, Value)]) -> Value {
    var record: Value = .map([])
    for (name, value) in members { record = record.setting(["device", name][...], to: value) }
    return record
  }

  private static let record = device([
    ("appVersion", "1.2.3"), ("appVersionPadded", "001.002.003"), ("daysSinceInstall", 2),
    ("minutesSinceInstall", 2_885),
  ])

  /// Sets attributes of the device, and tells the device, with what was changed besides.
  private func follow(
    _ changes: [(String, Value)], of record: Value = record, on platform: Platform? = .ios
  ) -> String? {
    var changed = record
    for (name, value) in changes { changed = changed.setting(["device", name][...], to: value) }
    let paths = changes.map { AttributePath(["device", $0.0]) }
    guard let followed = DerivedAttributes(record, on: platform).follow(&changed, paths) else {
      return nil
    }
    let device = changed["device"] ?? .null
    return followed.map { "\($0.names[1])=\(device[$0.names[1]]?.json ?? "-")" }.joined()
  }

  @Test(
    arguments: [
      ("appVersion", Value.string("12.0.7"), "appVersionPadded=\"012.000.007\""),
      ("appVersionPadded", "010.000.004", "appVersion=\"10.0.4\""),
      ("appVersionPadded", "10.0.4", ""),
      ("appVersion", 5, ""),
      // The time of day stays.
      ("daysSinceInstall", 0, "minutesSinceInstall=5"),
      ("daysSinceInstall", 3, "minutesSinceInstall=4325"),
      ("daysSinceInstall", -1, ""),
      ("daysSinceInstall", .int(.max), ""),
      ("daysSinceInstall", .int(Int64.max / 1_440), ""),
      ("minutesSinceInstall", 0, "daysSinceInstall=0"),
      ("minutesSinceInstall", 1_439, "daysSinceInstall=0"),
      ("minutesSinceInstall", 1_440, "daysSinceInstall=1"),
      ("minutesSinceInstall", -1, ""),
      ("minutesSinceInstall", 2_881, ""),
    ])
  func whatFollows(name: String, value: Value, wanted: String) {
    #expect(follow([(name, value)]) == wanted)
  }

  @Test func bothAreChanged() {
    #expect(follow([("daysSinceInstall", 0), ("minutesSinceInstall", 1_439)]) == "")
    #expect(follow([("daysSinceInstall", 0), ("minutesSinceInstall", 0)]) == "")
    #expect(follow([("daysSinceInstall", 0), ("minutesSinceInstall", 1_440)]) == nil)
    #expect(follow([("daysSinceInstall", 0), ("minutesSinceInstall", -1)]) == nil)
    #expect(follow([("appVersion", "2.0.0"), ("appVersionPadded", "002.000.000")]) == "")
    #expect(follow([("appVersion", "2.0.0"), ("appVersionPadded", "002.000.001")]) == nil)
  }

  /// What does not agree from the beginning is not held together.
  @Test func whatDidNotAgree() {
    let odd = Self.device([
      ("appVersion", "1.2.3"), ("appVersionPadded", "001.002.004"), ("daysSinceInstall", 2),
      ("minutesSinceInstall", 2_879),
    ])
    #expect(follow([("appVersion", "2.0.0")], of: odd) == "")
    #expect(follow([("minutesSinceInstall", 0)], of: odd) == "")
    let negative = Self.device([("daysSinceInstall", 0), ("minutesSinceInstall", -1)])
    #expect(follow([("daysSinceInstall", 1)], of: negative) == "")
  }

  /// The web pads four parts.
  @Test func widthOfVersions() {
    let web = Self.device([("appVersion", "1.2.3"), ("appVersionPadded", "0001.0002.0003")])
    #expect(
      follow([("appVersion", "4.5.6")], of: web, on: .web)
        == "appVersionPadded=\"0004.0005.0006\"")
    #expect(follow([("appVersion", "4.5.6")], of: web, on: .ios) == "")
  }

  @Test func reconciling() {
    let names = ["daysSinceInstall", "minutesSinceInstall"]
    let paths = names.map { AttributePath(["device", $0]) }
    var changed = Self.record
    for (name, value) in zip(names, [Value.int(7), .int(1_441)]) {
      changed = changed.setting(["device", name][...], to: value)
    }
    func device(_ isForward: Bool, _ paths: [AttributePath]) -> [String?] {
      let found = DerivedAttributes(Self.record, on: .ios)
        .reconciled(changed, paths, isForward: isForward)
      return names.map { found["device"]?[$0]?.json }
    }
    #expect(device(true, paths) == ["7", "10081"])
    #expect(device(false, paths) == ["1", "1441"])
    #expect(device(false, [paths[0]]) == ["7", "1441"])
  }
}
