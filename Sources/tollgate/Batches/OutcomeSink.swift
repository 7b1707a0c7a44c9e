internal import RuleEngine

/// Where outcomes go.
enum OutcomeSink {
  // SAFETY: Views are passed on for the length of a call. Tests: PrecomputeFilesTests.

  case none
  case file(OutputFile)
  case database(OutcomeDatabase)
  case comparison(OutputComparison)

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    switch self {
    case .none: break
    case .file(let file): try file.write(bytes)
    case .database(let database): try database.write(bytes)
    case .comparison(let comparison): try comparison.write(bytes)
    }
  }

  func write(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try write($0) } }

  func close() throws { if case .file(let file) = self { try file.close() } }

  /// Gives what is complete its name.
  func takePlace() throws { if case .file(let file) = self { try file.takePlace() } }

  /// Where a file is until it is complete; nil for what has no other name.
  var partial: String? { if case .file(let file) = self { file.partial } else { nil } }

  /// Whether anything that is written goes anywhere.
  var isKept: Bool {
    if case .none = self { false } else { true }
  }

  /// Whether what was written is still where it was.
  var isInPlace: Bool { if case .file(let file) = self { file.isInPlace } else { true } }

  /// What was written to a file that stays.
  var written: Manifest.Written? {
    switch self {
    case .file(let file): file.isKept ? Manifest.Written(file) : nil
    case .database(let database): database.written
    case .none, .comparison: nil
    }
  }

  /// What was written so far, for a checkpoint.
  var state: OutputFile.State {
    if case .file(let file) = self { file.state } else { OutputFile.State() }
  }
}
