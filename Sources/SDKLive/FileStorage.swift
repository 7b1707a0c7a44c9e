package import Expressions
internal import Foundation
package import SDK

/// Keeps the state in one JSON file, and the config in another. Each is replaced as a whole.
package struct FileStorage: ConfigStorage {
  private let path: String
  private let configPath: String

  package init(path: String, configPath: String) {
    self.path = path
    self.configPath = configPath
  }

  package func load() -> Value? { read(path) }

  /// A state that cannot be written is kept by the process that has it; the next change is written
  /// again.
  package func save(_ state: Value) { write(state, path) }

  package func loadConfig() -> Value? { read(configPath) }

  package func saveConfig(_ config: Value) { write(config, configPath) }

  private func read(_ path: String) -> Value? {
    FileManager.default.contents(atPath: path).flatMap { try? Value.parse(json: $0) }
  }

  private func write(_ value: Value, _ path: String) {
    try? Data(value.json.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
  }
}

/// Keeps what happened in a file of JSON lines, which grows at its end.
package final class FileEventLog: EventLog {
  private let url: URL
  private let lock = Locked(())

  package init(path: String) { url = URL(fileURLWithPath: path) }

  /// A line that cannot be read is passed over: the process may have ended in the middle of it.
  package func load() -> [EventLogEntry] {
    lock.withLock { _ in
      guard let data = try? Data(contentsOf: url) else { return [] }
      return data.split(separator: 0x0A).compactMap { line in
        (try? Value.parse(json: line)).flatMap { EventLogEntry(decoding: $0) }
      }
    }
  }

  package func append(_ entry: EventLogEntry) {
    let line = Data((entry.value.json + "\n").utf8)
    lock.withLock { _ in
      guard let file = try? FileHandle(forWritingTo: url) else {
        return try? line.write(to: url)
      }
      defer { try? file.close() }
      _ = try? file.seekToEnd()
      try? file.write(contentsOf: line)
    }
  }

  package func clear(keepingEvents names: Set<String>) {
    let kept = load().filter { entry in
      if case .event(let name, _) = entry { return names.contains(name) }
      return false
    }
    let text = kept.map { $0.value.json + "\n" }.joined()
    lock.withLock { _ in try? Data(text.utf8).write(to: url, options: .atomic) }
  }
}

extension EventLogEntry {
  /// One line of a file: `{"event" or "occurrence": name, "at": milliseconds}`.
  var value: Value {
    switch self {
    case .event(let name, let time):
      .object(["event": .string(name), "at": .int(time.milliseconds)])
    case .occurrence(let key, let time):
      .object(["occurrence": .string(key), "at": .int(time.milliseconds)])
    }
  }

  init?(decoding value: Value) {
    guard let milliseconds = value["at"]?.wholeNumber else { return nil }
    let time = Instant(milliseconds: Int64(milliseconds))
    if let name = value["event"]?.text {
      self = .event(name: name, at: time)
    } else if let key = value["occurrence"]?.text {
      self = .occurrence(key: key, at: time)
    } else {
      return nil
    }
  }
}
