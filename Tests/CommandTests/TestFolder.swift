import Foundation
import Testing

@testable import tollgate

/// A folder of files that goes away with the test.
final class TestFolder {
  let url = FileManager.default.temporaryDirectory
    .appending(path: "tollgate-test-\(UUID().uuidString)")

  /// The root of the project.
  static let root = withoutSpaces(
    URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path)
  /// The demo's files in the corpus.
  static let demo = root + "/corpus/demo"
  static let config = demo + "/config.json"

  /// The path, or that of a link to it where scripts would have to quote it: a clone may lie anywhere.
  static func withoutSpaces(_ path: String) -> String {
    guard path.contains(where: { $0.isWhitespace || "'\"$`\\".contains($0) }) else { return path }
    let files = FileManager.default
    let name = "tollgate-link-\(UUID().uuidString)"
    let link = files.temporaryDirectory.appending(path: name).path
    // It stays for as long as the tests run, and temporary folders are emptied.
    try? files.createSymbolicLink(atPath: link, withDestinationPath: path)
    return link
  }

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  var path: String { url.path }

  func path(_ name: String) -> String { url.appending(path: name).path }

  func bytes(_ name: String) -> Data? { FileManager.default.contents(atPath: path(name)) }

  func text(_ name: String) -> String? { bytes(name).map { String(decoding: $0, as: UTF8.self) } }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

  /// The names of all files, in order.
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  @discardableResult
  func write(_ name: String, _ text: String) throws -> String { try write(name, Data(text.utf8)) }

  @discardableResult
  func write(_ name: String, _ bytes: Data) throws -> String {
    try bytes.write(to: url.appending(path: name))
    return path(name)
  }

  /// Compresses a file into one with an ending behind its name, whatever programs there are.
  ///
  /// - Returns: the name of that file.
  @discardableResult
  func compress(_ name: String, _ compression: Compression) throws -> String {
    let target = "\(name).\(compression.ending)"
    try write(target, try TestFolder.compressed(Array(bytes(name) ?? Data()), compression))
    return target
  }

  static func compressed(_ text: [UInt8], _ compression: Compression) throws -> Data {
    var data = Data()
    let output = try CompressedOutput(compression)
    try text.withUnsafeBytes { try output.add($0) { data.append(contentsOf: $0) } }
    try output.finish(isEmpty: text.isEmpty) { data.append(contentsOf: $0) }
    return data
  }

  /// Lines of users, one of a thousand without an identity.
  static func users(_ count: Int, from first: Int = 0) -> String {
    (first..<first + count).map { number in
      number % 1_000 == 3
        ? "{\"user\":{}}\n"
        : "{\"userId\":\"u-\(number)\",\"user\":{\"plan\":\"free\"},"
          + "\"device\":{\"totalSessions\":\(number % 50)}}\n"
    }.joined()
  }

  /// What a program says, in this folder. The built tool is `$TOLLGATE`, the demo's config `$CONFIG`.
  func shell(_ script: String) throws -> BuiltTool.Result {
    try BuiltTool.run("/bin/sh", ["-c", "cd '\(path)' && \(script)"])
  }

  /// Writes a program that can be run at once.
  ///
  /// Another process does it: whatever a parallel test starts while a file is open for writing here
  /// holds that file open as well until it runs its own program, and until then the system refuses to
  /// run the file ("Text file busy").
  func writeProgram(_ name: String, _ text: String) throws {
    let result = try BuiltTool.run(
      "/bin/sh", ["-c", "mkdir -p \"${0%/*}\" && cat > \"$0\" && chmod 755 \"$0\"", path(name)],
      input: Data(text.utf8))
    guard result.code == 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  /// A run of `precompute` in this folder, with the demo's config, at a fixed time.
  func precompute(_ arguments: String...) throws -> BuiltTool.Result {
    try BuiltTool.run(
      try BuiltTool.tool(),
      ["precompute", Self.config, "--now", "2026-03-01T12:00:00Z", "--seed", "s"] + arguments,
      in: path)
  }

  func tollgate(_ arguments: String...) throws -> BuiltTool.Result { try tollgate(arguments) }

  func tollgate(_ arguments: [String]) throws -> BuiltTool.Result {
    try BuiltTool.run(try BuiltTool.tool(), arguments, in: path)
  }
}

extension Trait where Self == ConditionTrait {
  /// For tests of what the tool does about faults, which sanitizers take over.
  static var tellsFaults: Self {
    .disabled(if: dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil)
  }

  /// For tests that limit how long files may be, or how many are open: the thread sanitizer has long ones
  /// of its own.
  static var limitsFiles: Self { .disabled(if: dlsym(nil, "__tsan_init") != nil) }
}
