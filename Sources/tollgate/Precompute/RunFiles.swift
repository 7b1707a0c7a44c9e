internal import Expressions
internal import RuleEngine

/// The files of a run, and what an earlier start of the same run has left in them.
struct RunFiles {
  let out: String
  let rejects: String?
  let checkpoint: String?
  let manifest: String?
  let interval: Double

  init(out: String, rejects: String?, options: LastingOptions) {
    self.out = out
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
    if FileIdentity.exists(checkpoint) {
      let (earlier, value) = try Checkpoint.read(checkpoint)
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
  func open(_ state: Checkpoint, users: [String], isResuming: Bool) throws -> BatchRun.Files {
    if !isResuming {
      if let checkpoint { try state.write(to: checkpoint) }
      if let manifest { FileSync.remove(manifest) }
    }
    func sink(_ path: String?, _ hash: XXH64.Stream) throws -> OutcomeSink {
      guard let path, path != "none" else { return .none }
      // A kill may have come before the file was made.
      let isThere = hash.count > 0 || FileIdentity.exists(path)
      return .file(
        isResuming && path != "-" && isThere
          ? try OutputFile(resuming: path, after: hash) : try OutputFile(creating: path))
    }
    return BatchRun.Files(
      users: users, outcomes: try sink(out, state.outcomes),
      rejects: try sink(rejects, state.rejects), checkpoint: checkpoint, interval: interval)
  }

  /// Closes what a complete run has written, and leaves the manifest in place of the checkpoint.
  func finish(_ run: BatchRun) throws {
    try run.close()
    if let manifest {
      try run.manifest.write(to: manifest)
    }
    if let checkpoint { FileSync.remove(checkpoint) }
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
  /// The plan that the settings describe.
  func plan(_ ruleSet: RuleSet, texts: TextPlan? = nil) throws -> BatchPlan {
    guard let clock = HistoryClock(now: now, timeZone: timeZone) else {
      throw CommandError("there is no time zone '\(timeZone)'; write Europe/Berlin or +01:00")
    }
    return BatchPlan(
      ruleSet, placements: placements, now: now,
      assigner: assigner == "djb2" ? .djb2 : .hash(salt: seed),
      layout: layout == "wide" ? .wide : .long, writesOutcomes: output != "none",
      stopsAtRejection: strict, clock: clock, texts: texts)
  }
}

extension BatchRun {
  func close() throws {
    try files.outcomes.close()
    try files.rejects.close()
  }

  var manifest: Manifest {
    Manifest(
      settings: state.settings, outcomes: files.outcomes.written, rejects: files.rejects.written,
      sums: state.sums, counts: tally.value)
  }
}
