extension SDKFacts {
  /// A change that Tollgate does not model, because it depends on more than a config and a record: the
  /// store, the network, the screen, or earlier launches.
  package struct Note: Sendable {
    package var sdk: SDKName
    package var since: SDKVersion
    package var text: String
    package var source: String
    package var evidence: Evidence
  }

  package static let notes: [Note] = waiting + occurrences + status + texts

  private static let waiting = [
    note(
      .ios, "4.0.0",
      "Placements wait for the config. In earlier versions, a subscriber without a config after "
        + "1 s got no paywall.", "3.12.5 InternalGetPresentationResult.swift"),
    note(
      .ios, "4.16.2",
      "A config request that cannot succeed fails immediately, not after a minute "
        + "of retries.", "changelog 4.16.2", .notes),
    note(
      .android, "2.7.10",
      "After a billing error, placements no longer wait for the status, but fail with "
        + "`SubscriptionStatusTimeout`.", "2.7.10"),
    note(
      .android, "2.7.16", "Placements wait for the config again: first 1 s, then another 5 s.",
      "2.7.16"),
    note(
      .android, "2.7.22",
      "Reading the latest purchase takes at most 5 s. Without this limit and the "
        + "billing fix of 2.7.23, about 2 % of new users stayed at an unknown status, and gated placements "
        + "timed out.", "release page 2.7.22", .notes),
    note(
      .agentWallie, "0.9.0", "A status that becomes active closes paywalls.", "0.9.0"
    ),
  ]

  private static let occurrences = [
    note(
      .ios, "3.3.1", "A presentation that fails no longer counts as an occurrence.",
      "changelog 3.3.1", .notes),
    note(
      .ios, "3.4.5", "Occurrence limits apply to holdouts.", "changelog 3.4.5", .notes),
    note(
      .ios, "3.6.0", "`getPresentationResult` confirms a holdout.", "changelog 3.6.0", .notes),
    note(
      .ios, "3.7.4", "Holdouts of the SDK's own placements are confirmed.", "changelog 3.7.4",
      .notes),
    note(
      .ios, "4.19.1",
      "Each `reset` and `identify` sends one `user_attributes` event, and config "
        + "refreshes run one after the other.", "release page 4.19.1", .notes),
  ]

  private static let status = [
    note(
      .ios, "4.0.3",
      "A refunded purchase is no longer active (StoreKit 2). The fix was completed in 4.14.1.",
      "4.0.3, 4.14.1"),
    note(.ios, "4.2.0", "Entitlements that were bought on the web are active.", "4.2.0"),
    note(.ios, "4.10.0", "`device.customerInfo` contains the purchases of all stores.", "4.10.0"),
    note(
      .ios, "4.10.5",
      "`device.isApplePayAvailable` is true only if the user has a card. Since 4.11.2 it is always true.",
      "4.10.5, 4.11.2"),
    note(.ios, "4.14.1", "`device.isSandbox` no longer changes between launches.", "4.14.1"),
    note(
      .android, "2.0.2",
      "An attribute of a type that JSON lacks no longer makes every condition fail.",
      "2.0.2 SuperscriptEvaluator.kt"),
    note(.android, "2.0.8", "Attributes can contain maps that Kotlin 2 creates.", "2.0.7, 2.0.8"),
    note(.android, "2.6.6", "`device.customerInfo` contains the purchases of all stores.", "2.6.6"),
    note(
      .ios, "4.16.4",
      "Entitlements from StoreKit 1 purchases name the App Store as their "
        + "store.", "4.16.4 6e70dcfce"),
    note(
      .ios, "4.19.1", "A paywall that sets the attribute `$x` no longer deletes `x`.",
      "release page 4.19.1", .notes),
  ]

  private static let texts = [
    note(
      .ios, "4.15.0", "Computed prices are no longer rounded as in the storefront.", "4.15.0"),
    note(.ios, "4.16.0", "Upgrades are checked for an introductory offer.", "4.16.0"),
    note(.android, "1.4.0", "Products have `trialPeriodDays`.", "1.4.0"),
    note(.android, "1.5.0", "Products have `hasFreeTrial`.", "1.5.0"),
    note(
      .android, "2.7.12", "Products of Stripe and Paddle can have introductory offers.", "2.7.12"),
    note(.agentWallie, "0.8.3", "Products have a default label.", "0.8.3"),
    note(.agentWallie, "0.8.4", "Every paywall has its own products.", "0.8.4"),
  ]

  private static func note(
    _ sdk: SDKName, _ since: SDKVersion, _ text: String, _ source: String,
    _ evidence: Evidence = .source
  ) -> Note {
    Note(sdk: sdk, since: since, text: text, source: source, evidence: evidence)
  }

  /// A release of a framework that wraps the SDKs, with the native versions that it contains.
  package struct Wrapper: Sendable {
    package var name: String
    package var version: String
    package var ios: SDKVersion?
    package var android: SDKVersion?
  }

  /// Wrappers report their own version as `platformWrapperVersion`. `sdkVersion` is the version of the native SDK.
  package static let wrappers: [Wrapper] =
    [
      ("0.1.0", "2.2.3"), ("0.2.9", "2.5.5"), ("0.5.0", "2.6.1"), ("0.8.1", "2.6.4"),
      ("1.0.2", "2.6.8"), ("1.0.8", "2.7.8"), ("1.1.1", "2.7.13"), ("1.1.6", "2.7.16"),
      ("1.2.0", "2.7.20"),
    ].map { Wrapper(name: "Expo", version: $0.0, ios: nil, android: SDKVersion($0.1)) }
    + [
      ("2.3.0", "4.4.1", "2.1.1"), ("2.4.1", "4.7.0", "2.5.1"), ("2.4.5", "4.10.6", "2.6.5"),
      ("2.4.7", "4.12.7", "2.6.8"), ("2.4.8", "4.12.10", "2.7.0"),
    ].map {
      Wrapper(name: "Flutter", version: $0.0, ios: SDKVersion($0.1), android: SDKVersion($0.2))
    }
}
