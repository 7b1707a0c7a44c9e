import Expressions
import Foundation
import SDK
import SDKLive
import SDKTesting

/// The app: an SDK, a screen, and commands that simulate a user's actions.
@MainActor
final class App {
  let tollgate: Tollgate
  let screen: Screen
  private let arguments: Arguments
  private let folder: String
  /// Receives the SDK's events.
  private let delegate: Delegate
  private var placement: Task<Void, Never>?

  init(_ arguments: Arguments, folder: String) throws {
    self.arguments = arguments
    self.folder = folder
    let source = String(decoding: PackageResources.paywall_liquid, as: UTF8.self)
    screen = Screen(template: try TemplateEnvironment().compile(source).get())
    let store = TestStore(
      products: try Shop.products(locale: arguments.locale),
      purchases: arguments.purchases.compactMap { Shop.result($0) },
      owned: Shop.owned(in: folder).map { OwnedProduct($0) })
    tollgate = Tollgate(
      ports: .live(folder: folder, store: store, presenter: screen.presenter))
    delegate = Delegate(screen)
  }

  // MARK: Starting

  /// Prepares the SDK with the config of a server, or with a given config.
  func start() async throws {
    await tollgate.setDelegate(delegate)
    var options = TollgateOptions()
    options.localeIdentifier = arguments.locale
    options.logging.consoleLevel = .error
    let config = try arguments.config.map { try App.contents(of: $0) }
    if let server = arguments.live, let key = arguments.key {
      options.networkEnvironment = .custom(server)
      // A person is waiting.
      options.maxConfigRetryCount = 0
      if let config { options.fallbackConfig = Array(config) }
      screen.say("asking \(server) ...")
      try await tollgate.configure(apiKey: key, options: options)
    } else {
      try await tollgate.configure(
        config: config ?? Data(PackageResources.config_json), options: options)
    }
    screen.say("ready, with the config \(origin())")
    try await showStatus()
  }

  private static func contents(of file: String) throws -> Data {
    do {
      return try Data(contentsOf: URL(fileURLWithPath: file))
    } catch {
      throw StoreError("\(file) cannot be read: \(error.localizedDescription)")
    }
  }

  private func origin() -> String {
    guard let origin = tollgate.configOrigin else { return "?" }
    switch origin.source {
    case .network: return "'\(origin.buildID)' of the server"
    case .kept: return "'\(origin.buildID)' of an earlier start: the server has not answered"
    case .fallback: return "'\(origin.buildID)' of the app: the server has not answered"
    case .given: return "'\(origin.buildID)'"
    }
  }

  // MARK: Commands

  static let help = """
      identify NAME            log in; reset logs out
      set KEY VALUE            set an attribute of the user; paywalls know 'name'
      register PLACEMENT [KEY=VALUE ...]
                               call this before a paid feature
      what PLACEMENT           show what register would do
      buy NUMBER               buy on the paywall; restore and close are the other ways
      restore                  restore purchases, on the paywall or without one
      redeem CODE              redeem a code bought on the web; needs --live
      status                   show the subscription, entitlements and user
      events on|off            print the events of the SDK
      help, quit
    """

  /// Executes the command in a line.
  ///
  /// - Returns: whether the app continues.
  func perform(_ line: String) async -> Bool {
    let words = line.split(separator: " ").map(String.init)
    guard let command = words.first else { return true }
    let rest = Array(words.dropFirst())
    do {
      switch (command, rest.count) {
      case ("identify", 1): try await identify(rest[0])
      case ("reset", 0):
        try await tollgate.reset()
        screen.user = [:]
        screen.say("  logged out")
      case ("set", 2...): try await set(rest[0], rest.dropFirst().joined(separator: " "))
      case ("register", 1...): await register(rest[0], rest.dropFirst())
      case ("what", 1): screen.say("  \(try await result(of: rest[0]))")
      case ("buy", 0...1): await buy(rest.first ?? "1")
      case ("restore", 0): try await restore()
      case ("close", 0): await close()
      case ("redeem", 1): await redeem(rest[0])
      case ("status", 0): try await showStatus()
      case ("events", 1) where ["on", "off"].contains(rest[0]):
        delegate.printsEvents = rest[0] == "on"
      case ("help", _): screen.say(App.help)
      case ("quit", _), ("exit", _): return false
      default: screen.say("  that is no command of this app; 'help' lists them")
      }
    } catch {
      screen.say("  ! \(error.localizedDescription)")
    }
    return true
  }

  private func identify(_ name: String) async throws {
    try await tollgate.identify(userID: name)
    try await set("name", name.prefix(1).uppercased() + name.dropFirst())
  }

  private func set(_ key: String, _ text: String) async throws {
    try await tollgate.setUserAttributes([key: App.value(text)])
    screen.user = try await tollgate.getUserAttributes()
    let value = screen.user[key]?.json ?? "not stored: the name is reserved"
    screen.say("  user.\(key) is \(value)")
  }

  /// A number if the string is one, otherwise a string.
  private static func value(_ text: String) -> any AttributeConvertible {
    if let number = Int(text) { return number }
    if let number = Double(text), number.isFinite { return number }
    return text
  }

  private func register(_ name: String, _ params: ArraySlice<String>) async {
    guard screen.paywall == nil else {
      return screen.say("  a paywall is open: buy, restore or close it first")
    }
    var values: [String: any AttributeConvertible] = [:]
    for param in params {
      let parts = param.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        return screen.say("  '\(param)' is not a parameter; write KEY=VALUE, such as pages=12")
      }
      values[parts[0]] = App.value(parts[1])
    }
    screen.params = values.mapValues(\.attributeValue)
    let (tollgate, screen, folder, given) = (tollgate, screen, folder, values)
    _ = await screen.untilEnd {
      placement = Task {
        let outcome = await tollgate.register(placement: name, params: given) {
          screen.say("  ✓ the feature behind '\(name)' runs")
        }
        if case .presented(.purchased(let id), _) = outcome.kind { Shop.remember(id, in: folder) }
        screen.say("  \(outcome)")
        screen.end()
      }
    }
  }

  private func buy(_ number: String) async {
    guard let paywall = screen.paywall else {
      return screen.say("  no paywall is open: register first")
    }
    guard let place = Int(number), screen.offers.indices.contains(place - 1) else {
      return screen.say("  the paywall sells 1 to \(screen.offers.count)")
    }
    let id = screen.offers[place - 1].id
    _ = await screen.untilEnd { paywall.handle.purchaseTapped(id) }
    await settle()
  }

  private func restore() async throws {
    if let paywall = screen.paywall {
      _ = await screen.untilEnd { paywall.handle.restoreTapped() }
      return await settle()
    }
    switch try await tollgate.restorePurchases() {
    case .restored: screen.say("  restored")
    case .failed(let message):
      screen.say("  nothing was restored\(message.map { ": " + $0 } ?? "")")
    }
  }

  private func close() async {
    guard let paywall = screen.paywall else { return screen.say("  no paywall is open") }
    _ = await screen.untilEnd { paywall.handle.closeTapped() }
  }

  private func redeem(_ code: String) async {
    guard arguments.live != nil else {
      return screen.say("  only a server knows codes: start with --live and --key")
    }
    var name = CharacterSet.urlQueryAllowed
    name.remove(charactersIn: "&=+#")
    let encoded = code.addingPercentEncoding(withAllowedCharacters: name) ?? code
    let tollgate = tollgate
    let hasEnded = await screen.untilEnd {
      Task { await tollgate.handleDeepLink("terminalapp://superwall/redeem?code=\(encoded)") }
    }
    if !hasEnded { screen.say("  no answer yet; the SDK keeps asking for a minute") }
  }

  private func result(of placement: String) async throws -> String {
    switch try await tollgate.getPresentationResult(forPlacement: placement) {
    case .paywall(let experiment): "a paywall: '\(experiment.variant.paywallID ?? "")'"
    case .holdout: "nothing: the user is held out"
    case .noAudienceMatch: "nothing: no audience matches"
    case .placementNotFound: "nothing: the config has no such placement"
    default: "nothing: there is no paywall"
    }
  }

  private func showStatus() async throws {
    let status = try await tollgate.getSubscriptionStatus()
    let info = try await tollgate.getEntitlements()
    screen.user = try await tollgate.getUserAttributes()
    let user = screen.user["appUserId"]?.text ?? "anonymous"
    let web = info.web.isEmpty ? "" : ", on the web: \(info.web.map(\.id).joined(separator: ", "))"
    screen.say("  user: \(user)   subscription: \(status.words)\(web)")
  }

  /// Returns when all events have been printed.
  private func settle() async { _ = try? await tollgate.getSubscriptionStatus() }

  /// Ends the app. The outcome of an open paywall no longer matters.
  func end() async {
    screen.isMuted = true
    await tollgate.shutDown()
    _ = await placement?.value
  }
}

/// Prints the SDK's events.
@MainActor
final class Delegate: TollgateDelegate {
  private let screen: Screen
  var printsEvents = false

  init(_ screen: Screen) { self.screen = screen }

  func subscriptionStatusDidChange(
    from oldValue: SubscriptionStatus, to newValue: SubscriptionStatus
  ) {
    screen.say("  subscription: \(oldValue.words) -> \(newValue.words)")
  }

  func handleSuperwallEvent(withInfo eventInfo: SuperwallEventInfo) {
    if printsEvents { screen.say("    · \(eventInfo)") }
  }

  func willRedeemLink() { screen.say("  redeeming ...") }

  func didRedeemLink(result: RedemptionResult) {
    switch result {
    case .success(let code, _): screen.say("  ✓ the code '\(code)' is redeemed")
    case .error(let code, let error): screen.say("  ! the code '\(code)': \(error.message)")
    case .expiredCode(let code, _): screen.say("  ! the code '\(code)' has expired")
    case .invalidCode(let code): screen.say("  ! there is no code '\(code)'")
    case .expiredSubscription(let code, _):
      screen.say("  ! the subscription of the code '\(code)' has expired")
    }
    screen.end()
  }
}

extension SubscriptionStatus {
  fileprivate var words: String {
    switch self {
    case .unknown: "unknown"
    case .inactive: "none"
    case .active(let entitlements): "active (\(entitlements.map(\.id).joined(separator: ", ")))"
    }
  }
}
