import Foundation

/// A command whose standard output is a terminal.
enum Pseudoterminal {
  struct Failure: Error {}

  /// Runs the tool to its end, and gives what the terminal was sent; line ends are as in files.
  ///
  /// - Parameter errors: where standard error goes; nil for the terminal.
  static func run(
    _ arguments: [String], columns: UInt16, in folder: String? = nil,
    _ variables: [String: String] = [:], errors: FileHandle? = nil
  ) throws -> BuiltTool.Result {
    var (main, other): (Int32, Int32) = (-1, -1)
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&main, &other, nil, nil, &size) == 0 else { throw Failure() }
    defer { close(main) }
    let process = Process()
    process.executableURL = URL(filePath: try BuiltTool.tool())
    process.arguments = arguments
    if let folder { process.currentDirectoryURL = URL(filePath: folder) }
    process.environment = ProcessInfo.processInfo.environment
      .filter { !["NO_COLOR", "COLUMNS", "CLICOLOR_FORCE", "GITHUB_ACTIONS"].contains($0.key) }
      .merging(["TERM": "xterm-256color"]) { $1 }.merging(variables) { $1 }
    let terminal = FileHandle(fileDescriptor: other, closeOnDealloc: false)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = terminal
    process.standardError = errors ?? terminal
    try process.run()
    close(other)
    // At the end Linux gives an error, and no end of file.
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = read(main, &buffer, buffer.count)
      if count <= 0 { break }
      bytes += buffer[..<count]
    }
    process.waitUntilExit()
    return BuiltTool.Result(
      code: process.terminationStatus,
      output: String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n"), errors: "")
  }

  /// The same with standard error apart from it, which has to fit into a pipe, and without colours.
  static func runApart(_ arguments: [String], in folder: String? = nil) throws -> BuiltTool.Result {
    let pipe = Pipe()
    var result = try run(
      arguments, columns: 200, in: folder, ["NO_COLOR": "1"], errors: pipe.fileHandleForWriting)
    try pipe.fileHandleForWriting.close()
    result.errors = String(
      decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    return result
  }
}
