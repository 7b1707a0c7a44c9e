internal import RuleEngine

/// The target of outcomes.
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

  /// Gives a complete file its name.
  func takePlace() throws { if case .file(let file) = self { try file.takePlace() } }

  /// The name of a file until it is complete; nil without a separate name.
  var partial: String? { if case .file(let file) = self { file.partial } else { nil } }

  /// Whether the output is written to anything.
  var isKept: Bool {
    if case .none = self { false } else { true }
  }

  /// Whether the written file is still in its place.
  var isInPlace: Bool { if case .file(let file) = self { file.isInPlace } else { true } }

  /// The contents of a file that was written.
  var written: Manifest.Written? {
    switch self {
    case .file(let file): file.isKept ? Manifest.Written(file) : nil
    case .database(let database): database.written
    case .none, .comparison: nil
    }
  }

  /// The state of the output, for a checkpoint.
  var state: OutputFile.State {
    if case .file(let file) = self { file.state } else { OutputFile.State() }
  }
}
