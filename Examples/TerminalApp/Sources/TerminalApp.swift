import Dispatch
import Foundation

@main
struct TerminalApp {
  static func main() async {
    let arguments: Arguments
    do throws(Arguments.Fault) {
      arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
    } catch {
      fail(error.message, 64)
    }
    if arguments.wantsHelp {
      print(Arguments.help)
      return
    }
    let kept = arguments.folder
    let folder = kept ?? NSTemporaryDirectory() + "terminal-app-" + UUID().uuidString
    defer { if kept == nil { try? FileManager.default.removeItem(atPath: folder) } }
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let app = try App(arguments, folder: folder)
      try await app.start()
      let isInterrupted = await run(app, arguments.script)
      await app.end()
      if isInterrupted {
        if kept == nil { try? FileManager.default.removeItem(atPath: folder) }
        exit(130)
      }
    } catch {
      if kept == nil { try? FileManager.default.removeItem(atPath: folder) }
      fail(error.localizedDescription, 1)
    }
  }

  private static func fail(_ message: String, _ status: Int32) -> Never {
    FileHandle.standardError.write(Data("TerminalApp: \(message)\n".utf8))
    exit(status)
  }

  /// Executes the commands of a script, or typed commands, until there are no more.
  ///
  /// - Returns: whether Ctrl-C ended it.
  private static func run(_ app: App, _ script: String?) async -> Bool {
    if let script {
      for line in script.split(whereSeparator: { $0 == ";" || $0.isNewline }) {
        let line = line.trimmingCharacters(in: .whitespaces)
        if line.isEmpty { continue }
        await app.screen.say("> \(line)")
        if await !app.perform(line) { break }
      }
      return false
    }
    let isTerminal = isatty(STDIN_FILENO) == 1
    if isTerminal { await app.screen.say("\n\(App.help)\n") }
    prompt(isTerminal)
    let (lines, interrupts) = input()
    defer { interrupts.cancel() }
    for await line in lines {
      guard let line else { return true }
      guard await app.perform(line.trimmingCharacters(in: .whitespaces)) else { break }
      prompt(isTerminal)
    }
    if isTerminal { await app.screen.say("bye") }
    return false
  }

  private static func prompt(_ isTerminal: Bool) {
    if isTerminal { FileHandle.standardOutput.write(Data("> ".utf8)) }
  }

  /// The typed lines, and nil for Ctrl-C. A second Ctrl-C does not wait for a command. Lines are read outside the main thread,
  /// which paywalls need.
  private static func input() -> (AsyncStream<String?>, any DispatchSourceSignal) {
    let (stream, continuation) = AsyncStream<String?>.makeStream()
    signal(SIGINT, SIG_IGN)
    let interrupts = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
    nonisolated(unsafe) var isInterrupted = false
    interrupts.setEventHandler {
      FileHandle.standardOutput.write(Data("\n".utf8))
      if isInterrupted { exit(130) }
      isInterrupted = true
      continuation.yield(nil)
    }
    interrupts.resume()
    Thread.detachNewThread {
      while let line = readLine() { continuation.yield(line) }
      continuation.finish()
    }
    return (stream, interrupts)
  }
}
