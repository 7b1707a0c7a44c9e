import Expressions
import RuleEngine
import Testing

@testable import SDK

/// What the SDK goes by when the network does not answer.
@Suite("Offline")
struct OfflineTests {
  /// A storage in which an earlier start has kept the config.
  private func kept(key: String = "pk") -> InMemoryStorage {
    let app = QuietApp()
    app.configure(key: key)
    app.end()
    return app.storage
  }

  private func clock(after seconds: Int64) -> VirtualClock {
    VirtualClock(now: Samples.start + seconds * 1_000)
  }

  private func origin(_ app: QuietApp) -> ConfigOrigin? {
    app.tollgate.configOrigin
  }

  private static let build = Samples.config["build_id"]?.text ?? ""

  @Test func configFromTheNetworkSaysSo() {
    let app = QuietApp()
    #expect(origin(app) == nil)
    app.configure()
    #expect(
      origin(app) == ConfigOrigin(source: .network, buildID: Self.build, fetchedAt: Samples.start))
    app.end()
  }

  /// After one second without an answer the last config decides; the network's counts when it comes.
  @Test func keptConfigIsUsedAfterASecond() {
    let storage = kept()
    let app = QuietApp(silent: [.config], storage: storage, clock: clock(after: 10_800))
    let configure = app.configure()
    let placement = app.register("nomatch")
    app.pass(0.999)
    #expect(!configure.hasEnded)
    app.pass(0.001)
    #expect(configure.value == .some(nil))
    #expect(placement.value?.kind == .skipped(.noAudienceMatch))
    #expect(
      origin(app) == ConfigOrigin(source: .kept, buildID: Self.build, fetchedAt: Samples.start))
    #expect(app.log.all.first?.message?.contains("the config of 3 hours ago is used") == true)
    app.pass(5)
    app.ports.speak()
    app.pass(0)
    #expect(
      origin(app)
        == ConfigOrigin(
          source: .network, buildID: Self.build, fetchedAt: Samples.start + 10_806_000))
    #expect(app.events.all.count { $0.isTracked(.configRefresh) } == 2)
    app.end()
  }

  /// A network that fails is asked again meanwhile, and each time the app comes back.
  @Test func networkIsAskedAgain() {
    let offline = ScriptedTransport.Rule(.get, "/api/v1/static_config", [.networkError("offline")])
    let app = QuietApp(rules: [offline], storage: kept())
    let configure = app.configure()
    #expect(!configure.hasEnded)
    app.pass(1)
    #expect(configure.value == .some(nil) && origin(app)?.source == .kept)
    app.pass(100)
    let asks = { app.requests.all.count { $0.path == "/api/v1/static_config" } }
    #expect(asks() == 7)
    app.tollgate.applicationDidEnterForeground()
    app.pass(0)
    #expect(asks() == 8)
    #expect(!app.events.all.contains { $0.isTracked(.configFail) })
    app.end()
  }

  /// The end of all attempts does not have to be waited for when there is something else.
  @Test func unreadableAnswerIsReplaced() {
    let broken = ScriptedTransport.Rule(.get, "/api/v1/static_config", [.json(["odd": 1])])
    let app = QuietApp(rules: [broken], storage: kept())
    #expect(app.configure().value == .some(nil) && origin(app)?.source == .kept)
    app.end()
  }

  /// What the server refuses, and what belongs to another app, is not used.
  @Test func refusedConfigIsNotReplaced() {
    let refused = ScriptedTransport.Rule(.get, "/api/v1/static_config", [.json(nil, status: 401)])
    let app = QuietApp(rules: [refused], storage: kept())
    #expect(app.configure().value??.code == .configurationFailed)
    app.end()

    let other = QuietApp(silent: [.config], storage: kept(key: "pk_other"))
    let configure = other.configure()
    other.pass(5)
    #expect(!configure.hasEnded)
    other.pass(400)
    #expect(configure.value??.code == .configurationFailed)
    other.end()
  }

  @Test func fallbackIsForTheFirstStart() {
    var options = TollgateOptions()
    options.fallbackConfig = Samples.configText
    let app = QuietApp(silent: [.config])
    let configure = app.configure(options: options)
    app.pass(1)
    #expect(configure.value == .some(nil))
    #expect(origin(app) == ConfigOrigin(source: .fallback, buildID: Self.build))
    app.end()

    // What was kept is newer.
    let later = QuietApp(silent: [.config], storage: kept())
    later.configure(options: options)
    later.pass(1)
    #expect(origin(later)?.source == .kept)
    later.end()
  }

  /// A kept config that is damaged is passed over, and told of.
  @Test func damagedConfigIsPassedOver() {
    let storage = InMemoryStorage(["status": ["status": "INACTIVE"]])
    storage.keep(config: ["apiKey": "pk", "fetchedAt": 1, "config": "{\"build_id\":"])
    var options = TollgateOptions()
    options.fallbackConfig = Samples.configText
    let app = QuietApp(silent: [.config], storage: storage)
    app.configure(options: options)
    app.pass(1)
    #expect(origin(app)?.source == .fallback)
    #expect(app.log.all.contains { $0.message == "the config that was stored cannot be used" })
    app.end()

    for damaged: Value in [.null, 1, ["apiKey": "pk"], ["config": "{}", "apiKey": 7]] {
      storage.keep(config: damaged)
      let other = QuietApp(silent: [.config], storage: storage)
      let configure = other.configure()
      other.pass(2)
      #expect(!configure.hasEnded)
      other.end()
    }
  }

  /// A storage that does not answer does not keep the network's config away.
  @Test func keptConfigHasALimit() {
    let app = QuietApp(silent: [.loadConfig])
    #expect(app.configure().value == .some(nil))
    app.end()

    let broken = ScriptedTransport.Rule(.get, "/api/v1/static_config", [.json(["odd": 1])])
    let other = QuietApp(silent: [.loadConfig], rules: [broken])
    let configure = other.configure()
    other.pass(5)
    #expect(configure.value??.code == .configurationFailed)
    other.end()
  }

  // MARK: A config of the app's

  @Test func configCanBeGiven() {
    let app = QuietApp()
    let configure = app.run { () -> SDKError? in
      do throws(SDKError) {
        try await app.tollgate.configure(config: Samples.configText)
        return nil
      } catch {
        return error
      }
    }
    #expect(configure.value == .some(nil))
    #expect(origin(app) == ConfigOrigin(source: .given, buildID: Self.build))
    let call = app.register("open")
    app.ports.handle?.closeTapped()
    app.pass(0)
    #expect(call.value?.kind == .presented(.declined, .manualClose))
    app.run { try? await app.tollgate.confirmAllAssignments() }
    app.tollgate.applicationDidEnterBackground()
    app.pass(100_000)
    app.tollgate.applicationDidEnterForeground()
    app.pass(100)
    // There is nobody to ask, and nothing to say about that.
    #expect(app.requests.all.isEmpty && app.log.all.isEmpty)
    app.end()
  }

  @Test(arguments: [
    ("", "it is not a JSON object"), ("[1]", "it is not a JSON object"),
    ("\u{0}", "it is not a JSON object"), ("{}", "'build_id' is missing"),
    ("{\"build_id\":\"b\"}", "'trigger_options' is missing"),
    (
      "{\"campaigns\":[]}",
      "it is an AgentWallie config, which RuleSet supports but the SDK does not"
    ),
  ])
  func configThatIsNoneIsRefused(text: String, why: String) {
    let app = QuietApp()
    let configure = app.run { () -> SDKError? in
      do throws(SDKError) {
        try await app.tollgate.configure(config: text.utf8)
        return nil
      } catch {
        return error
      }
    }
    #expect(configure.value??.code == .configurationFailed)
    #expect(
      configure.value??.message
        == "the config could not be loaded: \(why); call configure() again")
    #expect(app.configure().value == .some(nil))
    app.end()
  }

  /// With a key everything but the config is the backend's.
  @Test func givenConfigWithAKeyAsksTheBackend() {
    let app = QuietApp()
    app.run { try? await app.tollgate.configure(config: Samples.configText, apiKey: "pk") }
    app.run { try? await app.tollgate.identify(userID: "u") }
    #expect(app.requests.all.contains { $0.path == "/api/v1/assignments" })
    #expect(!app.requests.all.contains { $0.path == "/api/v1/static_config" })
    app.end()
  }
}
