import Expressions
import Foundation
import Playground
import Requests
import RuleEngine
import RuleInsight
import Testing

@testable import Service

/// What the page is served with; Tests/Browser uses it.
@Suite struct PlaygroundTests {
  private static func server() async throws -> TestServer {
    try await TestServer {
      $0.users = Array(String(repeating: "{\"userId\":\"a\"}\n", count: 600).utf8)
    } routes: { router, service in
      var samples = Playground.Samples()
      samples.template = "Hello"
      samples.placement = "export_report"
      Playground(service, samples, hasSandbox: false).addRoutes(to: router)
    }
  }

  @Test func thePageLoadsNothingFromElsewhere() async throws {
    let server = try await Self.server()
    let page = try await server.send("GET", "/", key: nil)
    #expect(page.status == 200)
    #expect(page.headers["content-type"] == "text/html; charset=utf-8")
    #expect(page.headers["content-security-policy"]?.contains("default-src 'none'") == true)
    #expect(!page.text.contains("https://"))
    for name in [
      "style.css", "app.js", "completion.js", "conditions.js", "counting.js", "editor.js",
      "engine.js", "examples.js", "json.js", "link.js", "sandbox.js", "spread.js", "views.js",
    ] {
      let file = try await server.send("GET", "/playground/\(name)", key: nil)
      #expect(file.status == 200, "\(name)")
      #expect(file.headers["x-content-type-options"] == "nosniff", "\(name)")
      #expect(!file.text.contains("https://"), "\(name)")
    }
  }

  @Test func itBeginsWithWhatTheServerRuns() async throws {
    let server = try await Self.server()
    let start = try await server.send("GET", "/playground/start.json", key: "sk_test").json
    let config = String(decoding: try TestServer.file("corpus/demo/config.json"), as: UTF8.self)
    #expect(start["config"]?.text == config)
    #expect(start["template"] == "Hello")
    #expect(start["user"] == #"{"userId":"a"}"#)
    #expect(start["products"] == .null)
    #expect(start["seed"] == "demo")
    // As many as a page can count while somebody types.
    #expect(start["users"]?.text?.split(separator: "\n").count == 500)
  }

  /// Those that rules in the server's language can call, each with its signature and what it does.
  @Test func itOffersFunctions() async throws {
    for (language, name, other) in [
      (RuleLanguage.standard, "device.daysSince", "charAt"),
      (.cel, "charAt", "device.daysSince"),
    ] {
      let server = try await TestServer {
        $0.settings.language = language
      } routes: { router, service in
        Playground(service, .init(), hasSandbox: false).addRoutes(to: router)
      }
      let answer = try await server.send("GET", "/playground/functions.json", key: nil)
      let functions = try #require(answer.json.elements)
      #expect(functions.count > 30)
      #expect(functions.contains { $0["name"]?.text == name })
      #expect(!functions.contains { $0["name"]?.text == other })
      let starts = functions.filter { $0["name"] == "startsWith" }
      #expect(starts.count == 1 && starts[0]["isMethod"] == true)
      #expect(starts[0]["hasArguments"] == true)
      #expect(starts[0]["signature"] == "string.startsWith(string) -> bool")
      #expect(starts[0]["summary"]?.text?.hasSuffix(".") == true)
    }
  }

  @Test func usersAreForOwnersAndWithoutWhatIsRedacted() async throws {
    let server = try await Self.server()
    let app = try await server.send("GET", "/playground/start.json").json
    #expect(app["users"] == .null && app["user"] == .null && app["config"] != .null)
    let redacting = try await TestServer {
      $0.users = Array(#"{"userId":"a","user":{"email":"a@b.c","plan":"p"}}"#.utf8)
      $0.settings.redaction = .init(paths: [["user", "email"]])
    } routes: { router, service in
      Playground(service, .init(), hasSandbox: false).addRoutes(to: router)
    }
    let own = try await redacting.send("GET", "/playground/start.json", key: "sk_test").text
    #expect(own.contains("plan") && !own.contains("a@b.c"))
  }

  @Test func whoMayNotDecideSeesNoConfig() async throws {
    let server = try await Self.server()
    #expect(try await server.send("GET", "/playground/start.json", key: nil).status == 401)
    #expect(try await server.send("GET", "/playground/start.json", key: "pk_wrong").status == 401)
  }
}
