internal import RuleEngine
internal import SystemPackage

/// Where outcomes go.
enum OutcomeSink {
  case none
  case file(OutputFile)
  case comparison(OutputComparison)

  func write(_ output: BatchWorker.Output) throws {
    switch self {
    case .none: break
    case .file(let file): try file.write(output.buffer.content)
    case .comparison(let comparison): try comparison.write(output.buffer.content)
    }
  }

  func write(_ bytes: [UInt8]) throws {
    switch self {
    case .none: break
    case .file(let file): try file.write(bytes)
    case .comparison(let comparison): try bytes.withUnsafeBytes { try comparison.write($0) }
    }
  }

  func sync() throws { if case .file(let file) = self { try file.sync() } }
  func close() throws { if case .file(let file) = self { try file.close() } }

  /// What was written to a file that stays.
  var written: Manifest.Written? {
    guard case .file(let file) = self, file.path != "-" else { return nil }
    return Manifest.Written(file)
  }

  /// What was written so far, for a checkpoint.
  var hash: XXH64.Stream {
    if case .file(let file) = self { file.hash } else { XXH64.Stream() }
  }
}

/// Holds what a run gives against what an earlier run wrote, without keeping either.
final class OutputComparison {
  /// The file of the earlier run; nil when it is gone, or not what that run wrote.
  private let reference: InputFile?
  private(set) var hash = XXH64.Stream()
  /// Offset of the first byte that differs.
  private(set) var difference: Int?
  private var memory: [UInt8] = []

  init(_ path: String?) throws { reference = try path.map { try InputFile($0) } }

  var isComparingBytes: Bool { reference != nil }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    if let reference, difference == nil {
      if memory.count < bytes.count { memory = Array(repeating: 0, count: bytes.count) }
      let count = try memory.withUnsafeMutableBytes {
        try reference.read(into: .init(rebasing: $0[..<bytes.count]), at: hash.count)
      }
      let same = (0..<count).first { memory[$0] != bytes[$0] } ?? count
      if same < bytes.count { difference = hash.count + same }
    }
    hash.add(bytes)
  }
}
