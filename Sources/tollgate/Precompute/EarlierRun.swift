internal import Expressions
internal import RuleBatch
internal import RuleEngine

/// A run that was done before, from which another one takes over what was decided for users whose records
/// and rules are the same.
struct EarlierRun {
  /// The manifest of the earlier run.
  let path: String
  /// Why nothing can be taken over, in words; empty when what is known holds.
  let differences: [String]
  private let isSameTime: Bool
  private let header: DecisionsHeader
  private let file: InputFile
  private let written: Manifest.Written.Content

  /// - Throws: when there is no such run, or it has not kept what it decided, or that was changed since.
  init(_ path: String, for settings: RunSettings, _ config: ConfigFile) throws {
    self.path = path
    guard FileIdentity.exists(path) else {
      throw CommandError(
        "there is no \(path) yet: the first run takes --keep-decisions instead of --since")
    }
    let manifest = try Manifest(reading: path)
    guard let recorded = manifest.decisions else {
      throw CommandError(
        "\(path): this run kept no decisions for --since; run with --keep-decisions instead of "
          + "--since, once")
    }
    written = recorded.content
    (file, header) = try EarlierRun.open(recorded, beside: path)
    var differences = settings.differences(
      from: manifest.settings,
      only: [
        "tollgate", "format", "dialect", "platform", "placements", "assigner", "assignerVersion",
      ] + (settings.assigner == Assigner.djb2.name ? [] : ["seed"]))
    if settings.configHash != manifest.settings.configHash,
      !EarlierRun.hasSameRules(header.config, config, settings.format)
    {
      differences.append("\(config.name) has changed")
    }
    self.differences = differences
    isSameTime =
      settings.now == manifest.settings.now && settings.timeZone == manifest.settings.timeZone
  }

  /// What an earlier run has kept is where it was written, or beside its manifest.
  private static func open(_ written: Manifest.Written, beside manifest: String) throws
    -> (InputFile, DecisionsHeader)
  {
    let beside =
      FilePlace.parts(manifest).folder + "/" + FilePlace.parts(written.path).name
    let places = [written.path, beside].filter { FilePlace($0).kind == .file }
    guard let first = places.first else {
      throw CommandError(
        "\(written.path), which has the decisions of the run of \(manifest), is gone; run without "
          + "--since, with --keep-decisions")
    }
    let place =
      places.first { FileIdentity.regularSize(of: $0) == written.bytes } ?? first
    let file = try InputFile(place)
    guard file.size == written.bytes, let header = try DecisionsHeader(reading: file) else {
      throw EarlierRun.changed(place, manifest)
    }
    return (file, header)
  }

  private static func changed(_ path: String, _ manifest: String) -> CommandError {
    CommandError(
      "\(path) is not what \(manifest) says was written; run without --since, with "
        + "--keep-decisions")
  }

  /// Whether a config decides as an earlier one did. What is not looked at are the names of what was
  /// published, its own and those of its paywalls; all else is.
  private static func hasSameRules(
    _ earlier: [UInt8], _ config: ConfigFile, _ format: String?
  ) -> Bool {
    let format = format.flatMap { Config.Format(rawValue: $0) }
    guard var mine = config.config, var other = Config.decode(earlier, format: format).output
    else { return false }
    (mine.buildID, other.buildID) = ("", "")
    for number in mine.paywalls.indices { mine.paywalls[number].buildID = nil }
    for number in other.paywalls.indices { other.paywalls[number].buildID = nil }
    return mine == other
  }

  /// The decisions that hold for a plan; nil when none do.
  ///
  /// - Throws: when the file is not what was written.
  func decisions(for plan: BatchPlan) throws -> EarlierDecisions? {
    guard differences.isEmpty, header.fingerprint == plan.decisionForm.fingerprint else {
      return nil
    }
    var hash = XXH64.Stream()
    let found = try EarlierDecisions(
      of: plan, byteCount: written.bytes, entriesFrom: header.count, isSameTime: isSameTime
    ) { memory in
      let read = try file.read(into: memory, at: 0)
      hash.add(UnsafeRawBufferPointer(rebasing: memory[..<read]))
      guard RunSettings.text(of: hash) == written.hash else {
        throw EarlierRun.changed(file.path, path)
      }
    }
    guard let found else { throw EarlierRun.changed(file.path, path) }
    return found
  }
}

/// What a file of decisions begins with: a line of JSON, and the config that they were made by.
struct DecisionsHeader {
  static let beginning = #"{"decisions":1,"#

  let fingerprint: UInt64
  let config: [UInt8]
  /// Bytes up to the first entry.
  let count: Int

  /// The header of a new file.
  static func bytes(_ plan: BatchPlan, config: [UInt8]) -> [UInt8] {
    let line: Value = .object([
      "decisions": 1,
      "rules": .string(String(plan.decisionForm.fingerprint, radix: 16)),
      "config": .int(Int64(config.count)),
    ])
    return Array((line.json + "\n").utf8) + config
  }

  /// Nil when a file does not begin so.
  init?(reading file: InputFile) throws {
    let start = try file.beginning(256)
    guard let end = start.firstIndex(of: UInt8(ascii: "\n")),
      let line = try? Value.parse(json: start[..<end]), line["decisions"] == 1,
      let fingerprint = line["rules"]?.text.flatMap({ UInt64($0, radix: 16) }),
      case .int(let length)? = line["config"], let size = file.size,
      length >= 0, length <= size - end - 1
    else { return nil }
    self.fingerprint = fingerprint
    count = end + 1 + Int(length)
    let (from, wanted) = (end + 1, Int(length))
    config = try [UInt8](unsafeUninitializedCapacity: wanted) { memory, count in
      let whole = UnsafeMutableRawBufferPointer(memory)
      count = try file.read(
        into: UnsafeMutableRawBufferPointer(rebasing: whole[..<wanted]), at: from)
    }
    guard config.count == wanted else { return nil }
  }
}
