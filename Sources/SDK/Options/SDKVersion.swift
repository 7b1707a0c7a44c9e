/// The SDK's own version, as rules and servers see it.
enum SDKVersion {
  static let current = "0.1.0"
}
