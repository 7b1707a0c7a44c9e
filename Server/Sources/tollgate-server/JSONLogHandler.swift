internal import Expressions
internal import Foundation
internal import Logging

/// Writes log entries to standard error, one line of JSON each.
struct JSONLogHandler: LogHandler {
  var logLevel = Logger.Level.info
  var metadata: Logger.Metadata = [:]

  /// Makes this the handler of all logs.
  static func start(_ level: Logger.Level) -> Logger {
    LoggingSystem.bootstrap { _ in
      var handler = JSONLogHandler()
      handler.logLevel = level
      return handler
    }
    return Logger(label: "tollgate-server")
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var entries: [Value.Entry] = [
      .init(key: "at", value: .string(Date().formatted(.iso8601))),
      .init(key: "level", value: .string(event.level.rawValue)),
      .init(key: "message", value: .string("\(event.message)")),
    ]
    let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
    for (key, value) in all.sorted(by: { $0.key < $1.key }) {
      entries.append(.init(key: .string(key), value: .string("\(value)")))
    }
    if let error = event.error { entries.append(.init(key: "error", value: .string("\(error)"))) }
    FileHandle.standardError.write(Data((Value.map(entries).json + "\n").utf8))
  }
}
