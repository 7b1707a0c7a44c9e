internal import ArgumentParser
internal import Expressions
internal import RuleBatch
internal import RuleEngine

/// The files that a run writes, and the state that an earlier start of the same run left in them.
struct RunFiles {
  let out: String
  let rejects: String?
  let checkpoint: String?
  let manifest: String?
  let interval: Double
  let form: FileForm
  /// The form of rejected lines; nil if they are not stored.
  let rejectsForm: FileForm?
  let options: LastingOptions
  let outPlace: FilePlace?
  let rejectsPlace: FilePlace?

  /// - Parameters:
  ///   - out: a path, `-` for standard output, or `none`.
  ///   - rejects: the path of rejected lines, in the same form; nil for none.
  init(
    out: String, form: FileForm, rejects: String?, options: LastingOptions
  ) throws {
    self.out = out
    self.form = form
    self.rejects = rejects == "none" ? nil : rejects
    self.options = options
    rejectsForm = try self.rejects.map {
      try FileForm(path: $0, option: "--rejects", allowed: [.ndjson])
    }
    func place(_ path: String?) -> FilePlace? {
      path.flatMap { $0 == "none" ? nil : $0 == "-" ? FilePlace(open: 1, $0) : FilePlace($0) }
    }
    outPlace = place(out)
    rejectsPlace = place(self.rejects)
    // No file can be next to a pipe or a device.
    let isFile = outPlace?.hasNeighbours ?? false
    checkpoint = options.checkpoint ?? (isFile ? out + ".checkpoint" : nil)
    let chosen = options.manifest ?? (isFile ? RunFiles.usualManifest(out) : nil)
    manifest = chosen == "none" ? nil : chosen
    interval = options.checkpointEvery
  }

  /// The default path of the manifest for outcomes at a path.
  static func usualManifest(_ out: String) -> String { out + ".manifest.json" }

  var isDatabase: Bool { form.form == .sqlite }

  /// The files that two runs must not write at the same time.
  var locked: [FilePlace] {
    let named = [options.checkpoint, options.manifest.flatMap { $0 == "none" ? nil : $0 }]
    let places = [outPlace, rejectsPlace] + named.map { $0.map { FilePlace($0) } }
    return places.compactMap { $0 }.filter(\.hasNeighbours)
  }

  /// Locks these files against other runs.
  func lock() throws -> [FileLock] {
    try locked.compactMap { place in
      let lock = try FileLock(place)
      if lock == nil {
        FileText.printError(
          "note: \(place.path) cannot be locked here: make sure no other run writes to it")
      }
      return lock
    }
  }

  // MARK: Earlier starts

  /// The result of an earlier start.
  enum Former {
    case stopped(RunSettings, Value)
    case complete(Manifest)
  }

  /// Finds an earlier start with the same settings. Returns nil if there is none.
  ///
  /// - Parameter keepsTime: whether to use the earlier start's time, instead of comparing it.
  func former(_ settings: inout RunSettings, keepsTime: Bool) throws -> Former? {
    guard out != "-", let checkpoint else {
      throw CommandError(
        out == "-"
          ? "--resume needs --out FILE: standard output cannot be continued"
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
      try checkComplete(earlier, manifest)
      return .complete(earlier)
    }
    FileText.printError("\(checkpoint) does not exist: the run starts from scratch.")
    return nil
  }

  /// Throws when a complete run would have a different result now, or when its output no longer
  /// exists.
  private func checkComplete(_ earlier: Manifest, _ manifest: String) throws {
    for (path, written) in [(out, earlier.outcomes), (rejects, earlier.rejects)] {
      guard let path, let written else { continue }
      let isSame =
        try FileIdentity.regularSize(of: path) == written.bytes
        && Manifest.Written.Content(InputFile(path).hash()) == written.content
      guard isSame else {
        throw CommandError(
          "\(path) was changed after \(manifest) was written; run again without --resume")
      }
    }
    try UserHash.check(
      earlier.settings.users, earlier.settings.input.flatMap { UserForm(rawValue: $0) },
      earlier.users)
  }

  /// Reports that a run starts from scratch and replaces a stopped run.
  func tellReplaced() {
    guard let checkpoint, let text = try? text(ofCheckpoint: checkpoint),
      case .int(let users)? = (try? Value.parse(json: text))?["users"]
    else { return }
    FileText.printError(
      DiagnosticText.visible(
        "note: \(checkpoint) is from a run that was stopped after \(counted(Int(users), "user")): "
          + "this run starts from scratch; --resume would have continued that one"))
  }

  private func text(ofCheckpoint path: String) throws -> [UInt8]? {
    guard FileIdentity.exists(path) else { return nil }
    return isDatabase
      ? OutcomeDatabase.checkpoint(in: path).map { Array($0.utf8) } : try FileText.read(path)
  }

  private func check(_ settings: RunSettings, _ earlier: RunSettings, _ path: String) throws {
    let differences = settings.differences(from: earlier)
    guard !differences.isEmpty else { return }
    throw CommandError(
      "\(path) is from a run with other settings:\n"
        + differences.map { "  \($0)" }.joined(separator: "\n")
        + "\nUse the same settings, or run again without --resume.")
  }

  /// The state in which the run begins.
  func state(_ former: Former?, _ settings: RunSettings, _ plan: BatchPlan) throws -> Checkpoint {
    guard case .stopped(let earlier, let value)? = former else {
      return Checkpoint(
        settings, plan: plan, out: ownOut,
        outcomes: OutputFile.State(isCompressed: form.compression != nil),
        rejects: OutputFile.State(isCompressed: rejectsForm?.compression != nil))
    }
    guard var state = Checkpoint(earlier, value, plan: plan) else {
      throw CommandError("\(checkpoint ?? "") is damaged; run again without --resume")
    }
    state.out = ownOut
    return state
  }

  // MARK: Writing

  /// Opens the outputs of a run that begins in a state. Nothing is created or emptied yet.
  func open(
    _ state: Checkpoint, _ plan: BatchPlan, users: [String], isResuming: Bool
  ) throws -> BatchRun.Files {
    let outcomes: OutcomeSink
    if out == "none" {
      outcomes = .none
    } else if isDatabase {
      outcomes = .database(
        OutcomeDatabase(
          out, building: checkpoint ?? out + ".building", plan, resumes: isResuming))
    } else {
      outcomes = .file(
        try OutputFile(out, form.compression, header: plan.header, after: state.outcomes))
    }
    let rejects = try rejects.map {
      try OutputFile($0, rejectsForm?.compression, after: state.rejects)
    }
    return BatchRun.Files(
      users: users, outcomes: outcomes, rejects: rejects.map { .file($0) } ?? .none,
      hashesUsers: manifest != nil || checkpoint != nil, checkpoint: checkpoint, interval: interval,
      begin: { try begin($0) })
  }

  /// Called before the first byte is written. The checkpoint exists before any file is emptied, so
  /// that a kill leaves a resumable run.
  private func begin(_ state: Checkpoint) throws {
    guard let checkpoint else { return }
    if !isDatabase { try state.write(to: checkpoint) }
    guard out != "-" else { return }
    Signals.lastWords(
      "Stopped immediately. To continue from \(checkpoint), run the same command with --resume; without "
        + "it, the run starts from scratch.")
  }

  /// Removes manifests, so that no manifest describes outcomes that no longer exist.
  private func removeManifests() {
    if let manifest { FileName.remove(manifest) }
    // An earlier run may have stored a manifest at the default path.
    guard let outPlace, outPlace.hasNeighbours else { return }
    for path in [out, outPlace.target] {
      let usual = RunFiles.usualManifest(path)
      guard FileIdentity.regularSize(of: usual) != nil,
        let other = try? Manifest(reading: usual).outcomes,
        FilePlace.parts(other.path).name == FilePlace.parts(path).name
      else { continue }
      FileName.remove(usual)
    }
  }

  /// Completes the output of a run, and replaces the checkpoint by the manifest.
  func finish(_ run: BatchRun) throws {
    try run.close(replacing: removeManifests)
    Signals.lastWords(nil)
    if let manifest { try run.manifest.write(to: manifest) }
    removeCheckpoint()
  }

  private func removeCheckpoint() {
    guard let checkpoint else { return }
    if isDatabase { OutcomeDatabase.remove(checkpoint) } else { FileName.remove(checkpoint) }
  }

  /// Whether a run that ended early can be resumed.
  func canContinue(_ run: BatchRun) -> Bool {
    run.hasBegun && out != "-" && checkpoint != nil && run.files.outcomes.isInPlace
      && run.files.rejects.isInPlace
  }

  /// The advice after an error during a run.
  func advice(_ run: BatchRun, after error: CommandError) -> String? {
    guard run.hasBegun, !error.description.isEmpty else { return nil }
    // A run cannot resume with corrected input, because its settings include the size of each file.
    if error.exitCode != Ending.unwritten {
      guard let partial = run.files.outcomes.partial, run.state.sums.users > 0 else { return nil }
      return
        "The outcomes so far are in \(partial), which is incomplete. Correct the input, and run "
        + "again without --resume."
    }
    guard canContinue(run) else { return nil }
    guard run.kept == 0 else {
      let place = run.files.outcomes.partial.map { " They are in \($0)." } ?? ""
      let users = counted(run.kept, "user")
      return "The outcomes of \(users) are stored; --resume continues from there.\(place)"
    }
    let old = FilePlace(out).kind == .file ? "; \(out) is unchanged" : ""
    let rest = removeUnfinished(run)
    return "No outcomes were stored\(old). "
      + (rest.isEmpty
        ? "The unfinished files were removed: make room, and run again."
        : "Unfinished files are left: \(rest.joined(separator: ", ")). Remove them, or run again with "
          + "--resume when there is room.")
  }

  /// Removes files that a run has begun without storing anything. Such files only take up space.
  ///
  /// - Returns: the files that could not be removed.
  private func removeUnfinished(_ run: BatchRun) -> [String] {
    var files = [run.files.outcomes.partial, run.files.rejects.partial].compactMap { $0 }
    for file in files { FileName.remove(file) }
    removeCheckpoint()
    if let checkpoint { files += [checkpoint, checkpoint + ".new"] }
    FileName.remove((checkpoint ?? "") + ".new")
    return files.filter { FileIdentity.exists($0) }
  }

  /// The message for a run that was stopped before it wrote anything.
  static let nothingWritten = "Stopped before anything was written."

  /// The message for a run that was stopped.
  func farewell(_ run: BatchRun) -> String {
    guard run.hasBegun else { return RunFiles.nothingWritten }
    guard canContinue(run) else {
      return "Stopped after \(counted(run.state.sums.users, "user"))."
    }
    let place = run.files.outcomes.partial.map { ", whose outcomes are in \($0)" } ?? ""
    return
      "Stopped after \(counted(run.state.sums.users, "user"))\(place); to continue, run the same "
      + "command with --resume."
  }

  /// Ends a run that found no user. Outcomes of earlier runs stay, and rejected lines are stored.
  func abandon(_ run: BatchRun) throws {
    guard run.hasBegun else { return }
    try run.files.rejects.close()
    removeManifests()
    try run.files.rejects.takePlace()
    removeCheckpoint()
  }
}

extension RunSettings {
  var resolvedAssigner: Assigner {
    assigner == Assigner.djb2.name ? .djb2 : .hash(salt: seed)
  }

  /// The inputs of the decisions other than the config and the users, in words.
  var basis: String { DecisionOptions.basis(now, resolvedAssigner) }

  /// The plan that the settings describe.
  ///
  /// - Parameters:
  ///   - ruleSet: the rules of the run's config.
  ///   - config: the config, because other SDK versions compile it differently.
  ///   - texts: the texts to render along with the outcomes, or nil.
  ///   - countsDraws: whether draws are counted for a report.
  ///   - wantsExamples: whether counts include the first counted users as examples.
  func plan(
    _ ruleSet: RuleSet, of config: Config?, texts: TextPlan? = nil, countsDraws: Bool = false,
    wantsExamples: Bool = false
  ) throws -> BatchPlan {
    guard let clock = HistoryClock(now: now, timeZone: timeZone) else {
      throw ValidationError(WireTime.Fault.unknownZone.message(timeZone))
    }
    let selection = (try? SDKSelection(sdkVersion)) ?? .newest
    let isSuperwall = ruleSet.format == .superwall && ruleSet.language != .cel
    let names = sdkColumn && isSuperwall
    let fleet = config.flatMap { config in
      isSuperwall && (selection.readsRecords || names)
        ? (selection, config, names ? "sdk" : nil) : nil
    }
    return BatchPlan(
      ruleSet.reading(userIDs), placements: placements, now: now, assigner: resolvedAssigner,
      layout: layout == "wide" ? .wide : .long,
      form: FileForm(text: output)?.form.outcomes ?? .ndjson, writesOutcomes: output != "none",
      clock: clock, texts: texts, columnsOfRun: columnsOfRun, countsDraws: countsDraws,
      givesReasons: reasons, wantsExamples: wantsExamples, fleet: fleet)
  }
}

extension BatchRun {
  /// - Parameter replacing: called before a new file replaces an existing one.
  func close(replacing: () -> Void = {}) throws {
    try files.outcomes.close()
    try files.rejects.close()
    if case .database(let database) = files.outcomes {
      try database.finish(state, counts: tally.value.json, replacing: replacing)
    } else {
      replacing()
    }
    try files.outcomes.takePlace()
    try files.rejects.takePlace()
  }

  var manifest: Manifest {
    Manifest(
      state, outcomes: files.outcomes.written, rejects: files.rejects.written,
      counts: tally.value)
  }
}
