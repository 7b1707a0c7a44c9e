public import Expressions

/// A paywall as a config describes it: where it is loaded from, how it is shown, what it sells.
public struct Paywall: Hashable, Sendable {
  /// Whether the feature behind a placement is for everybody or for those who pay.
  public enum FeatureGating: String, Hashable, Sendable, CaseIterable {
    /// The feature runs only after a purchase or a restore.
    case gated = "GATED"
    /// The feature runs also when the paywall was closed without a purchase.
    case nonGated = "NON_GATED"
  }

  /// Who gets the introductory offers of the products.
  public enum OfferEligibility: String, Hashable, Sendable, CaseIterable {
    case automatic = "AUTOMATIC"
    case always = "ALWAYS_ELIGIBLE"
    case never = "ALWAYS_INELIGIBLE"
  }

  /// A place that the paywall can be loaded from.
  public struct Endpoint: Hashable, Sendable {
    public var url: String
    /// Milliseconds.
    public var timeout: Double
    /// Share of loads in relation to the sum over the endpoints.
    public var weight: Double

    public init(url: String, timeout: Double, weight: Double) {
      self.url = url
      self.timeout = timeout
      self.weight = weight
    }
  }

  public var identifier: String
  public var name: String
  /// The server's own ID.
  public var databaseID: String?
  public var cacheKey: String?
  public var buildID: String?
  public var url: String?
  public var endpoints: [Endpoint]
  /// How many endpoints are tried.
  public var maxAttempts: Int
  /// The message that the page is sent when it has loaded, as the config has it.
  public var pageEvent: String?
  public var presentationStyle: PresentationStyle
  /// Milliseconds.
  public var presentationDelay: Int
  /// When the paywall may be shown, in older configs, by its name in the field.
  public var presentationCondition: String?
  public var backgroundColor: String?
  public var darkBackgroundColor: String?
  public var featureGating: FeatureGating
  public var isCachedOnDevice: Bool
  public var isScrollEnabled: Bool
  public var reroutesBackButton: Bool
  public var offerEligibility: OfferEligibility
  public var products: [ProductReference]
  public var computedProperties: [ComputedProperty]
  public var surveys: [Survey]
  public var localNotifications: [LocalNotification]
  /// Files of the page for loading from the device, as the config has them.
  public var manifest: Value?
  /// The native paywall, in formats that describe it.
  public var schema: PaywallSchema?

  public init(
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

/// How a paywall comes onto the screen. Measures are percentages of the screen.
public enum PresentationStyle: Hashable, Sendable {
  case modal
  case fullscreen
  case noAnimation
  case push
  case sheet
  case inline
  case drawer(height: Double, cornerRadius: Double)
  case popup(height: Double, width: Double, cornerRadius: Double)
}

/// A question that is asked when a paywall is left.
public struct Survey: Hashable, Sendable {
  public enum Condition: String, Hashable, Sendable, CaseIterable {
    case onManualClose = "ON_MANUAL_CLOSE"
    case onPurchase = "ON_PURCHASE"
  }

  public struct Option: Hashable, Sendable {
    public var id: String
    public var title: String

    public init(id: String, title: String) {
      self.id = id
      self.title = title
    }
  }

  public var id: String
  /// One survey is shown for each key, ever.
  public var assignmentKey: String
  public var title: String
  public var message: String
  public var options: [Option]
  public var condition: Condition
  /// The share of closings at which it is asked: 0 never, 1 always.
  public var probability: Double
  public var includesOtherOption: Bool
  public var includesCloseOption: Bool

  public init(
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

  /// Whether the survey is asked, for a number in `0..<1`.
  public func isAsked(draw: Double) -> Bool { draw < probability }
}

/// A notification that is scheduled when something was bought.
public struct LocalNotification: Hashable, Sendable {
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
