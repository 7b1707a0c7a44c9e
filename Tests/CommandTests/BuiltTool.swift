import Foundation

/// The built command line, as a process of its own.
struct BuiltTool {
  struct Result {
    var code: Int32
    var output: String
    var errors: String

    /// The lines of standard output.
    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  struct NotFound: Error {}

  /// Beside the test bundle, or beside the program that runs it; or what `TOLLGATE_TOOL` names, as an
  /// optimised build is not beside tests.
  static let path: String? = {
    if let named = ProcessInfo.processInfo.environment["TOLLGATE_TOOL"] { return named }
    let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
    let programs = [Bundle.main.executableURL, URL(filePath: CommandLine.arguments[0])]
    let places = bundles + programs.compactMap { $0 }
    return places.map { $0.deletingLastPathComponent().path }
      .first { FileManager.default.isExecutableFile(atPath: $0 + "/tollgate") }
      .map { TestFolder.withoutSpaces($0) + "/tollgate" }
  }()

  static func tool() throws -> String {
    guard let path else { throw NotFound() }
    return path
  }

  /// Runs a command to its end, with a text or bytes on standard input: a file there, or a pipe.
  static func run(_ arguments: [String], input: Data = Data(), isPiped: Bool = false) throws
    -> Result
  {
    guard isPiped else { return try run(try tool(), arguments, input: input) }
    let pipe = Pipe()
    let run = try Running(try tool(), arguments, source: pipe)
    // A command that ended already reads nothing more.
    signal(SIGPIPE, SIG_IGN)
    try? pipe.fileHandleForWriting.write(contentsOf: input)
    try? pipe.fileHandleForWriting.close()
    return try run.wait()
  }

  static func run(_ arguments: String..., input: String) throws -> Result {
    try run(arguments, input: Data(input.utf8))
  }

  static func run(_ arguments: String...) throws -> Result { try run(arguments) }

  /// Runs a program to its end. It finds the tool in `$TOLLGATE` and the demo's config in `$CONFIG`.
  static func run(
    _ program: String, _ arguments: [String], input: Data = Data(), in folder: String? = nil
  ) throws -> Result {
    let run = try Running(program, arguments, input: input, in: folder)
    return try run.wait()
  }

  /// A program that was started, whose output goes into files: nobody has to read while it writes.
  final class Running {
    let process = Process()
    private let files: TestFolder

    /// - Parameters:
    ///   - source: standard input, in place of bytes.
    ///   - unset: variables that it does not get.
    init(
      _ program: String, _ arguments: [String], input: Data = Data(), source: Pipe? = nil,
      in folder: String? = nil, unset: [String] = []
    ) throws {
      files = try TestFolder()
      process.executableURL = URL(filePath: program)
      process.arguments = arguments
      process.environment = ProcessInfo.processInfo.environment.merging(
        ["TOLLGATE": try tool(), "CONFIG": TestFolder.config]
      ) { $1 }.filter { !unset.contains($0.key) && $0.key != "COLUMNS" }
      if let folder { process.currentDirectoryURL = URL(filePath: folder) }
      if let source {
        process.standardInput = source
      } else {
        process.standardInput = try FileHandle(
          forReadingFrom: URL(filePath: try files.write("in", input)))
      }
      process.standardOutput = try FileHandle(
        forWritingTo: URL(filePath: try files.write("out", "")))
      process.standardError = try FileHandle(
        forWritingTo: URL(filePath: try files.write("err", "")))
      try process.run()
    }

    /// What it has printed so far.
    var output: String { files.text("out") ?? "" }

    /// What it has said so far on standard error.
    var errors: String { files.text("err") ?? "" }

    func wait() throws -> Result {
      process.waitUntilExit()
      return Result(
        code: process.terminationStatus, output: output, errors: errors)
    }
  }
}
