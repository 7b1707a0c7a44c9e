/// How a user is identified.
public struct IdentityOptions: Hashable, Sendable {
  /// Whether `identify`, and placements, wait until the server has said which variants the user
  /// has. Otherwise that happens in the background.
  public var restorePaywallAssignments: Bool

  public init(restorePaywallAssignments: Bool = false) {
    self.restorePaywallAssignments = restorePaywallAssignments
  }
}
