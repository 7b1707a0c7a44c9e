import Expressions
import RuleEngine
import Testing

@testable import SDK

/// Where the config is read.
@Suite("Source of the config")
struct ConfigSourceTests {
  private static let application: Value = [
    "applicationId": 7, "webPaywallDomain": "pay.example.com",
  ]
  private static let first = "/config-api/read/v1-application-public-api-key/pk/application/v1"
  private static let second =
    "/config-api/read/v1-web-paywall-domain/pay.example.com/static-config/v1"

  private var options: TollgateOptions {
    var options = TollgateOptions()
    options.configSource = .artifacts
    return options
  }

  private func app(
    _ application: [ScriptedTransport.Reply] = [.json(Self.application)],
    _ config: [ScriptedTransport.Reply] = [.json(Samples.config)]
  ) -> QuietApp {
    QuietApp(rules: [
      .init(.get, Self.first, application), .init(.get, Self.second, config),
      .init(.get, "/api/v1/static_config", [.json(nil, status: 500)]),
    ])
  }

  private func paths(_ app: QuietApp) -> [String] {
    app.requests.all.map(\.path).filter { $0.contains("config") }
  }

  @Test(
    """
    Config retrieval uses the artifact-group model and distinguishes verified paths from inferred \
    public-manifest paths
    """)
  func artifacts() {
    let app = app()
    #expect(app.configure(options: options).value == .some(nil))
    #expect(paths(app) == [Self.first, Self.second])
    #expect(
      app.requests.all.prefix(2).allSatisfy { $0.headers.allSatisfy { $0.name != "Authorization" } }
    )
    #expect(app.tollgate.configOrigin?.source == .network)
    // The same config as the other way gives.
    let usual = QuietApp()
    usual.configure()
    #expect(paths(usual) == ["/api/v1/static_config"])
    #expect(app.tollgate.configOrigin == usual.tollgate.configOrigin)
    for placement in ["nomatch", "unknown"] {
      #expect(app.register(placement).value == usual.register(placement).value)
    }
    // What configure reads are verified paths, and the type says so of each.
    let read = [
      ConfigArtifact.application(publicKey: "pk"), .staticConfig(domain: "pay.example.com"),
    ]
    #expect(read.map(\.basis) == [.verifiedRead, .verifiedRead])
    #expect(ConfigArtifact.applicationManifest(publicKey: "pk").basis == .inferredManifest)
    for app in [app, usual] { app.end() }
  }

  @Test func eachStepMayFail() {
    let cases: [(QuietApp, String)] = [
      (app([.json(nil, status: 404)]), BackendError.artifactNotFound.message),
      (app([.json(["applicationId": 7])]), BackendError.missingWebPaywallDomain.message),
      (app([.json([:])]), BackendError.decoding("'applicationId' is missing").message),
      (
        app([.json(Self.application)], [.json(nil, status: 403)]), BackendError.unauthorized.message
      ),
      (
        app([.json(Self.application)], [.json([:])]),
        BackendError.decoding("'build_id' is missing").message
      ),
    ]
    for (app, message) in cases {
      let call = app.configure(options: options)
      let error = call.value ?? nil
      #expect(error?.code == .configurationFailed)
      #expect(error?.message.contains(message) == true, "\(error?.message ?? "it did not fail")")
      let isUndecodable = message.contains("is missing") && !message.contains("domain")
      #expect(app.events.all.contains { $0.isTracked(.networkDecodingFail) } == isUndecodable)
      app.end()
    }
  }

  /// Both steps are tried again while the network fails, and the network has its second.
  @Test func networkFailuresAreRetried() {
    let app = app(
      [.networkError("offline"), .json(Self.application)],
      [.networkError("offline"), .json(Samples.config)])
    let call = app.configure(options: options)
    #expect(!call.hasEnded)
    app.pass(20)
    #expect(call.value == .some(nil))
    #expect(paths(app) == [Self.first, Self.first, Self.second, Self.second])
    app.end()
  }

  @Test func wrappersSayItToo() {
    #expect(TollgateOptions(decoding: ["configSource": "artifacts"]).configSource == .artifacts)
    #expect(TollgateOptions(decoding: ["configSource": "x"]).configSource == .staticConfig)
    #expect(TollgateOptions().configSource == .staticConfig)
  }
}
