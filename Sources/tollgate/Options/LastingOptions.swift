internal import ArgumentParser

/// Options of a run that can be stopped, resumed and repeated.
struct LastingOptions: ParsableArguments {
  @Flag(
    help: ArgumentHelp(
      "Resume a run with the same settings that was stopped or killed.",
      discussion:
        "Without a checkpoint, the run starts from scratch. Files of users that have changed "
        + "are rejected."))
  var resume = false

  @Option(
    help: ArgumentHelp(
      "A file for checkpoints (default: the outcomes file's name with .checkpoint).",
      discussion: "The file is removed when the run finishes.", valueName: "file"),
    completion: .file())
  var checkpoint: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The seconds between checkpoints; 0 writes a checkpoint after every part.", valueName: "s"))
  var checkpointEvery = 2.0

  @Option(
    help: ArgumentHelp(
      "A file for the manifest, or none (default: the outcomes file's name with "
        + ".manifest.json).", valueName: "file"), completion: .file())
  var manifest: String?

  func validate() throws {
    guard checkpointEvery >= 0, checkpointEvery < 1e9 else {
      throw ValidationError("--checkpoint-every must be a number of seconds, 0 or more")
    }
  }
}
