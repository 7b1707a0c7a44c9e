import Foundation

/// A command whose standard output and standard error are a terminal.
enum Pseudoterminal {
  struct Failure: Error {}

  /// Runs the tool to its end, and gives what the terminal was sent.
  static func run(
    _ arguments: [String], columns: UInt16, in folder: String, _ variables: [String: String] = [:]
  ) throws -> String {
    var (main, other): (Int32, Int32) = (-1, -1)
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&main, &other, nil, nil, &size) == 0 else { throw Failure() }
    let process = Process()
    process.executableURL = URL(filePath: try BuiltTool.tool())
    process.arguments = arguments
    process.currentDirectoryURL = URL(filePath: folder)
    process.environment = ProcessInfo.processInfo.environment
      .filter { !["NO_COLOR", "COLUMNS", "CLICOLOR_FORCE", "GITHUB_ACTIONS"].contains($0.key) }
      .merging(["TERM": "xterm-256color"]) { $1 }.merging(variables) { $1 }
    let terminal = FileHandle(fileDescriptor: other, closeOnDealloc: false)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = terminal
    process.standardError = terminal
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
    close(main)
    return String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
  }
}
