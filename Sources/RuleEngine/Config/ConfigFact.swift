/// A property of a config that makes some versions of an SDK reject the whole config.
package struct ConfigFact: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A computed property that counts placements.
    case placementProperty
    /// A paywall lacks `presentation_style_v3`, or lacks `presentation_style_v2`.
    case noStyleV3, noStyleV2
    /// A drawer lacks its height or corner radius, or a popup lacks its height, corner radius or width.
    case noStyleSize
    /// A test user has a type that no SDK supports.
    case unknownTestUser
    /// `web2app_config` lacks `restore_access_url`.
    case noRestoreURL
    /// The config has no list of products.
    case noProducts
    /// A rule lacks `preload`.
    case noPreload
    /// A frequency cap is a string.
    case textCap
  }

  package var kind: Kind
  /// The path of the first place with this fact.
  package var path: String
}
