import Expressions
import Foundation
import Testing

@testable import Sandbox

/// The server as a process, as it was built beside the tests.
struct ServerProcess {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static let tool =
    (Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
    ?? URL(filePath: CommandLine.arguments[0]))
    .deletingLastPathComponent().appending(path: "tollgate-server")

  let process: Process
  let output: Pipe

  /// Starts it in the folder of the project.
  init(_ arguments: [String]) throws {
    process = Process()
    process.executableURL = Self.tool
    process.arguments = arguments
    process.currentDirectoryURL = Self.root
    process.standardError = FileHandle.nullDevice
    output = Pipe()
    process.standardOutput = output
    try process.run()
  }

  /// Where it listens, once it does.
  func sandbox() throws -> SandboxServer {
    var line: [UInt8] = []
    while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != 0x0A {
      line.append(byte)
    }
    let address = try #require(try Value.parse(json: line)["url"]?.text)
    return SandboxServer(address: address, clock: .now, authority: try SandboxAuthority())
  }

  /// Everything that it prints, once it has ended.
  func text() throws -> String {
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  func kill() {
    #if canImport(Glibc)
      _ = Glibc.kill(process.processIdentifier, SIGKILL)
    #else
      _ = Darwin.kill(process.processIdentifier, SIGKILL)
    #endif
    process.waitUntilExit()
  }
}

#if canImport(Glibc)
  import Glibc
#endif
