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

  /// Beside the test bundle, or beside the program that runs it.
  static let path: String? = {
    let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
    let programs = [Bundle.main.executableURL, URL(filePath: CommandLine.arguments[0])]
    let places = bundles + programs.compactMap { $0 }
    return places.map { $0.deletingLastPathComponent().appending(path: "tollgate").path }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  /// Runs a command to its end, with a text or bytes on standard input: a file there, or a pipe.
  static func run(_ arguments: [String], input: Data = Data(), isPiped: Bool = false) throws
    -> Result
  {
    guard let path else { throw NotFound() }
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "tollgate-process-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // Files, not pipes: nobody has to read while the process writes.
    func file(_ name: String, _ content: Data = Data()) throws -> URL {
      let url = folder.appending(path: name)
      try content.write(to: url)
      return url
    }
    let (out, err) = (try file("out"), try file("err"))
    let pipe = isPiped ? Pipe() : nil
    process.standardInput = try pipe ?? FileHandle(forReadingFrom: try file("in", input))
    process.standardOutput = try FileHandle(forWritingTo: out)
    process.standardError = try FileHandle(forWritingTo: err)
    try process.run()
    if let pipe {
      // A command that ended already reads nothing more.
      signal(SIGPIPE, SIG_IGN)
      try? pipe.fileHandleForWriting.write(contentsOf: input)
      try? pipe.fileHandleForWriting.close()
    }
    process.waitUntilExit()
    func text(_ url: URL) throws -> String {
      String(decoding: try Data(contentsOf: url), as: UTF8.self)
    }
    return Result(code: process.terminationStatus, output: try text(out), errors: try text(err))
  }

  static func run(_ arguments: String..., input: String) throws -> Result {
    try run(arguments, input: Data(input.utf8))
  }

  static func run(_ arguments: String...) throws -> Result { try run(arguments) }
}
