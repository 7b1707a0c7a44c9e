public import Expressions
public import RuleEngine

/// How a presentation ended.
public enum PaywallResult: Hashable, Sendable {
  case purchased(productID: String)
  case declined
  case restored

  /// The result as JSON: `{"type"}`, and `productId` for a purchase.
  public var value: Value {
    switch self {
    case .purchased(let id): .object(["type": "purchased", "productId": .string(id)])
    case .declined: .object(["type": "declined"])
    case .restored: .object(["type": "restored"])
    }
  }
}

/// A paywall that is presented, was presented, or would be presented.
///
/// A time is nil if its event has not happened yet, or if the time is unknown.
public struct PaywallInfo: Hashable, Sendable {
  /// When one kind of loading started, ended or failed.
  public struct LoadTimes: Hashable, Sendable {
    public var start: Instant?
    public var complete: Instant?
    public var fail: Instant?

    public init(start: Instant? = nil, complete: Instant? = nil, fail: Instant? = nil) {
      self.start = start
      self.complete = complete
      self.fail = fail
    }

    /// The seconds from start to end.
    public var duration: Double? {
      guard let start, let complete else { return nil }
      return Double(complete - start) / 1_000
    }
  }

  public var identifier: String
  public var name: String
  public var url: String
  /// An ID that is unique for every presentation.
  public var presentationID: String?
  public var experiment: Decision.Experiment?
  public var products: [PaywallProduct] = []
  public var presentedByPlacement: String?
  public var presentedByEventID: String?
  public var presentedAt: Instant?
  /// How the paywall was triggered: `placement`, or `programmatically` without a placement.
  public var presentedBy: String = "programmatically"
  /// The source of the presentation: `register`, or `implicit` for a paywall that an event of the SDK triggered.
  public var presentationSourceType: String?
  public var responseLoad = LoadTimes()
  public var webViewLoad = LoadTimes()
  public var productsLoad = LoadTimes()
  public var isFreeTrialAvailable = false
  public var featureGating: Paywall.FeatureGating = .nonGated
  public var closeReason: PaywallCloseReason = .none
  public var paywalljsVersion: String?
  public var computedPropertyRequests: [ComputedPropertyRequest] = []
  public var surveys: [Survey] = []
  public var localNotifications: [LocalNotification] = []
  /// The state that the paywall last reported, an object.
  public var state: Value = .map([])

  public var productIDs: [String] { products.map(\.id) }

  public init(identifier: String, name: String = "", url: String = "") {
    self.identifier = identifier
    self.name = name
    self.url = url
  }

  /// A placeholder where the contract requires a paywall but no paywall is open.
  static let none = PaywallInfo(identifier: "")

  /// The JSON form in the SDK contract.
  public var value: Value {
    .map(identityMembers + presentationMembers + loadMembers + contentMembers)
  }

  private typealias Members = [Value.Entry]

  private static func entries(_ pairs: KeyValuePairs<String, Value?>) -> Members {
    guard case .map(let entries) = Value.members(pairs) else { return [] }
    return entries
  }

  private var identityMembers: Members {
    Self.entries([
      "identifier": .string(identifier), "name": .string(name), "url": .string(url),
      "presentationId": presentationID.map { .string($0) }, "experiment": experiment?.value,
      "products": .list(products.map(\.value)), "productIds": .texts(productIDs),
    ])
  }

  private var presentationMembers: Members {
    Self.entries([
      "presentedByEventWithName": presentedByPlacement.map { .string($0) },
      "presentedByEventWithId": presentedByEventID.map { .string($0) },
      "presentedByEventAt": presentedAt.map { .int($0.milliseconds) },
      "presentedBy": .string(presentedBy),
      "presentationSourceType": presentationSourceType.map { .string($0) },
    ])
  }

  private var loadMembers: Members {
    let loads = [
      ("response", responseLoad), ("webView", webViewLoad), ("products", productsLoad),
    ]
    return loads.flatMap { prefix, times in
      Self.entries([
        "\(prefix)LoadStartTime": times.start.map { .int($0.milliseconds) },
        "\(prefix)LoadCompleteTime": times.complete.map { .int($0.milliseconds) },
        "\(prefix)LoadFailTime": times.fail.map { .int($0.milliseconds) },
        "\(prefix)LoadDuration": times.duration.map { .double($0) },
      ])
    }
  }

  private var contentMembers: Members {
    Self.entries([
      "isFreeTrialAvailable": .bool(isFreeTrialAvailable),
      "featureGatingBehavior": .string(featureGating.word),
      "closeReason": .string(closeReason.rawValue),
      "paywalljsVersion": paywalljsVersion.map { .string($0) },
      "computedPropertyRequests": .list(computedPropertyRequests.map(\.value)),
      "surveys": .list(surveys.map(\.value)),
      "localNotifications": .list(localNotifications.map(\.value)),
      "state": state.isObject ? state : .map([]),
    ])
  }
}

extension Paywall.FeatureGating {
  /// The name in the SDK contract.
  var word: String {
    switch self {
    case .gated: "gated"
    case .nonGated: "nonGated"
    }
  }
}

/// A value of the event history that a paywall needs.
public struct ComputedPropertyRequest: Hashable, Sendable {
  /// The name of the type in configs, such as `DAYS_SINCE`.
  public var type: String
  public var placementName: String

  public init(type: String, placementName: String) {
    self.type = type
    self.placementName = placementName
  }

  /// The JSON form in the SDK contract.
  public var value: Value {
    .object(["type": .string(type), "placementName": .string(placementName)])
  }
}

/// A question to the user after a paywall.
public typealias Survey = RuleEngine.Survey

extension Survey {
  /// The JSON form in the SDK contract.
  public var value: Value {
    .object([
      "id": .string(id), "assignmentKey": .string(assignmentKey), "title": .string(title),
      "message": .string(message), "options": .list(options.map(\.value)),
      "presentationCondition": .string(condition.rawValue),
      "presentationProbability": .double(probability),
      "includeOtherOption": .bool(includesOtherOption),
      "includeCloseOption": .bool(includesCloseOption),
    ])
  }
}

extension Survey.Option {
  /// The option for a free-form answer, in surveys with `includesOtherOption`.
  public static let other = Survey.Option(id: "000", title: "Other")

  /// The JSON form in the SDK contract.
  public var value: Value { .object(["id": .string(id), "title": .string(title)]) }
}

/// The user's answer to a survey.
public enum SurveyAnswer: Hashable, Sendable {
  /// The user selected an option. For the option `other`, `customResponse` is the text that the user entered.
  case option(id: String, customResponse: String?)
  case closed
}

/// A notification to schedule when a trial starts.
public typealias LocalNotification = RuleEngine.LocalNotification

extension LocalNotification {
  /// The JSON form in the SDK contract.
  public var value: Value {
    .members([
      "type": "trialStarted", "title": .string(title), "subtitle": subtitle.map { .string($0) },
      "body": .string(body), "delay": .int(delay),
    ])
  }
}
