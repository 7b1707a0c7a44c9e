/// Something in the text of a config that makes some versions of an SDK reject the whole of it.
package struct ConfigFact: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A computed property that counts placements.
    case placementProperty
    /// A paywall without `presentation_style_v3`, or without `presentation_style_v2`.
    case noStyleV3, noStyleV2
    /// A drawer without its height and corner radius, or a popup without these and its width.
    case noStyleSize
    /// A test user of a type that no SDK knows.
    case unknownTestUser
    /// `web2app_config` without `restore_access_url`.
    case noRestoreURL
    /// No list of products.
    case noProducts
    /// A rule without `preload`.
    case noPreload
    /// A frequency cap that is a string.
    case textCap
  }

  package var kind: Kind
  /// The first place.
  package var path: String
}
