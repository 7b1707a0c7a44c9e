public import Expressions
internal import RuleEngine

extension SuperwallEvent {
  /// The event as JSON: `{"event": name, ...}`.
  public var value: Value {
    .map([Value.Entry(key: "event", value: .string(name.rawValue))] + payload)
  }

  /// The members other than `event`.
  private var payload: [Value.Entry] {
    let pairs: KeyValuePairs<String, Value?> =
      switch self {
      case .deviceAttributes(let attributes), .userAttributes(let attributes),
        .integrationAttributes(let attributes):
        ["attributes": attributes]
      case .subscriptionStatusDidChange(let status): ["subscriptionStatus": status.value]
      case .deepLink(let url): ["url": .string(url)]
      case .customPlacement(let name, let params, let info):
        ["name": .string(name), "params": params, "paywallInfo": info?.value]
      case .reviewRequested(let count): ["count": .whole(count)]
      case .permissionRequested(let name, let paywall), .permissionGranted(let name, let paywall),
        .permissionDenied(let name, let paywall):
        ["permissionName": .string(name), "paywallIdentifier": .string(paywall)]
      case .paywallPreloadStart(let count), .paywallPreloadComplete(let count):
        ["paywallCount": .whole(count)]
      case .enrichmentComplete(let user, let device):
        ["userEnrichment": user, "deviceEnrichment": device]
      case .adServicesTokenRequestFail(let error): ["error": .string(error)]
      case .adServicesTokenRequestComplete(let token): ["token": .string(token)]
      default: paywallPayload ?? transactionPayload ?? [:]
      }
    guard case .map(let entries) = Value.members(pairs) else { return [] }
    return entries
  }

  /// The members of events about placements and paywalls.
  private var paywallPayload: KeyValuePairs<String, Value?>? {
    switch self {
    case .triggerFire(let placement, let result):
      ["placementName": .string(placement), "result": result.value]
    case .paywallPresentationRequest(let status, let reason):
      ["status": .object(["status": .string(status.rawValue)]), "reason": reason?.value]
    case .paywallOpen(let info), .paywallClose(let info), .paywallDecline(let info),
      .paywallWebviewLoadStart(let info), .paywallWebviewLoadFail(let info),
      .paywallWebviewLoadComplete(let info), .paywallWebviewLoadTimeout(let info),
      .paywallWebviewLoadFallback(let info), .paywallWebviewProcessTerminated(let info),
      .transactionTimeout(let info), .stripeCheckoutStart(let info),
      .stripeCheckoutSubmit(let info), .stripeCheckoutComplete(let info),
      .stripeCheckoutFail(let info):
      ["paywallInfo": info.value]
    case .paywallResponseLoadStart(let placement), .paywallResponseLoadNotFound(let placement),
      .paywallResponseLoadFail(let placement):
      ["triggeredEventName": .string(placement)]
    case .paywallResponseLoadComplete(let placement, let info),
      .paywallProductsLoadStart(let placement, let info),
      .paywallProductsLoadFail(let placement, let info),
      .paywallProductsLoadComplete(let placement, let info):
      ["triggeredEventName": .string(placement), "paywallInfo": info.value]
    case .paywallProductsLoadRetry(let placement, let info, let attempt):
      [
        "triggeredEventName": .string(placement), "paywallInfo": info.value,
        "attempt": .whole(attempt),
      ]
    case .paywallProductsLoadMissingProducts(let placement, let info, let identifiers):
      [
        "triggeredEventName": .string(placement), "paywallInfo": info.value,
        "identifiers": .texts(identifiers),
      ]
    case .paywallPageView(let page, let info):
      ["paywallInfo": info.value, "data": page.value]
    case .surveyResponse(let survey, let option, let text, let info):
      [
        "survey": survey.value, "selectedOption": option.value,
        "customResponse": text.map { .string($0) }, "paywallInfo": info.value,
      ]
    default: nil
    }
  }

  /// The members of events about purchases and restores.
  private var transactionPayload: KeyValuePairs<String, Value?>? {
    switch self {
    case .transactionStart(let product, let info), .transactionAbandon(let product, let info),
      .subscriptionStart(let product, let info), .freeTrialStart(let product, let info),
      .nonRecurringProductPurchase(let product, let info):
      ["product": product.value, "paywallInfo": info.value]
    case .transactionFail(let error, let info):
      ["error": .string(error), "paywallInfo": info.value]
    case .transactionComplete(let transaction, let product, let kind, let info):
      [
        "transaction": transaction?.value, "product": product.value,
        "type": .string(kind.rawValue), "paywallInfo": info.value,
      ]
    case .transactionRestore(let type, let info):
      ["restoreType": type.value, "paywallInfo": info.value]
    case .restoreFail(let message): ["message": .string(message)]
    default: nil
    }
  }
}
