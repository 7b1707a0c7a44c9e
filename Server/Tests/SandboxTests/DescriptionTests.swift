import Expressions
import HTTPTypes
import Logging
import Service
import Testing

@testable import Sandbox

/// What `/openapi.json` says of the backend. `Tools/contract-tests.sh` holds the server against it.
@Suite struct DescriptionTests {
  private static func backend() throws -> SandboxBackend {
    try SandboxBackend(
      database: try ServiceDatabase.open(in: nil),
      options: SandboxOptions(
        fixtures: try Fixtures(file: SandboxServer.fixturesPath), log: Logger(label: "test")))
  }

  @Test func everyEndpointIsDescribed() throws {
    let backend = try Self.backend()
    let there = Set(backend.endpoints.map { "\($0.method) \($0.path)" })
    #expect(there == Set(SandboxBackend.details.keys))
    let document = APIDescription.document(APIDescription.service + backend.operations)
    for endpoint in backend.endpoints {
      let operation = document["paths"]?[endpoint.path]?[endpoint.method.rawValue.lowercased()]
      #expect(operation?["summary"]?.text?.isEmpty == false, "\(endpoint.path)")
      let names = (operation?["parameters"]?.elements ?? []).compactMap { $0["name"]?.text }
      for part in endpoint.path.split(separator: "/") where part.hasPrefix("{") {
        #expect(names.contains(String(part.dropFirst().dropLast())), "\(endpoint.path)")
      }
    }
    let operations = document["paths"]?.members?.flatMap { $0.value.members ?? [] } ?? []
    #expect(operations.count == APIDescription.service.count + backend.operations.count)
  }

  /// No operation answers what it is not said to.
  @Test func refusalsAreDescribed() async throws {
    let operations = try Self.backend().operations
    try await SandboxServer.run { server in
      for operation in operations {
        let path = operation.path.replacing("{key}", with: "pk_sandbox")
          .replacing("{project}", with: "1").replacing("{", with: "").replacing("}", with: "")
        let statuses = operation.entry.value[operation.method]?["responses"]?.members?.map(\.key)
        for key in ["Bearer pk_sandbox", "Bearer sk_sandbox", "Bearer x", ""] {
          for body in operation.method == "get" ? [nil] : [nil, "{}", "[", "3"] {
            let reply = try await server.send(
              operation.method.uppercased(), path, body, headers: ["Authorization": key])
            let isSaid = statuses?.contains(String(reply.status)) == true
            #expect(isSaid, "\(operation.method) \(path) \(key) \(body ?? ""): \(reply.status)")
          }
        }
      }
    }
  }
}
