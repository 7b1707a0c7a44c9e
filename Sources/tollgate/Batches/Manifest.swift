internal import Expressions
internal import RuleBatch
internal import RuleEngine
internal import SDK

/// The record of a run: enough to repeat it, and to check that the result is the same.
struct Manifest {
  /// A file that was written.
  struct Written: Equatable {
    struct Content: Equatable {
      var bytes: Int
      var hash: String

      init(_ hash: XXH64.Stream) {
        bytes = hash.count
        self.hash = hash.text
      }

      init(_ recorded: RecordedValue) throws(RecordedValue.Fault) {
        bytes = try recorded.required("bytes").number()
        hash = try recorded.text("hash")
      }
    }

    var path: String
    /// The bytes of the file.
    var content: Content
    /// The uncompressed content of a compressed file; nil for an uncompressed file.
    var text: Content?

    var bytes: Int { content.bytes }

    var value: Value {
      func number(_ content: Content) -> Value { .int(Int64(content.bytes)) }
      guard let text else {
        return .object([
          "path": .string(path), "bytes": number(content), "hash": .string(content.hash),
        ])
      }
      return .object([
        "path": .string(path), "bytes": number(content), "hash": .string(content.hash),
        "text": .object(["bytes": number(text), "hash": .string(text.hash)]),
      ])
    }

    init(path: String, _ hash: XXH64.Stream, text: XXH64.Stream? = nil) {
      self.path = path
      content = Content(hash)
      self.text = text.map { Content($0) }
    }

    init(_ file: OutputFile) { self.init(path: file.path, file.hash, text: file.textHash) }

    init(_ recorded: RecordedValue) throws(RecordedValue.Fault) {
      path = try recorded.text("path")
      content = try Content(recorded)
      text = try recorded.member("text").map {
        (text) throws(RecordedValue.Fault) in try Content(text)
      }
    }
  }

  var settings: RunSettings
  /// The hash of each users file, in the form of ``UserHash/text``; empty in a manifest of an
  /// earlier version.
  var users: [String]
  /// The file of outcomes; nil if no outcomes were written to a file.
  var outcomes: Written?
  var rejects: Written?
  /// The summary, and its raw numbers.
  var counts: Value
  private var sums: [Int]
  private var errors: Value
  /// The counts for a report; null without a report.
  private var report: Value

  var value: Value {
    .members([
      "manifest": 1, "settings": settings.value,
      "users": .list(users.map { .string($0) }), "outcomes": outcomes?.value ?? .null,
      "rejects": rejects?.value ?? .null, "counts": counts,
      "numbers": .list(sums.map { .int(Int64($0)) }), "errors": errors,
      "report": report == .null ? nil : report,
    ])
  }

  init(_ state: Checkpoint, outcomes: Written?, rejects: Written?, counts: Value) {
    let (settings, sums) = (state.settings, state.sums)
    self.settings = settings
    users = state.userHashes
    self.outcomes = outcomes
    self.rejects = rejects
    self.counts = counts
    self.sums = [sums.users, sums.rejected, sums.lines] + sums.numbers
    errors = ErrorCounts.value(sums)
    report = ReportCounts.value(sums, state.rejectKinds)
  }

  /// The counts of the run, which must belong to this plan, and the reasons of rejected lines, if they were counted.
  func counts(_ plan: BatchPlan) throws -> (sums: BatchSums, rejects: RejectKinds?) {
    guard sums.count > 3,
      var sums = plan.sums(
        users: sums[0], rejected: sums[1], lines: sums[2], numbers: Array(sums[3...])),
      let errors = ErrorCounts.read(errors)
    else { throw CommandError("the manifest is damaged; run again without --resume") }
    sums.errors = errors
    let rejects = ReportCounts.restore(report, plan, in: &sums)
    return (sums, rejects)
  }

  /// - Throws: when the file is not a manifest. The error names the file's kind if it is known.
  init(reading path: String) throws {
    let manifest = RunFiles.usualManifest(path)
    let value: Value
    do {
      let bytes = try FileText.read(path)
      if let refusal = Manifest.refusal(path, bytes) { throw refusal }
      value = try Value.parse(json: bytes)
    } catch  where FileIdentity.exists(path) && FileIdentity.exists(manifest) {
      throw CommandError("\(path) is not a manifest; its manifest is \(manifest)")
    } catch let fault as JSONFault {
      throw CommandError("\(path) is not a manifest: \(fault.message) at byte \(fault.offset)")
    }
    guard value["manifest"] != nil else { throw CommandError("\(path) is not a manifest") }
    let recorded = RecordedValue(path: "", value: value)
    do throws(RecordedValue.Fault) {
      guard value["manifest"] == 1 else {
        let version = try recorded.required("manifest")
        throw version.fault(
          "this is version \(value["manifest"]?.json ?? "0"), and tollgate "
            + "\(SDKVersion.current) reads version 1")
      }
      settings = try RunSettings(recorded.required("settings"))
      counts = try recorded.required("counts").value
      var sums: [Int] = []
      for number in try recorded.required("numbers").elements() {
        sums.append(try number.number())
      }
      self.sums = sums
      errors = value["errors"] ?? .list([])
      users = []
      if let hashes = recorded.member("users") {
        for hash in try hashes.elements() { users.append(try hash.text()) }
      }
      report = value["report"] ?? .null
      outcomes = try Manifest.written(recorded.member("outcomes"))
      rejects = try Manifest.written(recorded.member("rejects"))
    } catch {
      throw CommandError("\(path): \(error.description)")
    }
  }

  private static func written(_ recorded: RecordedValue?) throws(RecordedValue.Fault) -> Written? {
    guard let recorded else { return nil }
    return try Written(recorded)
  }

  /// Rejects files that are often mistaken for a manifest.
  private static func refusal(_ path: String, _ bytes: [UInt8]) -> CommandError? {
    let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    let isOutcome = line.hasPrefix(#"{"userId":"#) && line.contains(#""result":"#)
    if isOutcome || ["userId,", "user_id,"].contains(where: line.hasPrefix) {
      return CommandError(
        "\(path) is an outcomes file; its manifest would be \(RunFiles.usualManifest(path)), "
          + "which does not exist")
    }
    if bytes.starts(with: #"{"checkpoint":"#.utf8) {
      return CommandError(
        "\(path) is the checkpoint of a run that was stopped: continue it with "
          + "'tollgate precompute ... --resume'")
    }
    return nil
  }

  func write(to path: String) throws {
    try SavedFile.write(Array((value.json + "\n").utf8), to: path, scratch: path + ".new")
  }
}
