internal import Expressions
internal import RuleEngine

/// How far a run has come: what has been read, what has been written, what was counted. Going on
/// from it gives the same bytes as never having stopped.
struct Checkpoint {
  var settings: RunSettings
  var position = InputPosition()
  var sums: BatchSums
  /// What is odd about the records.
  var notes = RecordNotes()
  /// What the outcomes and the rejects files hold.
  var outcomes = XXH64.Stream()
  var rejects = XXH64.Stream()

  var value: Value {
    func count(_ number: Int) -> Value { .int(Int64(number)) }
    func stream(_ hash: XXH64.Stream) -> Value {
      .object([
        "bytes": count(hash.count),
        "hash": .list(hash.state.map { .string(String($0, radix: 16)) }),
      ])
    }
    return .object([
      "checkpoint": 1, "settings": settings.value, "file": count(position.file),
      "offset": count(position.offset), "lines": count(position.lines),
      "users": count(sums.users), "rejected": count(sums.rejected),
      "linesInAll": count(sums.lines), "numbers": .list(sums.numbers.map(count)),
      "notes": notes.value, "outcomes": stream(outcomes), "rejects": stream(rejects),
    ])
  }

  func write(to path: String) throws { try OutputFile.replace(path, by: value.json) }

  /// The settings of a checkpoint, and the rest of it for ``init(_:_:plan:)``.
  static func read(_ text: [UInt8], _ path: String) throws -> (RunSettings, Value) {
    guard let value = try? Value.parse(json: text),
      value["checkpoint"] == 1, let settings = value["settings"].flatMap({ RunSettings($0) })
    else {
      throw CommandError("\(path) is no checkpoint of this version; run again without --resume")
    }
    return (settings, value)
  }

  /// Nil when the numbers are of another plan.
  init?(_ settings: RunSettings, _ value: Value, plan: BatchPlan) {
    func count(_ key: String) -> Int? {
      if case .int(let number)? = value[key] { Int(number) } else { nil }
    }
    func stream(_ key: String) -> XXH64.Stream? {
      guard let stored = value[key], case .int(let bytes)? = stored["bytes"],
        case .list(let words)? = stored["hash"]
      else { return nil }
      let state = words.compactMap { word -> UInt64? in
        if case .string(let text) = word { UInt64(text, radix: 16) } else { nil }
      }
      return XXH64.Stream(state: state, count: Int(bytes))
    }
    guard case .list(let stored)? = value["numbers"], let file = count("file"),
      let offset = count("offset"), let lines = count("lines"), let users = count("users"),
      let rejected = count("rejected"), let all = count("linesInAll"),
      let outcomes = stream("outcomes"), let rejects = stream("rejects"),
      let notes = value["notes"].flatMap({ RecordNotes($0) })
    else { return nil }
    let numbers = stored.compactMap { if case .int(let number) = $0 { Int(number) } else { nil } }
    guard
      let sums = plan.sums(users: users, rejected: rejected, lines: all, numbers: numbers)
    else { return nil }
    self.settings = settings
    position = InputPosition(file: file, offset: offset, lines: lines)
    self.sums = sums
    self.outcomes = outcomes
    self.rejects = rejects
    self.notes = notes
  }

  init(_ settings: RunSettings, plan: BatchPlan) {
    self.settings = settings
    sums = plan.emptySums
  }
}
