import Expressions
import RuleEngine

@testable import SDK

/// A ``StateRun`` whose requests are answered by the last part of their path, one step at a time.
struct BackendRun {
  var run: StateRun
  /// What the last step had others do.
  private(set) var effects: [Effect] = []
  private var open: [(token: Token, name: String)] = []

  /// A configured run.
  init(
    stored: Value = [:], config: Value = Samples.config, options: TollgateOptions = .init(),
    purchases: PurchaseHandling = .store
  ) {
    let inactive: Value = ["status": ["status": "INACTIVE"]]
    run = StateRun(stored: inactive.merging(patch: stored))
    run.configure(config, options: options, purchases: purchases)
  }

  mutating func step(_ body: (inout StateRun) -> Void) {
    body(&run)
    effects = run.take()
    open += effects.requests.map { ($0.token, $0.request.segments.last ?? "") }
    for effect in effects {
      // An attempt whose time is over has no answer.
      if case .startTimer(.retry(let token), _) = effect { open.removeAll { $0.token == token } }
    }
  }

  mutating func answer(_ name: String, _ json: Value = [:], status: Int = 200) {
    guard let place = open.firstIndex(where: { $0.name == name }) else {
      effects = []
      return
    }
    let token = open.remove(at: place).token
    step { $0.answer(token, json, status: status) }
  }

  mutating func fire(_ timer: TimerID, after milliseconds: Int64 = 0) {
    run.now = run.now + milliseconds
    step { $0.handle(.timer(timer)) }
  }

  mutating func report(_ report: PresentationReport) { step { $0.report(report) } }

  mutating func open(_ url: String) { step { $0.call(.handleDeepLink(url)) } }

  mutating func foreground(after milliseconds: Int64 = 0) {
    run.now = run.now + milliseconds
    step { $0.handle(.application(.foreground)) }
  }

  var state: SDKState { run.state }
  /// The last parts of the paths of requests that nobody has answered.
  var waiting: [String] { open.map(\.name) }
  var sent: [String] { effects.requests.map { $0.request.segments.last ?? "" } }
  var body: Value? { effects.requests.first?.request.body }
  var limits: [Int64] {
    effects.timers.compactMap { if case .requestLimit = $0.id { $0.milliseconds } else { nil } }
  }
  var pauses: [Int64] {
    effects.timers.compactMap { if case .checkout = $0.id { $0.milliseconds } else { nil } }
  }
  var retries: Int {
    effects.timers.count { if case .retry = $0.id { true } else { false } }
  }
  var tracked: [SuperwallEventName] { effects.tracked.filter { $0 != .deviceAttributes } }

  /// What the app hears of links, and which paywalls go away or show an alert.
  var told: [String] {
    effects.compactMap { effect in
      switch effect {
      case .emit(.willRedeemLink): "will"
      case .emit(.didRedeemLink(let result)): "did \(result.code)"
      case .emit(.subscriptionStatusDidChange(_, let status)):
        "status \(status.entitlements.map(\.id).joined(separator: ","))"
      case .dismiss: "dismiss"
      case .alert(.restoreFailed): "restore failed"
      case .alert(.purchaseFailed): "purchase failed"
      case .checkout(_, let directive): "checkout \(directive["directive"]?.text ?? "")"
      default: nil
      }
    }
  }

  /// What a redeemed code answers.
  static func codes(
    _ codes: [String], entitlements: [String] = ["pro"], isOfUser: Bool = false,
    status: String? = nil
  ) -> Value {
    let given: Value = .list(
      entitlements.map { ["identifier": .string($0), "type": "SERVICE_LEVEL"] })
    let owner: Value =
      isOfUser
      ? ["type": "APP_USER", "appUserId": "u"] : ["type": "DEVICE", "deviceId": "d"]
    let results = codes.map { code -> Value in
      [
        "status": "SUCCESS", "code": .string(code),
        "redemptionInfo": [
          "ownership": owner, "purchaserInfo": ["appUserId": "u"], "entitlements": given,
        ],
      ]
    }
    return .members([
      "status": status.map { .string($0) }, "codes": .list(results), "entitlements": given,
    ])
  }
}
