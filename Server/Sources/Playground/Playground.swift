internal import Expressions
package import Hummingbird
internal import NIOCore
internal import Requests
internal import RuleEngine
internal import RuleInsight
package import Service

/// A page for trying out rules, users and texts. The page gets its answers from the same server, and makes no other
/// network requests.
package struct Playground: Sendable {
  /// The initial texts of the page, in addition to the served config. The page has its own sample for each text that is
  /// nil.
  package struct Samples: Sendable {
    /// A user's record.
    package var user: String?
    /// A text of a paywall.
    package var template: String?
    /// A file of products.
    package var products: String?
    /// The placement that is shown first.
    package var placement: String?
    /// The time of decisions, in ISO 8601, or nil for the server's time.
    package var now: String?

    package init() {}
  }

  private let service: DecisionService
  private let samples: Samples
  private let hasSandbox: Bool
  /// The maximum number of the server's users that the page receives.
  private static let mostUsers = 500

  /// - Parameter hasSandbox: whether the page shows the sandbox's console.
  package init(_ service: DecisionService, _ samples: Samples, hasSandbox: Bool) {
    self.service = service
    self.samples = samples
    self.hasSandbox = hasSandbox
  }

  /// Adds the page at `/`, and its resources below `/playground/`.
  package func addRoutes(to router: Router<ServiceContext>) {
    router.get("/") { _, _ in Self.file(PackageResources.index_html, "text/html; charset=utf-8") }
    let folder = router.group("playground")
    folder.get("style.css") { _, _ in
      Self.file(PackageResources.style_css, "text/css; charset=utf-8")
    }
    let scripts: [(name: RouterPath, bytes: [UInt8])] = [
      ("app.js", PackageResources.app_js), ("completion.js", PackageResources.completion_js),
      ("conditions.js", PackageResources.conditions_js),
      ("counting.js", PackageResources.counting_js), ("editor.js", PackageResources.editor_js),
      ("engine.js", PackageResources.engine_js), ("examples.js", PackageResources.examples_js),
      ("json.js", PackageResources.json_js), ("link.js", PackageResources.link_js),
      ("sandbox.js", PackageResources.sandbox_js), ("spread.js", PackageResources.spread_js),
      ("views.js", PackageResources.views_js),
    ]
    for script in scripts {
      folder.get(script.name) { _, _ in Self.file(script.bytes, "text/javascript; charset=utf-8") }
    }
    let functions = Self.functions(of: service.options.settings.language)
    folder.get("functions.json") { _, _ in Response(json: functions) }
    folder.get("start.json") { request, _ in
      let (application, caller) = try service.application(request, for: .decide)
      // A public key is in every app, so it does not give access to the users.
      let seesUsers =
        switch caller {
        case .owner, .admin, .nobody: true
        case .app: false
        }
      return Response(json: start(application, seesUsers: seesUsers))
    }
  }

  /// The functions that conditions can call: `[{"name","isMethod","hasArguments","signature","summary"}]`.
  private static func functions(of language: RuleLanguage) -> Value {
    let entries = FunctionReference.entries.filter { $0.isKnown(in: language) }
    return .list(
      entries.flatMap { entry in
        var names: Set<String> = []
        return entry.page.signatures.compactMap { signature -> Value? in
          let isNew = names.insert("\(signature.isMethod) \(signature.name)").inserted
          guard isNew else { return nil }
          let hasArguments = entry.page.signatures.contains {
            $0.name == signature.name && $0.operands.count > ($0.isMethod ? 1 : 0)
          }
          return [
            "name": .string(signature.name), "isMethod": .bool(signature.isMethod),
            "hasArguments": .bool(hasArguments), "signature": .string(signature.text),
            "summary": .string(entry.page.summary),
          ]
        }
      })
  }

  private func start(_ application: ServedApplication, seesUsers: Bool) -> Value {
    func text(_ text: String?) -> Value { text.map { .string($0) } ?? .null }
    let users = seesUsers ? service.options.users.map(first) : nil
    return [
      "config": .string(String(decoding: application.current.bytes, as: UTF8.self)),
      "user": text(samples.user ?? users?.split(separator: "\n").first.map(String.init)),
      "template": text(samples.template), "products": text(samples.products),
      "users": text(users), "placement": text(samples.placement), "now": text(samples.now),
      "seed": .string(service.options.settings.seed), "hasSandbox": .bool(hasSandbox),
    ]
  }

  /// The first users, redacted.
  private func first(_ users: [UInt8]) -> String {
    var count = 0
    let end = users.firstIndex { byte in
      if byte == UInt8(ascii: "\n") { count += 1 }
      return count == Self.mostUsers
    }
    let shown = users[..<(end ?? users.endIndex)]
    let redaction = service.options.settings.redaction
    if redaction.isEmpty { return String(decoding: shown, as: UTF8.self) }
    return shown.split(separator: UInt8(ascii: "\n")).compactMap { line in
      (try? Value.parse(json: line)).map { redaction.record($0).json }
    }.joined(separator: "\n")
  }

  /// The content security policy. The page shows content from links, which can contain a whole config, so the page must
  /// not load, run or request anything from elsewhere.
  private static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; "
    + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  private static func file(_ bytes: [UInt8], _ type: String) -> Response {
    Response(
      status: .ok,
      headers: [
        .contentType: type, .cacheControl: "no-cache", .contentSecurityPolicy: policy,
        .xContentTypeOptions: "nosniff",
      ],
      body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
  }
}
