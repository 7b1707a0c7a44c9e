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
