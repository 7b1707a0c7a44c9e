internal import Expressions

/// Generated users with realistic attributes: most have no subscription, counts decrease exponentially, some attributes are
/// missing.
struct GeneratedUsers {
  private var random: SplitMix
  private var count = 0

  init(seed: UInt64 = 20_250_101) { random = SplitMix(seed: seed) }

  private static let countries = [
    ("US", 35), ("GB", 8), ("DE", 7), ("FR", 6), ("JP", 7), ("BR", 6), ("IN", 8), ("CA", 4),
    ("AU", 3), ("MX", 4), ("KR", 3), ("ES", 3), ("IT", 3), ("NL", 2), ("SE", 1),
  ].map { (element: $0.0, weight: $0.1) }
  private static let languages = ["en", "de", "fr", "ja", "pt", "es", "ko", "it", "nl", "sv"]
  private static let goals = ["lose_weight", "build_muscle", "sleep", "focus", nil]
  private static let domains = ["gmail.com", "icloud.com", "acme.com", "outlook.com", "uni.edu"]
  private static let statuses = [
    (element: "INACTIVE", weight: 85), (element: "ACTIVE", weight: 12),
    (element: "UNKNOWN", weight: 3),
  ]

  /// The next users, one record each.
  mutating func make(_ count: Int) -> [Value] { (0..<count).map { _ in next() } }

  /// A users file.
  static func lines(_ count: Int) -> [UInt8] {
    var users = GeneratedUsers()
    return users.make(count).flatMap { Array("\($0.json)\n".utf8) }
  }

  private mutating func next() -> Value {
    defer { count += 1 }
    return .object([
      "userId": .string("u_" + padded(count, to: 7)), "user": user(), "device": device(),
    ])
  }

  private mutating func user() -> Value {
    var entries: [Value.Entry] = []
    add("seed", .int(Int64(random.next(below: 100))), to: &entries)
    add("has_trial", .bool(random.isTrue(0.5)), to: &entries)
    add("is_tester", .bool(random.isTrue(0.002)), to: &entries)
    // SDKs do not send unknown attributes.
    if let goal = random.pick(Self.goals) { add("goal", .string(goal), to: &entries) }
    if random.isTrue(0.6) {
      add("email_domain", .string(random.pick(Self.domains)), to: &entries)
    }
    return .map(entries)
  }

  private mutating func device() -> Value {
    var entries: [Value.Entry] = []
    add("country", .string(random.pick(Self.countries)), to: &entries)
    add("language", .string(random.pick(Self.languages)), to: &entries)
    add("platform", .string(random.isTrue(0.7) ? "iOS" : "Android"), to: &entries)
    let version = [
      random.next(in: 1...4), random.next(below: 20), random.next(below: 10),
    ]
    add("appVersion", .string(version.map(String.init).joined(separator: ".")), to: &entries)
    let parts = version.map { padded($0, to: 3) }
    add("appVersionPadded", .string(parts.joined(separator: ".")), to: &entries)
    add("osMajor", number(random.next(in: 14...18)), to: &entries)
    add("daysSinceInstall", number(random.exponential(mean: 60)), to: &entries)
    add("totalSessions", number(random.exponential(mean: 30) + 1), to: &entries)
    let views = random.exponential(mean: 4)
    add("totalPaywallViews", number(views), to: &entries)
    add("minutesSinceLast", number(random.exponential(mean: 2_000)), to: &entries)
    add("subscriptionStatus", .string(random.pick(Self.statuses)), to: &entries)
    if views > 0 {
      add("daysSinceLastPaywallView", number(random.exponential(mean: 10)), to: &entries)
    }
    return .map(entries)
  }

  private func number(_ number: Int) -> Value { .int(Int64(number)) }

  private func padded(_ number: Int, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  private func add(_ name: String, _ value: Value, to entries: inout [Value.Entry]) {
    entries.append(Value.Entry(key: .string(name), value: value))
  }
}
