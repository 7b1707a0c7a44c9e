internal import Foundation
internal import Hummingbird
internal import Logging
internal import NIOCore

/// The body of a request and of its answer.
private struct Question: Decodable {
  var userId: String
  var placements: [String]?
}

private struct Answer: ResponseEncodable {
  struct Greeting: Encodable {
    var userId: String
    var placement: String
    var text: String
  }

  var greetings: [Greeting]
}

/// The server that `tollgate-server` is compared with: it reads and writes JSON on the same framework, and does nothing
/// else. The server prints its port as `tollgate-server` does.
@main struct Hello {
  static func main() async throws {
    let router = Router()
    router.post("/hello") { request, context in
      let question = try await request.decode(as: Question.self, context: context)
      return Answer(
        greetings: (question.placements ?? ["world"]).map {
          .init(userId: question.userId, placement: $0, text: "Hello!")
        })
    }
    var log = Logger(label: "json-hello")
    log.logLevel = .error
    let application = Application(
      router: router,
      configuration: .init(
        address: .hostname("127.0.0.1", port: 0), serverName: "hello", backlog: 1_024),
      onServerRunning: { channel in
        let port = channel.localAddress?.port ?? 0
        FileHandle.standardOutput.write(Data("{\"port\":\(port)}\n".utf8))
      }, logger: log)
    try await application.runService()
  }
}
