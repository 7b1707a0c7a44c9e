package import Expressions

/// A paywall in a config: where it is loaded from, how it is shown, and which products it sells.
public struct Paywall: Hashable, Sendable {
  /// Whether the feature behind a placement requires a purchase.
  public enum FeatureGating: String, Hashable, Sendable, CaseIterable {
    /// The feature runs only after a purchase or a restore.
    case gated = "GATED"
    /// The feature also runs after the paywall is closed without a purchase.
    case nonGated = "NON_GATED"
  }

  /// Which users get the introductory offers of the products.
  package enum OfferEligibility: String, Hashable, Sendable, CaseIterable {
    case automatic = "AUTOMATIC"
    case always = "ALWAYS_ELIGIBLE"
    case never = "ALWAYS_INELIGIBLE"
  }

  /// A place that the paywall can be loaded from.
  package struct Endpoint: Hashable, Sendable {
    package var url: String
    /// The time limit for loading, in milliseconds.
    package var timeout: Double
    /// The endpoint's share of loads, relative to the sum over all endpoints.
    package var weight: Double

    package init(url: String, timeout: Double, weight: Double) {
      self.url = url
      self.timeout = timeout
      self.weight = weight
    }
  }

  public var identifier: String
  public var name: String
  /// The ID that the server uses internally.
  package var databaseID: String?
  package var cacheKey: String?
  package var buildID: String?
  public var url: String?
  package var endpoints: [Endpoint]
  /// The number of endpoints to try.
  package var maxAttempts: Int
  /// The message that the page receives after loading, unchanged from the config.
  package var pageEvent: String?
  package var presentationStyle: PresentationStyle
  /// The delay before the paywall is presented, in milliseconds.
  package var presentationDelay: Int
  /// The condition for showing the paywall in older configs, by its name in the config.
  package var presentationCondition: String?
  public var backgroundColor: String?
  public var darkBackgroundColor: String?
  public var featureGating: FeatureGating
  package var isCachedOnDevice: Bool
  public var isScrollEnabled: Bool
  package var reroutesBackButton: Bool
  package var offerEligibility: OfferEligibility
  public var products: [ProductReference]
  package var computedProperties: [ComputedProperty]
  public var surveys: [Survey]
  public var localNotifications: [LocalNotification]
  /// The files of the page that can be loaded from the device, unchanged from the config.
  package var manifest: Value?
  /// The native paywall, in formats that describe it.
  package var schema: PaywallSchema?

  public init(
    identifier: String, name: String, url: String? = nil, featureGating: FeatureGating = .nonGated,
    products: [ProductReference] = []
  ) {
    self.init(
      identifier: identifier, name: name, databaseID: nil, url: url, featureGating: featureGating,
      products: products)
  }

  package init(
    identifier: String, name: String, databaseID: String? = nil, cacheKey: String? = nil,
    buildID: String? = nil, url: String? = nil, endpoints: [Endpoint] = [], maxAttempts: Int = 0,
    pageEvent: String? = nil, presentationStyle: PresentationStyle = .fullscreen,
    presentationDelay: Int = 0, presentationCondition: String? = nil,
    backgroundColor: String? = nil, darkBackgroundColor: String? = nil,
    featureGating: FeatureGating = .nonGated, isCachedOnDevice: Bool = false,
    isScrollEnabled: Bool = true, reroutesBackButton: Bool = false,
    offerEligibility: OfferEligibility = .automatic, products: [ProductReference] = [],
    computedProperties: [ComputedProperty] = [], surveys: [Survey] = [],
    localNotifications: [LocalNotification] = [], manifest: Value? = nil,
    schema: PaywallSchema? = nil
  ) {
    self.identifier = identifier
    self.name = name
    self.databaseID = databaseID
    self.cacheKey = cacheKey
    self.buildID = buildID
    self.url = url
    self.endpoints = endpoints
    self.maxAttempts = maxAttempts
    self.pageEvent = pageEvent
    self.presentationStyle = presentationStyle
    self.presentationDelay = presentationDelay
    self.presentationCondition = presentationCondition
    self.backgroundColor = backgroundColor
    self.darkBackgroundColor = darkBackgroundColor
    self.featureGating = featureGating
    self.isCachedOnDevice = isCachedOnDevice
    self.isScrollEnabled = isScrollEnabled
    self.reroutesBackButton = reroutesBackButton
    self.offerEligibility = offerEligibility
    self.products = products
    self.computedProperties = computedProperties
    self.surveys = surveys
    self.localNotifications = localNotifications
    self.manifest = manifest
    self.schema = schema
  }
}

/// How a paywall appears. Sizes are percentages of the screen.
package enum PresentationStyle: Hashable, Sendable {
  case modal
  case fullscreen
  case noAnimation
  case push
  case sheet
  case inline
  case drawer(height: Double, cornerRadius: Double)
  case popup(height: Double, width: Double, cornerRadius: Double)
}

/// A question for users that leave a paywall.
///
/// ```swift
/// let paywall = Paywall.decode(superwall: [
///   "identifier": "annual",
///   "surveys": [
///     [
///       "id": "s1", "assignment_key": "why", "title": "Why not?", "message": "",
///       "presentation_condition": "ON_MANUAL_CLOSE", "presentation_probability": 0.5,
///       "options": [["id": "1", "title": "Too expensive"]],
///     ]
///   ],
/// ])
/// let survey = paywall?.surveys.first
/// survey?.options  // [Survey.Option(id: "1", title: "Too expensive")]
/// survey?.isAsked(draw: 0.7)  // false
/// ```
public struct Survey: Hashable, Sendable {
  package enum Condition: String, Hashable, Sendable, CaseIterable {
    case onManualClose = "ON_MANUAL_CLOSE"
    case onPurchase = "ON_PURCHASE"
  }

  /// An answer that the user can choose.
  public struct Option: Hashable, Sendable {
    public var id: String
    public var title: String

    public init(id: String, title: String) {
      self.id = id
      self.title = title
    }
  }

  public var id: String
  /// For each key, a user sees at most one survey.
  public var assignmentKey: String
  public var title: String
  public var message: String
  public var options: [Option]
  package var condition: Condition
  /// The probability that the survey appears when the paywall is closed, from 0 to 1.
  public var probability: Double
  public var includesOtherOption: Bool
  public var includesCloseOption: Bool

  package init(
    id: String, assignmentKey: String, title: String, message: String, options: [Option],
    condition: Condition, probability: Double, includesOtherOption: Bool,
    includesCloseOption: Bool
  ) {
    self.id = id
    self.assignmentKey = assignmentKey
    self.title = title
    self.message = message
    self.options = options
    self.condition = condition
    self.probability = probability
    self.includesOtherOption = includesOtherOption
    self.includesCloseOption = includesCloseOption
  }

  /// Whether to show the survey, given a random number in `0..<1`.
  public func isAsked(draw: Double) -> Bool { draw < probability }
}

/// A notification that is scheduled after a purchase.
///
/// ```swift
/// let reminder = LocalNotification(
///   kind: .trialStarted, title: "Your trial ends soon", body: "Two days left", delay: 432_000_000)
/// reminder.delay / 86_400_000  // 5
/// ```
public struct LocalNotification: Hashable, Sendable {
  /// The event that the notification is about.
  public enum Kind: String, Hashable, Sendable {
    case trialStarted = "TRIAL_STARTED"
  }

  public var id: String?
  public var kind: Kind
  public var title: String
  public var subtitle: String?
  public var body: String
  /// Milliseconds after the purchase.
  public var delay: Int64

  public init(
    id: String? = nil, kind: Kind, title: String, subtitle: String? = nil, body: String,
    delay: Int64
  ) {
    self.id = id
    self.kind = kind
    self.title = title
    self.subtitle = subtitle
    self.body = body
    self.delay = delay
  }
}
