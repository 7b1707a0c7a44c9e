internal import Expressions

/// A paywall as the backend describes it, in the SDK's words. Members that are missing or wrong
/// have the defaults of the native SDKs.
package struct PaywallResponse: Hashable, Sendable {
  /// Whether a trial is offered, whatever the store says.
  enum TrialEligibility: String, Hashable, Sendable {
    case automatic = "AUTOMATIC"
    case eligible = "ALWAYS_ELIGIBLE"
    case ineligible = "ALWAYS_INELIGIBLE"
  }

  var identifier: String
  var name: String
  var url: String
  var gating: FeatureGating
  var products: [PaywallProduct]
  var surveys: [Survey]
  var notifications: [LocalNotification]
  var computedProperties: [ComputedPropertyRequest]
  var trialEligibility: TrialEligibility
  /// Whether Android's back button is the app's first.
  var reroutesBackButton: Bool
  /// The whole of it, for the host.
  var value: Value

  /// Nil when there is no identifier.
  init?(decoding value: Value) {
    guard let identifier = value["identifier"]?.text else { return nil }
    self.identifier = identifier
    name = value["name"]?.text ?? identifier
    url = value["url"]?.text ?? ""
    gating = value["feature_gating"]?.text == "GATED" ? .gated : .nonGated
    let products = value["products_v2"]?.elements ?? value["products_v3"]?.elements ?? []
    self.products = products.compactMap { PaywallProduct(decoding: $0) }
    surveys = (value["surveys"]?.elements ?? []).compactMap { Survey(decoding: $0) }
    notifications = (value["local_notifications"]?.elements ?? [])
      .compactMap { LocalNotification(decoding: $0) }
    computedProperties = (value["computed_properties"]?.elements ?? []).compactMap { property in
      guard let type = property["type"]?.text, let name = property["event_name"]?.text else {
        return nil
      }
      return ComputedPropertyRequest(type: type, placementName: name)
    }
    let eligibility = value["introductory_offer_eligibility"] ?? value["intro_offer_eligibility"]
    trialEligibility = eligibility?.text.flatMap { TrialEligibility(rawValue: $0) } ?? .automatic
    reroutesBackButton = value["reroute_back_button"]?.text == "ENABLED"
    self.value = value
  }
}

extension PaywallProduct {
  /// A product of the static config; nil when the native SDKs would drop it.
  init?(decoding value: Value) {
    guard let product = value["store_product"], let id = product["product_identifier"]?.text,
      let store = product["store"]?.text.flatMap({ StoreKind(rawValue: $0) }),
      let entitlements = value["entitlements"]?.elements
    else { return nil }
    var known: [Entitlement] = []
    for entitlement in entitlements {
      guard let name = entitlement["identifier"]?.text,
        entitlement["type"]?.text == Entitlement.Kind.serviceLevel.rawValue
      else { return nil }
      known.append(Entitlement(id: name))
    }
    self.init(
      id: id, name: value["reference_name"]?.text, store: store, entitlements: known,
      trialDays: product["trial_days"]?.wholeNumber)
  }
}

extension Survey {
  init?(decoding value: Value) {
    guard let id = value["id"]?.text, let key = value["assignment_key"]?.text,
      let condition = value["presentation_condition"]?.text.flatMap({ Condition(rawValue: $0) })
    else { return nil }
    let options = (value["options"]?.elements ?? []).compactMap { option -> Option? in
      guard let id = option["id"]?.text else { return nil }
      return Option(id: id, title: option["title"]?.text ?? "")
    }
    self.init(
      id: id, assignmentKey: key, title: value["title"]?.text ?? "",
      message: value["message"]?.text ?? "", options: options, condition: condition,
      probability: value["presentation_probability"]?.number ?? 0,
      includesOther: value["include_other_option"]?.truth ?? false,
      includesClose: value["include_close_option"]?.truth ?? false)
  }
}

extension LocalNotification {
  init?(decoding value: Value) {
    guard value["type"]?.text == "TRIAL_STARTED", let title = value["title"]?.text else {
      return nil
    }
    self.init(
      title: title, subtitle: value["subtitle"]?.text, body: value["body"]?.text ?? "",
      delay: value["delay"]?.wholeNumber.map { Int64($0) } ?? 0)
  }
}
