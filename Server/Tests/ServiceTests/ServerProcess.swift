import Expressions
import Foundation

/// The built server, as a process of its own in a folder of its own.
final class ServerProcess: @unchecked Sendable {
  let folder: URL
  let process = Process()
  private(set) var port = 0
  /// Whether the folder is there for another one, too.
  var keepsFolder = false
  private let output = Pipe()

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// The program beside the tests.
  static var program: URL {
    var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    // The tests are a bundle on some systems.
    while folder.path != "/" {
      let found = folder.appending(path: "tollgate-server")
      if FileManager.default.isExecutableFile(atPath: found.path) { return found }
      folder.deleteLastPathComponent()
    }
    return TestServer.root.appending(path: ".build/debug/tollgate-server")
  }

  init(_ arguments: [String], in folder: URL? = nil, port asked: Int? = 0) throws {
    self.folder =
      folder ?? FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    keepsFolder = folder != nil
    if folder == nil {
      try FileManager.default.createDirectory(
        at: self.folder, withIntermediateDirectories: true)
      for name in ["config.json", "users.ndjson", "user.json", "products.json", "texts.json"] {
        try FileManager.default.copyItem(
          at: TestServer.root.appending(path: "corpus/demo/\(name)"),
          to: self.folder.appending(path: name))
      }
      try Data((TestServer.adminToken + "\n").utf8).write(to: self.folder.appending(path: "token"))
    }
    process.executableURL = Self.program
    process.arguments = arguments + (asked.map { ["--port", "\($0)"] } ?? [])
    process.currentDirectoryURL = self.folder
    process.standardOutput = output
    process.standardError = FileHandle(forWritingAtPath: "/dev/null")
    let log = self.folder.appending(path: "log")
    _ = FileManager.default.createFile(atPath: log.path, contents: nil)
    process.standardError = try FileHandle(forWritingTo: log)
    try process.run()
    var line: [UInt8] = []
    while let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
      if byte[byte.startIndex] == UInt8(ascii: "\n") { break }
      line.append(contentsOf: byte)
    }
    guard let port = (try? Value.parse(json: line))?["port"]?.wholeNumber else {
      process.waitUntilExit()
      throw Failure(description: log.path + ": " + self.log)
    }
    self.port = port
  }

  var url: String { "http://127.0.0.1:\(port)" }
  var log: String {
    (try? String(contentsOf: folder.appending(path: "log"), encoding: .utf8)) ?? ""
  }

  deinit {
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
    if !keepsFolder { try? FileManager.default.removeItem(at: folder) }
  }

  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Runs a script of bash in the folder.
  static func run(_ script: String, in folder: URL) throws -> (code: Int32, output: String) {
    let shell = Process()
    let pipe = Pipe()
    shell.executableURL = URL(filePath: "/bin/bash")
    shell.arguments = ["-c", "set -e\n" + script]
    shell.currentDirectoryURL = folder
    shell.standardOutput = pipe
    shell.standardError = pipe
    try shell.run()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    shell.waitUntilExit()
    return (shell.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}
