internal import Expressions
internal import RuleEngine
internal import RuleInsight

/// The output for users that move.
enum MoveSink {
  case none
  case file(OutputFile)
  case database(MoveDatabase)

  /// - Parameter path: nil for no output, `-` for standard output.
  init(_ path: String?, _ form: FileForm?, _ comparison: RuleComparison) throws {
    guard let path, let form else {
      self = .none
      return
    }
    if form.form == .sqlite {
      self = .database(try MoveDatabase(path, comparison))
    } else {
      self = .file(
        try OutputFile(path, form.compression, header: comparison.header))
    }
  }

  /// - Parameters:
  ///   - part: the next part of the input.
  ///   - kinds: the numbers of the part's kinds.
  ///   - sums: the sums that contain these kinds.
  func write(_ part: ComparisonWorker.Part, kinds: [Int], of sums: ComparisonSums) throws {
    switch self {
    case .none: break
    case .file(let file): if !part.lines.isEmpty { try file.write(part.lines) }
    case .database(let database): try database.write(part.lines, kinds: kinds, of: sums)
    }
  }

  /// Completes the output.
  func close() throws {
    switch self {
    case .none: break
    case .file(let file):
      try file.close()
      try file.takePlace()
    case .database(let database): try database.finish()
    }
  }

  /// Discards an unfinished output.
  func abandon() { if case .database(let database) = self { database.abandon() } }
}
