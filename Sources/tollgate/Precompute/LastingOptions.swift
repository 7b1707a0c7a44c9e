internal import ArgumentParser

/// Options of a run that can be stopped, continued and done again.
struct LastingOptions: ParsableArguments {
  @Flag(
    help: ArgumentHelp(
      "Continue a run with the same settings that was stopped or killed.",
      discussion:
        "Without a checkpoint, the run starts from the beginning. Users that were decided "
        + "before are read again: files that were changed are refused."))
  var resume = false

  @Option(
    help: ArgumentHelp(
      "Where to write checkpoints. The default is the outcomes file's name with .checkpoint added.",
      discussion: "It is removed when the run finishes.", valueName: "file"), completion: .file())
  var checkpoint: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Seconds between checkpoints; 0 for one after every part.", valueName: "s"))
  var checkpointEvery = 2.0

  @Option(
    help: ArgumentHelp(
      "Where the manifest goes; none for nowhere. The default is the outcomes file with "
        + ".manifest.json behind its name.", valueName: "file"), completion: .file())
  var manifest: String?

  func validate() throws {
    guard checkpointEvery >= 0, checkpointEvery < 1e9 else {
      throw ValidationError("--checkpoint-every must be a number of seconds, 0 or more")
    }
  }
}

/// Options of a run that takes over what an earlier one has decided.
struct IncrementalOptions: ParsableArguments {
  @Flag(
    help: ArgumentHelp(
      "Keep what was decided for each user beside the outcomes, for --since of later runs.",
      discussion:
        "The file has the name of the outcomes file with .decisions added: a hash of each record, "
        + "and numbers for what was decided."))
  var keepDecisions = false

  @Option(
    help: ArgumentHelp(
      "Decide only users whose record or whose rules have changed since the run of this manifest.",
      discussion:
        "The result is the same as without it. That run must have kept its decisions; this one "
        + "keeps them too, where it writes a file.", valueName: "manifest"), completion: .file())
  var since: String?

  @Option(
    help: ArgumentHelp(
      "Also write the outcomes of users who are decided anew by --since to a file of their own.",
      discussion:
        "It has the form of the outcomes, NDJSON or CSV, for loading into a table what may have "
        + "changed there. With .gz or .zst behind its name it is compressed.", valueName: "file"),
    completion: .file())
  var changed: String?

  func validate() throws {
    if changed != nil, since == nil {
      throw ValidationError("--changed needs --since MANIFEST: it says since when")
    }
  }
}
