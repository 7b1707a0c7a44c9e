internal import Expressions
internal import RuleBatch
internal import RuleEngine

/// The progress of a run: the input read, the output written, the counts. A run that resumes from a checkpoint writes
/// the same bytes as a run without a stop.
struct Checkpoint {
  var settings: RunSettings
  /// The path of the outcomes, or nil. The path is not part of the settings, because files may be moved.
  var out: String?
  var position = InputPosition()
  /// For each users file that was started, the state of its hash.
  var users: [UserHash] = []
  var sums: BatchSums
  /// The oddities of the records.
  var notes = RecordNotes()
  /// Cells of CSV that could be read in another way.
  var texts = CSVTexts()
  /// The reasons of rejected lines; nil without a report.
  var rejectKinds: RejectKinds?
  /// The contents of the outcomes and the rejects files.
  var outcomes: OutputFile.State
  var rejects: OutputFile.State

  var value: Value {
    func count(_ number: Int) -> Value { .int(Int64(number)) }
    return .object([
      "checkpoint": 1, "out": out.map { .string($0) } ?? .null, "settings": settings.value,
      "file": count(position.file),
      "offset": count(position.offset), "lines": count(position.lines),
      "read": .list(users.map(\.value)),
      "users": count(sums.users), "rejected": count(sums.rejected),
      "linesInAll": count(sums.lines), "numbers": .list(sums.numbers.map(count)),
      "notes": notes.value, "texts": texts.value, "errors": ErrorCounts.value(sums),
      "report": ReportCounts.value(sums, rejectKinds), "outcomes": outcomes.value,
      "rejects": rejects.value,
    ])
  }

  /// The hash of each users file as read, in the form of a manifest.
  var userHashes: [String] {
    settings.users.indices.map { (users.indices.contains($0) ? users[$0] : UserHash()).text }
  }

  func write(to path: String) throws {
    try SavedFile.write(Array((value.json + "\n").utf8), to: path, scratch: path + ".new")
  }

  /// The settings of a checkpoint, and its other members for ``init(_:_:plan:)``.
  static func read(_ text: [UInt8], _ path: String) throws -> (RunSettings, Value) {
    guard let value = try? Value.parse(json: text), value["checkpoint"] == 1 else {
      throw CommandError("\(path) is not a checkpoint of this version; run again without --resume")
    }
    do throws(RecordedValue.Fault) {
      let settings = try RecordedValue(path: "", value: value).required("settings")
      return (try RunSettings(settings), value)
    } catch {
      throw CommandError("\(path): \(error.description); run again without --resume")
    }
  }

  /// Reads a checkpoint. Fails if the numbers belong to another plan.
  init?(_ settings: RunSettings, _ value: Value, plan: BatchPlan) {
    func count(_ key: String) -> Int? {
      if case .int(let number)? = value[key] { Int(number) } else { nil }
    }
    guard let stored = value["numbers"]?.elements, let file = count("file"),
      let offset = count("offset"), let lines = count("lines"), let users = count("users"),
      let rejected = count("rejected"), let all = count("linesInAll"),
      let outcomes = value["outcomes"].flatMap({ OutputFile.State($0) }),
      let rejects = value["rejects"].flatMap({ OutputFile.State($0) }),
      let notes = value["notes"].flatMap({ RecordNotes($0) }),
      let errors = value["errors"].flatMap({ ErrorCounts.read($0) }),
      let read = value["read"]?.elements, let texts = value["texts"].flatMap({ CSVTexts($0) })
    else { return nil }
    self.users = read.compactMap { UserHash($0) }
    guard self.users.count == read.count else { return nil }
    let numbers = stored.compactMap { if case .int(let number) = $0 { Int(number) } else { nil } }
    guard
      var sums = plan.sums(users: users, rejected: rejected, lines: all, numbers: numbers)
    else { return nil }
    self.settings = settings
    position = InputPosition(file: file, offset: offset, lines: lines)
    sums.errors = errors
    rejectKinds = ReportCounts.restore(value["report"] ?? .null, plan, in: &sums)
    self.sums = sums
    self.outcomes = outcomes
    self.rejects = rejects
    self.notes = notes
    self.texts = texts
  }

  /// Creates the state at the beginning of a run.
  init(
    _ settings: RunSettings, plan: BatchPlan, out: String? = nil,
    outcomes: OutputFile.State = OutputFile.State(),
    rejects: OutputFile.State = OutputFile.State()
  ) {
    self.settings = settings
    self.out = out
    self.outcomes = outcomes
    self.rejects = rejects
    sums = plan.emptySums
    if plan.draws != nil { rejectKinds = RejectKinds() }
  }
}

extension OutputFile.State {
  var value: Value {
    guard let text else { return bytes.value }
    return .object([
      "bytes": .int(Int64(bytes.count)), "hash": bytes.lanes, "text": text.value,
      "pending": .string(OutputFile.State.digits(pending)),
    ])
  }

  init?(_ value: Value) {
    guard let bytes = XXH64.Stream(value) else { return nil }
    self.bytes = bytes
    guard let stored = value["text"] else { return }
    guard let text = XXH64.Stream(stored), let digits = value["pending"]?.text,
      let pending = OutputFile.State.bytes(digits), pending.count < CompressedOutput.memberSize
    else { return nil }
    self.text = text
    self.pending = pending
  }

  /// Bytes as hexadecimal digits, because a range may begin in the middle of a character.
  private static func digits(_ bytes: [UInt8]) -> String {
    // SAFETY: Two characters are written for each byte, which is the capacity.
    // Tests: CompressedOutputTests, PrecomputeFilesTests.
    let digits = Array("0123456789abcdef".utf8)
    return String(unsafeUninitializedCapacity: bytes.count * 2) { memory in
      for (at, byte) in bytes.enumerated() {
        memory[2 * at] = digits[Int(byte >> 4)]
        memory[2 * at + 1] = digits[Int(byte & 15)]
      }
      return bytes.count * 2
    }
  }

  private static func bytes(_ digits: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in digits.utf8 {
      guard let value = Character(UnicodeScalar(digit)).hexDigitValue else { return nil }
      if let first = high {
        bytes.append(first << 4 | UInt8(value))
        high = nil
      } else {
        high = UInt8(value)
      }
    }
    return high == nil ? bytes : nil
  }
}
