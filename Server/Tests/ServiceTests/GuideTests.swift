import Expressions
import Foundation
import Testing

/// The commands of docs/server.md work.
@Suite struct GuideTests {
  @Test func commandsWork() throws {
    let server = try ServerProcess(["--config", "config.json", "--admin-token-file", "token"])
    let text = String(decoding: try TestServer.file("docs/server.md"), as: UTF8.self)
    let blocks = text.components(separatedBy: "```sh\n").dropFirst()
      .map { $0.components(separatedBy: "\n```")[0] }.filter { $0.contains("curl") }
    #expect(blocks.count >= 6)
    for block in blocks {
      let script = block.replacing("http://127.0.0.1:8080", with: server.url)
      let result = try ServerProcess.run(script, in: server.folder)
      #expect(result.code == 0, "\(block)\n\(result.output)")
      #expect(!result.output.isEmpty)
      #expect(!result.output.contains(#""error":{"#), "\(block)\n\(result.output)")
    }
  }

  @Test func itsOptionsAreThere() throws {
    let text = String(decoding: try TestServer.file("docs/server.md"), as: UTF8.self)
    let help = try ServerProcess.run(
      """
      for command in serve migrate 'state export' 'state import'; do
        \(ServerProcess.program.path) help $command
      done
      """, in: TestServer.root)
    for match in text.matches(of: /`(--[a-z-]+)[^`]*`/) {
      #expect(help.output.contains(String(match.1)), "\(match.1)")
    }
  }
}
