internal import Expressions
internal import Pricing
internal import RuleEngine

// MARK: Buying

extension SDKState {
  /// - Parameter name: the identifier of a product on the open paywall, or the product's slot.
  mutating func buy(_ name: String, shouldDismiss: Bool, offer: PromotionalOffer? = nil) {
    guard let open = presentation else { return }
    if let running = transactions.purchase { return answerTap(on: open.id, while: running) }
    let named =
      open.info.products.first { $0.id == name } ?? open.info.products.first { $0.name == name }
    guard let named else {
      return log(.error, .paywallTransactions, "the paywall does not have the product '\(name)'")
    }
    let productID = named.id
    guard
      let product = open.products.first(where: { $0.id == productID }) ?? StoreProduct(onWeb: named)
    else {
      return log(.error, .paywallTransactions, "the store does not have '\(productID)'")
    }
    if product.store.isWeb {
      return beginCheckout(product, on: open, shouldDismiss: shouldDismiss)
    }
    let slot = PurchaseSlot(
      token: outbox.newToken(), presentationID: open.id, product: product, info: open.info,
      shouldDismiss: shouldDismiss,
      startsTrial: offer == nil && startsTrial(product, on: open.paywall))
    transactions.begin(slot)
    outbox.startTimer(.purchase(slot.token), options.timeouts.transactionNotice)
    track(.transactionStart(product: transactionProduct(product), paywallInfo: open.info))
    outbox.add(.message(id: open.id, .transactionStart(productID: productID)))
    let request = PurchaseRequest(
      product, on: platform, startsTrial: slot.startsTrial, offer: offer)
    switch settings.purchases {
    case .store: outbox.add(.purchase(slot.token, request, byController: false))
    case .controller: outbox.add(.purchase(slot.token, request, byController: true))
    case .listener where transactions.hasListener: outbox.emit(.onPurchase(request))
    case .listener: finishPurchase(StorePurchase(.failed("noPurchaseHandler")), slot.token)
    }
  }

  /// Answers a tap during a purchase. The tap starts no other purchase. The paywall that started the purchase continues
  /// to wait. Another paywall does not start to wait.
  private mutating func answerTap(on presentationID: String, while running: PurchaseSlot) {
    let isSame = presentationID == running.presentationID
    outbox.add(
      .message(
        id: presentationID,
        isSame ? .transactionStart(productID: running.product.id) : .transactionFail))
    log(
      .warn, .paywallTransactions,
      "a purchase of '\(running.product.id)' is running; wait until it has ended")
  }

  mutating func purchaseIsSlow(_ token: Token) {
    guard let slot = transactions.purchase(awaiting: token) else { return }
    log(
      .warn, .paywallTransactions,
      "the purchase of '\(slot.product.id)' has had no answer for "
        + "\(options.timeouts.transactionNotice.words); other purchases must wait until it has ended"
    )
  }

  /// Whether a paywall may promise the user a trial of a product.
  func startsTrial(_ product: StoreProduct, on paywall: PaywallResponse?) -> Bool {
    let mode: TrialRules.Mode =
      switch paywall?.trialEligibility ?? .automatic {
      case .automatic: .automatic
      case .always: .eligible
      case .never: .ineligible
      }
    var history = TrialHistory(storeEligibility: product.isEligibleForOffer)
    if ownership.status != .unknown {
      history.entitlements = ownership.status.entitlements.map { .init(id: $0.id, isActive: true) }
    }
    if let group = product.priced.subscriptionGroupID {
      history.hasActiveSubscriptionInGroup = ownership.products.contains {
        catalog.product($0)?.priced.subscriptionGroupID == group
      }
    }
    var priced = product.priced
    priced.entitlements = config?.entitlements(ofProduct: product.id).map(\.id) ?? []
    return TrialRules(mode: mode, platform: platform)
      .isAvailable(priced, history)
  }

  /// Handles the app's answer to `onPurchase`. Does nothing if no purchase is waiting.
  mutating func didPurchase(_ result: PurchaseResult) {
    guard settings.purchases == .listener, let slot = transactions.purchase else { return }
    finishPurchase(StorePurchase(result), slot.token)
  }

  mutating func finishPurchase(_ result: StorePurchase, _ token: Token) {
    guard let slot = transactions.purchase(awaiting: token) else { return }
    outbox.cancelTimer(.purchase(token))
    let isOwned = result.result == .purchased || result.result == .restored
    if isOwned, settings.purchases == .store {
      transactions.hold(result)
      return loadOwned(for: .purchase)
    }
    if isOwned, options.purchaseMode == .agentWallie { grantEntitlements(of: slot.product.id) }
    conclude(slot, result)
  }

  /// Reports the result of a purchase, and closes the paywall if the same paywall is still open.
  mutating func conclude(_ slot: PurchaseSlot, _ finished: StorePurchase) {
    transactions.endPurchase()
    let current = info(of: slot)
    switch finished.result {
    case .purchased: concludePurchased(slot, finished, current)
    case .restored:
      track(
        .transactionRestore(restoreType: .viaPurchase(finished.transaction), paywallInfo: current))
      tell(slot, .transactionRestore)
      concludeAgentWallie(slot, finished)
      complete(slot, .restored)
    case .cancelled:
      track(.transactionAbandon(product: transactionProduct(slot.product), paywallInfo: current))
      tell(slot, .transactionAbandon)
      if isOpen(slot.presentationID) { replacePaywall(after: .transactionAbandon) }
    case .pending:
      awaitApproval(of: slot)
      concludeFailed(slot, "the payment has to be approved first", current, .purchasePending)
    case .failed(let message):
      let alert = PaywallAlert.purchaseFailed(message: message, code: nil)
      // If the config shows a paywall after failures, that paywall replaces the alert.
      let hasTrigger = config?.hasPlacement(SuperwallEventName.transactionFail.placementName)
      let shows = options.paywalls.shouldShowPurchaseFailureAlert && hasTrigger != true
      concludeFailed(slot, message, current, shows ? alert : nil)
    }
    // The store may have approved an earlier purchase while the user bought the same product again.
    completeApproved()
  }

  /// The paywall of a purchase, in its current state or its state at the start of the purchase.
  private func info(of slot: PurchaseSlot) -> PaywallInfo {
    let info = presentation?.id == slot.presentationID ? presentation?.info : nil
    return info ?? slot.info
  }

  private mutating func concludePurchased(
    _ slot: PurchaseSlot, _ finished: StorePurchase, _ info: PaywallInfo
  ) {
    let product = transactionProduct(slot.product)
    let kind = slot.kind
    track(
      .transactionComplete(
        transaction: finished.transaction, product: product, type: kind, paywallInfo: info))
    switch kind {
    case .freeTrialStart: track(.freeTrialStart(product: product, paywallInfo: info))
    case .subscriptionStart: track(.subscriptionStart(product: product, paywallInfo: info))
    case .nonRecurringProductPurchase:
      track(.nonRecurringProductPurchase(product: product, paywallInfo: info))
    }
    tell(slot, .transactionComplete(productID: slot.product.id))
    if kind == .freeTrialStart {
      for notification in info.localNotifications { outbox.add(.schedule(notification)) }
    }
    concludeAgentWallie(slot, finished)
    complete(slot, .purchased(productID: slot.product.id))
    if settings.purchases == .store { redeemKnownCodes() }
  }

  private mutating func concludeFailed(
    _ slot: PurchaseSlot, _ message: String, _ info: PaywallInfo, _ alert: PaywallAlert?
  ) {
    track(.transactionFail(error: message, paywallInfo: info))
    tell(slot, .transactionFail)
    if isOpen(slot.presentationID), replacePaywall(after: .transactionFail) { return }
    if let alert { outbox.add(.alert(alert)) }
  }

  private func isOpen(_ presentationID: String) -> Bool {
    presentation?.id == presentationID && presentation?.isOpen == true
  }

  private mutating func tell(_ slot: PurchaseSlot, _ message: PaywallMessage) {
    if presentation?.id == slot.presentationID {
      outbox.add(.message(id: slot.presentationID, message))
    }
  }

  /// Records the purchase on its paywall, and closes the paywall unless it is configured to stay. A paywall that is
  /// already closing also reports the purchase.
  private mutating func complete(_ slot: PurchaseSlot, _ result: PaywallResult) {
    guard presentation?.id == slot.presentationID else { return }
    stage.advance { $0.complete(result) }
    guard slot.shouldDismiss, options.paywalls.automaticallyDismiss, presentation?.isOpen == true
    else { return }
    let closing = Closing(reason: .systemLogic)
    if case .purchased = result, askSurvey(.onPurchase, before: closing) { return }
    beginDismissal(closing)
  }
}

// MARK: Purchases that are approved later

extension SDKState {
  /// Stores the purchase until the store reports the product as owned. With a purchase controller, the app is
  /// responsible for approvals.
  private mutating func awaitApproval(of slot: PurchaseSlot) {
    let purchase = PendingPurchase(
      slot.product, slot.kind, on: slot.info, presentationID: slot.presentationID,
      shouldDismiss: slot.shouldDismiss)
    guard settings.purchases == .store, !ownership.products.contains(purchase.storeID) else {
      return
    }
    ownership.keep(purchase)
  }

  /// Completes the purchases that are approved by now, on the paywalls where they began.
  ///
  /// - Parameter purpose: why the owned products were loaded. A purchase that has just ended is completed elsewhere. At
  ///   the start, approvals are reported once the SDK is configured.
  mutating func completeApproved(during purpose: OwnedLoad) {
    if purpose == .purchase, let slot = transactions.purchase {
      ownership.endPending(slot.product.priced.identifier)
    }
    guard purpose != .configuring else { return }
    completeApproved()
  }

  mutating func completeApproved() {
    let running = transactions.purchase?.product.priced.identifier
    for purchase in ownership.takeApproved(except: running) {
      guard let product = purchase.product ?? catalog.product(purchase.productID) else {
        load(ProductLoad(purpose: .approval(purchase), identifiers: [purchase.productID]))
        continue
      }
      complete(purchase, product)
    }
  }

  mutating func complete(_ purchase: PendingPurchase, _ product: StoreProduct) {
    let slot = PurchaseSlot(purchase, product, token: outbox.newToken())
    concludePurchased(slot, StorePurchase(.purchased), info(of: slot))
  }
}

// MARK: Google Play's consumables

extension SDKState {
  mutating func consume(_ purchaseToken: String, _ call: Token) {
    guard platform == .android else { return outbox.complete(call) }
    let token = outbox.newToken()
    transactions.beginPlain(token, for: call)
    outbox.startTimer(.consume(token), options.timeouts.consume)
    outbox.add(.consume(token, purchaseToken))
  }

  mutating func finishConsuming(_ result: Result<String, StoreError>, _ token: Token) {
    guard let call = transactions.takePlain(token) else { return }
    outbox.cancelTimer(.consume(token))
    switch result {
    case .success(let purchaseToken): outbox.complete(call, .text(purchaseToken))
    case .failure(let error): outbox.fail(call, SDKError(.consumeFailed, error.message))
    }
  }
}

extension StoreProduct {
  /// A product that is sold on the web. Device stores do not have the product, and only the backend has its price.
  /// Fails for other products.
  fileprivate init?(onWeb product: PaywallProduct) {
    guard product.store.isWeb else { return nil }
    var priced = PricedProduct(identifier: product.id, store: product.store)
    priced.trialDays = product.trialDays
    self.init(priced)
    entitlements = product.entitlements
  }
}
