import Expressions
import Foundation

@testable import conformance

/// `conformance` as others use it, within this process.
enum Conformance {
  struct Result {
    var code: Int32
    var output: String
    var errors: String

    /// The lines of standard output.
    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// The corpus, from where this file lies.
  static let corpus = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "corpus").path

  /// - Parameter input: what is on standard input.
  static func run(_ arguments: String..., input: String = "") -> Result {
    run(arguments, input: input)
  }

  static func run(_ arguments: [String], input: String = "") -> Result {
    let streams = Locked((output: "", errors: "", input: input[...]))
    let console = Console(
      print: { text in streams.withLock { $0.output += text + "\n" } },
      printError: { text in streams.withLock { $0.errors += text + "\n" } },
      readLine: {
        streams.withLock { streams in
          guard !streams.input.isEmpty else { return nil }
          let line = streams.input.prefix { $0 != "\n" }
          streams.input = streams.input.dropFirst(line.count + 1)
          return String(line)
        }
      },
      readAll: {
        streams.withLock { streams in
          defer { streams.input = "" }
          return Array(streams.input.utf8)
        }
      })
    let code = ConformanceCommand.run(arguments, console)
    return streams.withLock { Result(code: code, output: $0.output, errors: $0.errors) }
  }
}

/// A folder of files that goes away with the test.
final class CaseFolder {
  private let url = FileManager.default.temporaryDirectory
    .appending(path: "tollgate-cases-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  var path: String { url.path }

  func path(_ name: String) -> String { url.appending(path: name).path }

  func text(_ name: String) -> String? {
    FileManager.default.contents(atPath: path(name)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// - Returns: the path.
  @discardableResult
  func write(_ name: String, _ text: String) throws -> String {
    try Data(text.utf8).write(to: url.appending(path: name))
    return path(name)
  }
}
