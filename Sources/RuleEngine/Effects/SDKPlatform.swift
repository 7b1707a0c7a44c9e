/// A platform whose public SDK is compared with.
public enum SDKPlatform: String, Hashable, Sendable, CaseIterable {
  case ios = "iOS"
  case android = "Android"
  case web = "Web"

  /// Events of the app that stay when a subject is reset. Everything else that is stored of the
  /// subject goes: its other events, its occurrences, its assignments.
  public var eventsKeptOnReset: [String] {
    switch self {
    case .ios: ["app_install", "app_launch"]
    case .android, .web: []
    }
  }
}
