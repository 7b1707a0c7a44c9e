internal import Expressions
internal import RuleEngine

/// The forms that outcomes can be written in.
enum OutputForm: String, CaseIterable {
  case ndjson, csv, sqlite

  /// What a file's name says.
  init(path: String) {
    let endings: [(String, OutputForm)] = [
      (".csv", .csv), (".sqlite", .sqlite), (".sqlite3", .sqlite), (".db", .sqlite),
    ]
    self = endings.first { path.hasSuffix($0.0) }?.1 ?? .ndjson
  }

  var outcomes: OutcomeForm {
    switch self {
    case .ndjson: .ndjson
    case .csv: .csv
    case .sqlite: .rows
    }
  }
}

/// The files of a run, and what an earlier start of the same run has left in them.
struct RunFiles {
  let out: String
  let rejects: String?
  let checkpoint: String?
  let manifest: String?
  let interval: Double
  private let form: OutputForm

  init(out: String, form: OutputForm, rejects: String?, options: LastingOptions) {
    self.out = out
    self.form = form
    self.rejects = rejects
    let isFile = out != "-" && out != "none"
    checkpoint = options.checkpoint ?? (isFile ? out + ".checkpoint" : nil)
    let chosen = options.manifest ?? (isFile ? out + ".manifest.json" : nil)
    manifest = chosen == "none" ? nil : chosen
    interval = options.checkpointEvery
  }

  /// What an earlier start has left.
  enum Former {
    case stopped(RunSettings, Value)
    case complete(Manifest)
  }

  /// Looks for an earlier start with the same settings; nil when there was none.
  ///
  /// - Parameter keepsTime: whether the time is the earlier one's, and not part of the settings.
  func former(_ settings: inout RunSettings, keepsTime: Bool) throws -> Former? {
    guard out != "-", let checkpoint else {
      throw CommandError(
        out == "-"
          ? "--resume needs --out FILE: what went to standard output is gone"
          : "--resume needs --out FILE or --checkpoint FILE")
    }
    if let text = try text(ofCheckpoint: checkpoint) {
      let (earlier, value) = try Checkpoint.read(text, checkpoint)
      if keepsTime { settings.now = earlier.now }
      try check(settings, earlier, checkpoint)
      return .stopped(earlier, value)
    }
    if let manifest, FileIdentity.exists(manifest) {
      let earlier = try Manifest(reading: manifest)
      if keepsTime { settings.now = earlier.settings.now }
      try check(settings, earlier.settings, manifest)
      if let outcomes = earlier.outcomes, FileIdentity.regularSize(of: out) != outcomes.bytes {
        throw CommandError(
          "\(out) is not what \(manifest) says was written; run again without --resume")
      }
      return .complete(earlier)
    }
    FileText.printError("There is no \(checkpoint) to go on with: the run begins.")
    return nil
  }

  private func text(ofCheckpoint path: String) throws -> [UInt8]? {
    guard FileIdentity.exists(path) else { return nil }
    return form == .sqlite
      ? OutcomeDatabase.checkpoint(in: path).map { Array($0.utf8) } : try FileText.read(path)
  }

  private func check(_ settings: RunSettings, _ earlier: RunSettings, _ path: String) throws {
    let differences = settings.differences(from: earlier)
    guard !differences.isEmpty else { return }
    throw CommandError(
      "\(path) is of a run with other settings:\n"
        + differences.map { "  \($0)" }.joined(separator: "\n")
        + "\nGive the same ones, or run again without --resume.")
  }

  /// Where the run begins.
  func state(_ former: Former?, _ settings: RunSettings, _ plan: BatchPlan) throws -> Checkpoint {
    guard case .stopped(let earlier, let value)? = former else {
      return Checkpoint(settings, plan: plan)
    }
    guard let state = Checkpoint(earlier, value, plan: plan) else {
      throw CommandError("\(checkpoint ?? "") is damaged; run again without --resume")
    }
    return state
  }

  /// Opens what a run writes. A new run leaves a checkpoint of its beginning before it empties
  /// anything, so that a kill finds either the files before or a run to go on with.
  func open(_ state: Checkpoint, _ plan: BatchPlan, users: [String], isResuming: Bool) throws
    -> BatchRun.Files
  {
    let outcomes: OutcomeSink
    if form == .sqlite {
      outcomes = .database(
        try OutcomeDatabase(
          out, building: checkpoint ?? out + ".building", plan, state, resumes: isResuming))
    } else {
      if !isResuming, let checkpoint { try state.write(to: checkpoint) }
      outcomes = try sink(out, state.outcomes, isResuming)
    }
    if !isResuming, let manifest { FileName.remove(manifest) }
    if case .file(let file) = outcomes, file.count == 0 { try file.write(plan.header) }
    return BatchRun.Files(
      users: users, outcomes: outcomes, rejects: try sink(rejects, state.rejects, isResuming),
      checkpoint: checkpoint, interval: interval)
  }

  private func sink(_ path: String?, _ hash: XXH64.Stream, _ isResuming: Bool) throws
    -> OutcomeSink
  {
    guard let path, path != "none" else { return .none }
    // A kill may have come before the file was made.
    let isThere = hash.count > 0 || FileIdentity.exists(path)
    return .file(
      isResuming && path != "-" && isThere
        ? try OutputFile(resuming: path, after: hash) : try OutputFile(creating: path))
  }

  /// Closes what a complete run has written, and leaves the manifest in place of the checkpoint.
  func finish(_ run: BatchRun) throws {
    try run.close()
    if let manifest {
      try run.manifest.write(to: manifest)
    }
    if let checkpoint { OutcomeDatabase.remove(checkpoint) }
  }
}

extension UserInput {
  /// The files that paths and patterns name.
  static func paths(_ patterns: [String]) throws -> [String] {
    var paths: [String] = []
    for pattern in patterns {
      let found = FilePattern.paths(pattern)
      guard !found.isEmpty else { throw CommandError("no file matches \(pattern)") }
      paths += found
    }
    if paths.filter({ $0 == "-" }).count > 1 {
      throw CommandError("standard input can be read once")
    }
    // What is missing is told now, not when the files before it are done.
    for path in paths where path != "-" {
      try InputFile(path).check()
    }
    return paths
  }
}

extension InputFile {
  /// Whether the file can be read: a folder opens like a file.
  func check() throws {
    if FileIdentity.isFolder(path) { throw CommandError("\(path) is a folder, not a users file") }
  }
}

extension RunSettings {
  var resolvedAssigner: Assigner {
    assigner == Assigner.djb2.name ? .djb2 : .hash(salt: seed)
  }

  /// What the decisions of the run depend on beside config and users.
  var basis: String { DecisionOptions.basis(now, resolvedAssigner) }

  /// The plan that the settings describe.
  func plan(_ ruleSet: RuleSet, texts: TextPlan? = nil) throws -> BatchPlan {
    guard let clock = HistoryClock(now: now, timeZone: timeZone) else {
      throw CommandError("there is no time zone '\(timeZone)'; write Europe/Berlin or +01:00")
    }
    return BatchPlan(
      ruleSet, placements: placements, now: now, assigner: resolvedAssigner,
      layout: layout == "wide" ? .wide : .long,
      form: OutputForm(rawValue: output)?.outcomes ?? .ndjson, writesOutcomes: output != "none",
      stopsAtRejection: strict, clock: clock, texts: texts)
  }
}

extension BatchRun {
  func close() throws {
    if case .database(let database) = files.outcomes {
      try database.finish(state, counts: tally.value.json)
    }
    try files.outcomes.close()
    try files.rejects.close()
  }

  var manifest: Manifest {
    Manifest(
      settings: state.settings, outcomes: files.outcomes.written, rejects: files.rejects.written,
      sums: state.sums, counts: tally.value)
  }
}
