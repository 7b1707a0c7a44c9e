package import Expressions
package import Pricing

/// The known facts about SDK versions: the one table that profiles, checks and
/// `docs/sdk-versions.md` read. Each row names its source.
package enum SDKFacts {
  /// The certainty of a fact.
  package enum Evidence: String, Sendable {
    /// The source was read before and after the change.
    case source
    /// Only a changelog or a release page mentions the change.
    case notes
    /// Only excerpts of the change were available.
    case excerpts
  }

  // MARK: Evaluators

  /// The evaluator that an SDK has from a version on.
  package struct Evaluator: Sendable {
    package var sdk: SDKName
    /// The way in which the SDK is distributed; nil for every way.
    package var packaging: SDKProfile.Packaging?
    package var since: SDKVersion
    /// The behavior of the evaluator. Nil for JavaScript, which this engine does not evaluate.
    package var behavior: EvaluatorBehavior?
    /// Whether an expression that panics terminates the app.
    package var aborts: Bool
    package var release: String
    package var source: String
  }

  package static let evaluators: [Evaluator] = [
    row(.ios, nil, "1.0.0", nil, false, "JavaScript", "ExpressionEvaluator.swift 3.12.5"),
    row(.ios, .swiftPM, "4.0.0", .raw, true, "0.1.17 to 0.2.8", "Package.swift by tag"),
    row(.ios, .swiftPM, "4.7.0", .numeric, true, "1.0.2 to 1.0.10", "Package.swift by tag"),
    row(.ios, .swiftPM, "4.12.0", .skip, true, "1.0.12", "Package.swift 4.12.0"),
    row(.ios, .swiftPM, "4.12.9", .text, true, "1.0.13, 1.0.14", "Package.swift 4.12.9, 4.15.2"),
    row(.ios, .pods, "4.0.0", .raw, true, "0.1.17 to 0.2.8", "SuperwallKit.podspec by tag"),
    row(.ios, .pods, "4.8.1", .numeric, true, "1.0.2 to 1.0.10", "SuperwallKit.podspec by tag"),
    row(.ios, .pods, "4.12.0", .skip, true, "1.0.12", "SuperwallKit.podspec 4.12.0"),
    row(.ios, .pods, "4.13.0", .text, true, "1.0.13, 1.0.14", "SuperwallKit.podspec 4.13.0"),
    row(.ios, nil, "4.16.2", .text, false, "1.0.15", "Package.swift 4.16.2; its changelog"),
    row(.android, nil, "1.0.0", nil, false, "JavaScript", "ExpressionEvaluator.kt 1.5.5"),
    row(.android, nil, "2.0.0", .raw, true, "0.1.17 to 0.2.8", "libs.versions.toml by tag"),
    row(.android, nil, "2.4.0", .numeric, true, "1.0.2 to 1.0.4", "libs.versions.toml by tag"),
    row(.android, nil, "2.7.0", .text, true, "1.0.13", "libs.versions.toml 2.7.0 to 2.7.19"),
    row(
      .android, nil, "2.7.20", .text, false, "not known", "no source after 2.7.19; assumed"),
    row(.web, nil, "0.1.0", .numeric, false, "1.0.2", "package.json, bun.lock 0.2.6"),
  ]

  private static func row(
    _ sdk: SDKName, _ packaging: SDKProfile.Packaging?, _ since: SDKVersion,
    _ behavior: EvaluatorBehavior?, _ aborts: Bool, _ release: String, _ source: String
  ) -> Evaluator {
    Evaluator(
      sdk: sdk, packaging: packaging, since: since, behavior: behavior, aborts: aborts,
      release: release, source: source)
  }

  // MARK: Attributes, parameters, functions

  /// An item that an SDK sends from one version on, up to but not including another version.
  package struct Sent: Sendable {
    /// A member of `device`, a function, or a parameter. A final `*` matches any suffix.
    package var name: String
    package var sdk: SDKName
    package var since: SDKVersion
    package var until: SDKVersion?
    /// The placement that the parameter belongs to, or nil if the item is not a parameter.
    package var placement: String?

    package func matches(_ other: String) -> Bool {
      name.last == "*" ? other.hasPrefix(name.dropLast()) : other == name
    }

    func holds(_ version: SDKVersion) -> Bool {
      version >= since && until.map { version < $0 } ?? true
    }
  }

  /// Members of `device`. Every version sends the members that are not listed.
  package static let attributes: [Sent] =
    since(
      .ios, "DeviceTemplate.swift by tag",
      [
        "3.2.0": ["interfaceType"],
        "3.4.0": ["sdkVersion", "sdkVersionPadded", "appBuildString", "appBuildStringNumber"],
        "3.4.8": ["preferredLocale", "preferredLanguageCode"],
        "3.6.0": ["regionCode", "preferredRegionCode"], "3.6.2": ["interfaceStyleMode"],
        "3.7.0": ["capabilities", "capabilitiesConfig", "capabilities_config"],
        "3.9.0": ["platformWrapper", "platformWrapperVersion"], "3.12.0": ["appVersionPadded"],
        "4.0.0": ["activeEntitlements", "activeEntitlementObjects", "activeProducts"],
        "4.2.0": ["demandScore", "demandTier"], "4.3.0": ["latestSubscription*"],
        "4.3.6": ["storeFront*"], "4.6.0": ["appTransactionId"],
        "4.7.0": ["swiftVersion", "compilerVersion"], "4.8.0": ["deviceId"],
        "4.9.0": ["isApplePayAvailable", "totalReviewRequests"], "4.10.0": ["customerInfo"],
        "4.13.0": ["localResourceIds"],
        "4.16.2": ["fontScale", "fontSize", "preferredContentSizeCategory"],
      ])
    + since(
      .android, "DeviceHelper.kt by tag",
      [
        "1.1.0": ["interfaceStyleMode", "regionCode"],
        "1.2.1": ["capabilities", "capabilitiesConfig", "capabilities_config"],
        "1.2.2": ["platform_wrapper", "platformWrapper"],
        "1.2.6": ["platform_wrapper_version", "platformWrapperVersion"],
        "1.4.1": ["appVersionPadded"],
        "2.0.0": ["activeEntitlements", "activeEntitlementsObject", "activeProducts"],
        "2.2.2": ["deviceTier", "demandScore"], "2.3.0": ["latestSubscription*"],
        "2.5.0": ["kotlinVersion"], "2.5.3": ["deviceId", "reviewRequestCount"],
        "2.0.7": ["subscriptionStatus"],
      ])
    + geo.flatMap { name in
      [
        Sent(name: name, sdk: .ios, since: "3.6.3", until: "4.0.7"),
        Sent(name: name, sdk: .android, since: "1.1.6", until: "2.2.2"),
      ]
    }

  private static let geo = [
    "ipRegion", "ipRegionCode", "ipCountry", "ipCity", "ipContinent", "ipTimezone",
  ]

  private static func since(
    _ sdk: SDKName, _ source: String, _ names: KeyValuePairs<String, [String]>
  ) -> [Sent] {
    names.flatMap { version, names in
      names.map { Sent(name: $0, sdk: sdk, since: SDKVersion(version) ?? "0.0.0") }
    }
  }

  /// Parameters that the SDK adds to the placements of its own events.
  package static let parameters: [Sent] =
    [
      Sent(
        name: "abandoned_product_id", sdk: .ios, since: "3.7.0", placement: "transaction_abandon"),
      Sent(
        name: "abandoned_product_id", sdk: .android, since: "1.2.1",
        placement: "transaction_abandon"),
      Sent(
        name: "abandoned_product_*", sdk: .ios, since: "4.15.1", placement: "transaction_abandon"),
    ]
    + ["url", "path", "host", "query", "fragment", "pathExtension", "lastPathComponent"].map {
      Sent(name: $0, sdk: .ios, since: "4.5.0", placement: "deepLink_open")
    }

  /// Functions of the host. Before iOS 4.7.0, only the functions of a rule's computed properties exist, under
  /// `computed`.
  package static let functions: [Sent] =
    HostFunction.allCases.flatMap { function -> [Sent] in
      function.platforms.map { platform in
        switch platform {
        case .ios: Sent(name: function.rawValue, sdk: .ios, since: "4.7.0")
        case .web: Sent(name: function.rawValue, sdk: .web, since: "0.1.0")
        case .android:
          Sent(
            name: function.rawValue, sdk: .android,
            since: function.isAboutReviews
              ? "2.5.3" : function.rawValue.hasPrefix("placements") ? "2.3.2" : "2.0.0")
        }
      }
    }

  // MARK: Switches

  /// A behavior that only some versions have.
  package enum Switch: String, Sendable, CaseIterable {
    /// Rules are read in JavaScript, and `expression_cel` is not read.
    case javaScript
    /// A subscriber sees no paywall, except a paywall that is always presented.
    case subscriptionGate
    /// Shares of variants are summed as doubles.
    case floatingShares
    /// An unconfirmed assignment is drawn again at every launch.
    case redrawsUnconfirmed
    /// Functions about times return null.
    case nullTimes
    /// Rules can call only the functions of their computed properties.
    case requestedFunctions
    /// An attribute that is null makes every condition fail.
    case failsOnNull
    /// Rules read an attribute that is `null` as null.
    case keepsNull
    /// `reset` forgets `app_install` and `app_launch`.
    case forgetsInstall
    /// Between `reset` and the next launch `user.seed` is missing.
    case losesSeed
    /// A placement with a reserved name returns an error.
    case reservedIsError
    /// Padded versions use the digits of the device's locale.
    case localDigits
    /// Declining the paywall of an exit offer leads to the next paywall.
    case exitOfferChain
    /// Web entitlements stay when the server's answer contains no entitlements.
    case keepsWebEntitlements
    /// If the App Store reports no products, the status stays until it expires.
    case keepsStatus
    /// Products of other stores are read.
    case stripeProducts
    case paddleProducts
    case customProducts
    /// Computed properties that count placements are read.
    case placementProperties
    /// Conditions can read `platform` and `os_version`.
    case topLevelPlatform
    /// A frequency cap may be a string.
    case textCaps
    /// Placements wait for the config.
    case queuesPlacements
    /// A label from the server replaces the period.
    case displayPeriods
  }

  /// The versions that have a switch: from `since` on, up to but not including `until`.
  package struct Range: Sendable {
    package var what: Switch
    package var sdk: SDKName
    package var since: SDKVersion
    package var until: SDKVersion?
    package var text: String
    package var source: String
    package var evidence: Evidence
  }

  package static let ranges: [Range] = [
    range(
      .javaScript, .ios, "1.0.0", "4.0.0",
      "Rules are JavaScript: `expression_js` or `expression`. A rule with neither key matches every user.",
      "3.12.5 ExpressionEvaluator.swift:35,99; TriggerRule.swift:122"),
    range(
      .javaScript, .android, "1.0.0", "2.0.0",
      "Rules are JavaScript: `expression_js` or `expression`. A rule with neither key matches every user.",
      "1.5.5 ExpressionEvaluator.kt"),
    range(
      .subscriptionGate, .ios, "1.0.0", "4.0.0",
      "Subscribers get no paywall unless the paywall's `presentation_condition` is ALWAYS. Their result is "
        + "`userIsSubscribed`.", "3.12.5 InternalGetPresentationResult.swift:47"),
    range(
      .subscriptionGate, .android, "1.0.0", "2.0.0",
      "Subscribers get no paywall unless the paywall's `presentation_condition` is ALWAYS. Their result is "
        + "`userIsSubscribed`.", "1.5.5 CheckUserSubscription.kt"),
    range(
      .floatingShares, .ios, "1.0.0", "3.12.4",
      "Variant shares are summed as doubles: with shares of 10, 20 and 70, a draw of 30 gives the second variant.",
      "3.12.4 ConfigLogic.swift"),
    range(
      .floatingShares, .android, "1.0.0", "1.5.5",
      "Variant shares are summed as doubles: with shares of 10, 20 and 70, a draw of 30 gives the second variant.",
      "1.5.5 ConfigLogic.kt"),
    range(
      .redrawsUnconfirmed, .ios, "1.0.0", "4.0.2",
      "An unconfirmed assignment is drawn again at every launch.",
      "4.0.2 5d7f46730; AudienceLogic.swift"),
    range(
      .redrawsUnconfirmed, .android, "1.0.0", nil,
      "An unconfirmed assignment is drawn again at every launch.",
      "2.7.19 Assignments.kt"
    ),
    range(
      .nullTimes, .android, "2.0.0", "2.3.2",
      "`minutesSince` and the other time functions return null.",
      "2.3.2 ComputedPropertyRequest.kt"
    ),
    range(
      .requestedFunctions, .ios, "4.0.0", "4.7.0",
      "Rules can call only the functions listed in `computed_properties`, as members of `computed`.",
      "4.7.0 CELEvaluator.swift:65"),
    range(
      .failsOnNull, .ios, "4.0.0", "4.0.1",
      "If any attribute is null, at any depth, every condition fails.",
      "4.0.1 EvaluationContext.swift, PassableValue.swift"),
    range(
      .keepsNull, .ios, "4.17.0", nil,
      "Rules read `null` as null. Earlier versions read it as an empty map.", "pull request 517",
      .excerpts),
    range(
      .forgetsInstall, .ios, "1.0.0", "4.12.10",
      "`reset` forgets `app_install` and `app_launch`.", "4.12.10 CoreDataManager.swift"),
    range(
      .losesSeed, .ios, "1.0.0", "4.19.1",
      "After `reset`, `user.seed` and `user.aliasId` are missing.", "release page 4.19.1", .notes),
    range(
      .reservedIsError, .ios, "4.19.1", nil,
      "Registering a reserved name is an error. Earlier versions ignored the call.",
      "release page 4.19.1", .notes),
    range(
      .localDigits, .android, "1.4.1", "2.7.13",
      "Padded versions use the digits of the device's locale, such as Arabic digits.",
      "2.7.13 VersionPadding.kt"),
    range(
      .exitOfferChain, .android, "2.6.6", nil,
      "Declining the paywall of an exit offer shows the paywall of `paywall_decline`.",
      "2.6.6 TrackingLogic.kt"),
    range(
      .keepsWebEntitlements, .ios, "4.16.4", nil,
      "If the server returns no web entitlements, the stored ones stay until they expire.",
      "4.16.4 WebEntitlementRedeemer.swift"),
    range(
      .keepsStatus, .ios, "4.16.4", nil,
      "If the App Store returns no purchases after a launch, an active status stays until it expires. "
        + "A refund also ends the status.", "4.16.4 7a8178751, 606f7a7bf, 81f3ea6e0"),
    range(
      .stripeProducts, .ios, "4.9.0", nil,
      "Products of the store STRIPE are read. Earlier versions dropped them.",
      "4.9.0 ProductStore.swift"
    ),
    range(
      .stripeProducts, .android, "2.6.0", nil,
      "Products of the store STRIPE are read. In earlier versions, their store was unknown.",
      "2.6.0 ProductItem.kt"),
    range(
      .paddleProducts, .ios, "4.10.0", nil,
      "Products of the store PADDLE are read. Earlier versions dropped them.",
      "4.10.0 PaddleProduct.swift"),
    range(
      .paddleProducts, .android, "2.6.0", nil,
      "Products of the store PADDLE are read. In earlier versions, their store was unknown.",
      "2.6.0 ProductItem.kt"),
    range(
      .customProducts, .ios, "4.15.0", nil,
      "Products of the store CUSTOM are read. Earlier versions dropped them.",
      "4.15.0 Product.swift"),
    range(
      .placementProperties, .ios, "4.7.0", nil,
      "Computed properties of the types PLACEMENTS_* are read. Earlier versions dropped them.",
      "4.7.0 ComputedPropertyRequest.swift"),
    range(
      .topLevelPlatform, .agentWallie, "0.4.4", nil,
      "The conditions `platform` and `os_version` have a value.", "0.4.4 UserManager.swift"),
    range(
      .textCaps, .agentWallie, "0.4.3", nil,
      "A frequency cap may be a string. Earlier versions rejected the config.",
      "0.4.3 Campaign.swift"),
    range(
      .queuesPlacements, .agentWallie, "0.9.0", nil,
      "Placements wait for the config. Earlier versions ran the handler immediately.",
      "0.9.0 AgentWallie.swift"),
    range(
      .displayPeriods, .agentWallie, "0.8.2", nil,
      "The label of a period is `display_period` from the server.", "0.8.2 ProductResolver.swift"),
  ]

  private static func range(
    _ what: Switch, _ sdk: SDKName, _ since: SDKVersion, _ until: SDKVersion?, _ text: String,
    _ source: String, _ evidence: Evidence = .source
  ) -> Range {
    Range(
      what: what, sdk: sdk, since: since, until: until, text: text, source: source,
      evidence: evidence)
  }

  // MARK: Prices

  /// How an SDK divides prices among units of time, from a version on.
  package struct PriceRow: Sendable {
    package var sdk: SDKName
    package var since: SDKVersion
    package var era: PriceEra
    package var text: String
    package var source: String
  }

  package static let pricing: [PriceRow] = [
    PriceRow(
      sdk: .ios, since: "1.0.0", era: .whole, text: "A month has 30 days or 4 weeks.",
      source: "SubscriptionPeriod.swift 3.12.5"),
    PriceRow(
      sdk: .ios, since: "4.0.0", era: .inverted,
      text:
        "A month has 30 days or 4 weeks, but the daily price of a weekly product is 7 times its price (StoreKit 2).",
      source: "SK2StoreProduct.swift 4.7.0"),
    PriceRow(
      sdk: .ios, since: "4.8.0", era: .whole, text: "A month has 30 days or 4 weeks.",
      source: "SK2StoreProduct.swift 4.8.0"),
    PriceRow(
      sdk: .ios, since: "4.14.1", era: .fractions,
      text: "A year has 365 days, 52 weeks and 12 months, and a week has 365/52 days.",
      source: "0e048c03b (4.14.1)"),
    PriceRow(
      sdk: .ios, since: "4.15.3", era: .exact,
      text: "A year has 365 days, 52 weeks and 12 months, and a week has 7 days.",
      source: "9b1635c56 (4.15.3)"),
    PriceRow(
      sdk: .android, since: "1.0.0", era: .whole,
      text: "A month has 30 days, and a monthly price is 4 times the weekly price.",
      source: "SubscriptionPeriod.kt 2.7.3"),
    PriceRow(
      sdk: .android, since: "2.7.4", era: .fractions,
      text: "A year has 365 days, 52 weeks and 12 months, and a week has 365/52 days.",
      source: "SubscriptionPeriod.kt 2.7.4"),
    PriceRow(
      sdk: .android, since: "2.7.15", era: .exact,
      text: "A year has 365 days, 52 weeks and 12 months, and a week has 7 days.",
      source: "SubscriptionPeriod.kt 2.7.15"),
  ]

  // MARK: Newest

  /// The newest version whose source is known, and the newest with known release notes.
  package static func newest(_ sdk: SDKName) -> (source: SDKVersion, notes: SDKVersion) {
    switch sdk {
    case .ios: ("4.16.4", "4.19.1")
    case .android: ("2.7.19", "2.7.23")
    case .web: ("0.2.6", "0.2.6")
    case .agentWallie: ("0.9.0", "0.9.0")
    }
  }

  /// The oldest version that the table distinguishes.
  package static func oldest(_ sdk: SDKName) -> SDKVersion {
    sdk == .ios ? "3.0.0" : sdk == .android ? "1.0.0" : "0.1.0"
  }
}

extension HostFunction {
  /// Whether the function counts or requests reviews.
  var isAboutReviews: Bool { rawValue.contains("eview") }
}
