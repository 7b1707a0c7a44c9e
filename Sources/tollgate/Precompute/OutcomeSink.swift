internal import RuleEngine
internal import SystemPackage

/// Where outcomes go.
enum OutcomeSink {
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

/// Holds what a run gives against what an earlier run wrote, without keeping either.
final class OutputComparison {
  /// The file of the earlier run; nil when it is gone.
  private let reference: Lookahead?
  private(set) var hash = XXH64.Stream()
  /// Offset of the first byte that differs.
  private(set) var difference: Int?
  /// Why the file cannot be read further, as of ``difference``.
  private(set) var damage: String?
  private var memory: [UInt8] = []

  /// - Parameter compression: how the file is compressed. It is its text that counts then: how a
  ///   library packs it is a matter of its version.
  init(_ path: String?, _ compression: Compression? = nil) throws {
    guard let path else {
      reference = nil
      return
    }
    let file = try InputFile(path)
    reference = try Lookahead(
      compression.map { try CompressedInput(path, $0, file.read).read } ?? file.read)
  }

  var isComparingBytes: Bool { reference != nil }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    var offset = 0
    while offset < bytes.count, difference == nil, let reference {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
      let next = read(reference, atMost: rest.count)
      let same = next.withUnsafeBytes { $0.commonCount(with: rest) }
      if same < next.count || next.isEmpty { difference = hash.count + offset + same }
      offset += same
    }
    hash.add(bytes)
  }

  /// Looks whether the file goes on where it should end.
  func finish() {
    guard difference == nil, let reference else { return }
    if !read(reference, atMost: 1).isEmpty || damage != nil { difference = hash.count }
  }

  /// The next bytes of the file; none at its end, or where it is damaged.
  private func read(_ reference: Lookahead, atMost count: Int) -> ArraySlice<UInt8> {
    if memory.count < count { memory = Array(repeating: 0, count: count) }
    do {
      let count = try memory.withUnsafeMutableBytes {
        try reference.read(into: .init(rebasing: $0[..<count]))
      }
      return memory[..<count]
    } catch {
      damage = "\(error)"
      return []
    }
  }
}
