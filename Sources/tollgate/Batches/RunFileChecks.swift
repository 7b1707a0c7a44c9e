internal import Expressions
internal import RuleBatch
internal import RuleEngine

/// Checks the files of a run before any of them is written or removed.
extension BatchPlan {
  /// The name of the placement whose columns have this prefix without the number.
  fileprivate func owner(of prefix: String) -> String {
    let digits = prefix.utf8.reversed().prefix { $0 &- 0x30 < 10 }.count
    let name = prefix.dropLast(digits + 1)
    let number = columns.prefixes.firstIndex { $0 == name }
    return number.map { "'\(placementNames[$0])'" } ?? "another placement"
  }
}

extension RunFiles {
  /// The path of the outcomes; nil if it does not name a regular file.
  var ownOut: String? { outPlace?.hasNeighbours == true ? out : nil }

  /// Adds everything that is written or removed, for ``FileUses/check()``.
  func add(to uses: inout FileUses) {
    if out != "none" { uses.writes("--out", out) }
    uses.writes("--rejects", rejects)
    for file in kept {
      let name = file.isNamed ? file.option : "the \(file.what) of --out"
      uses.writes(name, file.path)
      uses.writes(name, file.path + ".new")
    }
    for partial in partials {
      uses.writes("the unfinished file of \(partial.option)", partial.path)
    }
    for base in databases {
      let name = base.isNew ? "the new database from --out" : "a file of SQLite beside \(base.name)"
      if base.isNew { uses.writes(name, base.path) }
      for suffix in OutcomeDatabase.companions { uses.writes(name, base.path + suffix) }
    }
    for place in locked { uses.writes("a lock", FileLock.path(for: place)) }
  }

  /// Throws when a file cannot be written.
  func checkWritable() throws {
    try outPlace?.checkWritable("--out")
    try rejectsPlace?.checkWritable("--rejects")
    for partial in partials { try FilePlace(partial.path).checkWritable(partial.option) }
    for file in kept {
      let place = FilePlace(file.path)
      try place.checkWritable(file.option)
      guard file.path != "-", place.hasNeighbours else {
        throw CommandError("\(file.option) \(file.path): this must be a file")
      }
    }
  }

  /// Throws when a run would replace or remove files next to its outcomes that do not come from a run, or that belong
  /// to another run. Users that name an existing file do not intend to lose it.
  func checkOverwriting() throws {
    for file in kept {
      try checkContent(of: file)
      try checkOwner(of: file)
    }
    for partial in partials { try partial.check() }
    for base in databases { try base.check() }
  }

  // MARK: Unfinished files

  /// A file that a run writes until it is complete.
  private struct Partial {
    let path: String
    let option: String
    /// The possible first bytes of such a file.
    let beginnings: [[UInt8]]

    /// Throws when an existing file has another beginning. A kill may have left any part of the file.
    func check() throws {
      let kind = FilePlace(path).kind
      if kind == .missing { return }
      let longest = beginnings.map(\.count).max() ?? 0
      let found = kind == .file ? try InputFile(path).beginning(longest) : nil
      guard let found,
        beginnings.contains(where: { found.starts(with: $0) || $0.starts(with: found) })
      else { throw RunFiles.inTheWay(path, option) }
    }
  }

  private var partials: [Partial] {
    func partial(_ place: FilePlace?, _ option: String, _ form: FileForm?, _ texts: [String])
      -> Partial?
    {
      guard let place, let path = OutputFile.partial(of: place) else { return nil }
      let beginnings = form?.compression.map { [$0.signature] } ?? texts.map { Array($0.utf8) }
      return Partial(path: path, option: option, beginnings: beginnings)
    }
    let outcomes = isDatabase ? nil : outPlace
    let beginnings = ["userId,", "user_id,", #"{"userId":"#]
    return [
      partial(outcomes, "--out", form, beginnings),
      partial(rejectsPlace, "--rejects", rejectsForm, [#"{"line":"#, #"{"file":"#]),
    ].compactMap { $0 }
  }

  /// Throws when the names of the outcomes' columns are too long or conflict; reports placements
  /// whose columns have other names.
  func checkColumns(_ plan: BatchPlan) throws {
    guard out != "none", plan.layout == .wide else { return }
    if form.form == .ndjson {
      for name in plan.columns.ofRun.map(\.name) where plan.placementNames.contains(name) {
        throw CommandError(
          "--run-columns: the wide layout of NDJSON has a member '\(name)' already, which is a "
            + "placement; write CSV or --layout long")
      }
      return
    }
    if isDatabase {
      let limit = try SQLiteDatabase.columnLimit()
      guard plan.columns.wideCount <= limit else {
        throw CommandError(
          "--out \(out): the wide layout of \(counted(plan.placementCount, "placement")) has "
            + "\(grouped(plan.columns.wideCount)) columns, and SQLite takes \(grouped(limit)); "
            + "write --layout long or CSV, or name fewer placements with --placement")
      }
    }
    for (placement, prefix) in plan.columns.numbered {
      FileText.printError(
        DiagnosticText.visible(
          "note: the columns of '\(placement)' are called \(prefix)_result and so on: "
            + "the columns of \(plan.owner(of: prefix)) have names without the number"))
    }
  }

  // MARK: Checkpoint and manifest

  private struct Kept {
    let path: String
    let option: String
    /// The kind of the file in words, which is also the key that the file begins with.
    let what: String
    /// Whether the file has its own option, instead of a name that follows from --out.
    let isNamed: Bool

    var beginning: [UInt8] { Array(#"{"\#(what)":"#.utf8) }
  }

  private var kept: [Kept] {
    func kept(_ path: String?, _ option: String, _ what: String, _ named: String?) -> Kept? {
      path.map { Kept(path: $0, option: option, what: what, isNamed: named != nil) }
    }
    return [
      kept(checkpoint, "--checkpoint", "checkpoint", options.checkpoint),
      kept(manifest, "--manifest", "manifest", options.manifest),
    ].compactMap { $0 }
  }

  private func checkContent(of file: Kept) throws {
    func begins(_ path: String) throws -> (found: [UInt8], isOurs: Bool)? {
      guard FilePlace(path).kind == .file else { return nil }
      let found = try InputFile(path).beginning(file.beginning.count)
      return (found, found.isEmpty || found == file.beginning)
    }
    if let (_, isOurs) = try begins(file.path), !isOurs {
      let isDatabase = try file.path == checkpoint && OutcomeDatabase.isCheckpoint(file.path)
      if !isDatabase { throw RunFiles.inTheWay(file.path, file.option) }
    }
    // A kill may leave any part of the new file.
    if let (found, isOurs) = try begins(file.path + ".new"), !isOurs,
      !file.beginning.starts(with: found)
    {
      throw RunFiles.inTheWay(file.path + ".new", file.option)
    }
  }

  fileprivate static func inTheWay(_ path: String, _ option: String) -> CommandError {
    CommandError(
      "\(option) \(path): a different file already exists; move it, or choose another name")
  }

  /// Throws when a file belongs to other outcomes than this run's.
  private func checkOwner(of file: Kept) throws {
    let isNamed =
      file.isNamed && file.path != out + "." + file.what
      && file.path != RunFiles.usualManifest(out)
    // Outcomes and their manifest may be copied and renamed.
    guard isNamed || file.what == "checkpoint", let owner = try owner(of: file) else { return }
    guard let path = owner.text else {
      guard isNamed, ownOut != nil else { return }
      throw CommandError(
        "\(file.option) \(file.path): this is the \(file.what) of another run, without a file of "
          + "outcomes; choose another name, or remove it")
    }
    let place = FilePlace(path)
    let beside = FilePlace.parts(file.path).folder + "/" + FilePlace.parts(path).name
    let mine = ownOut == nil ? nil : outPlace?.identity
    if [place.identity, FilePlace(beside).identity].contains(mine) { return }
    let isThere = [path, OutputFile.partial(of: place)].contains { path in
      path.map { FilePlace($0).kind == .file } == true
    }
    guard isNamed || isThere else { return }
    throw CommandError(
      "\(file.option) \(file.path): this is the \(file.what) of another run, whose outcomes are "
        + "\(path); choose another name, or remove it")
  }

  /// The path of the outcomes that a file belongs to; nil when the file names no outcomes.
  private func owner(of file: Kept) throws -> Value? {
    guard FilePlace(file.path).kind == .file else { return nil }
    let isText = try InputFile(file.path).beginning(1) == [UInt8(ascii: "{")]
    let text =
      isText
      ? try FileText.read(file.path)
      : OutcomeDatabase.checkpoint(in: file.path).map { Array($0.utf8) }
    guard let value = text.flatMap({ try? Value.parse(json: $0) }) else { return nil }
    return file.what == "checkpoint"
      ? value["out"] : value["outcomes"].map { $0["path"] ?? .null }
  }

  // MARK: Databases

  /// A database that a run creates or replaces, with the files that SQLite creates next to the database.
  private struct Base {
    let path: String
    let name: String
    /// Whether a run creates and removes the whole database.
    var isNew = false

    func check() throws {
      let exists = FileIdentity.exists(path)
      let isDatabase = try exists && OutcomeDatabase.isDatabase(path)
      if isNew, exists, try !OutcomeDatabase.isUnfinished(path) {
        throw RunFiles.inTheWay(path, "--out")
      }
      for suffix in OutcomeDatabase.companions where FileIdentity.exists(path + suffix) {
        let isCompanion = try OutcomeDatabase.isCompanion(path + suffix, suffix)
        guard isDatabase, isCompanion else { throw RunFiles.inTheWay(path + suffix, name) }
      }
    }
  }

  private var databases: [Base] {
    guard isDatabase, let outPlace, ownOut != nil else { return [] }
    var bases = [
      Base(path: outPlace.target, name: "--out"),
      Base(path: outPlace.target + ".new", name: "--out", isNew: true),
    ]
    if let checkpoint {
      bases.append(Base(path: FilePlace(checkpoint).target, name: "--checkpoint"))
    }
    return bases
  }
}
