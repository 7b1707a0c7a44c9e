internal import Expressions
internal import RuleEngine

/// How far the input has been worked off.
struct InputPosition: Hashable, Sendable {
  /// Which of the files.
  var file = 0
  /// Bytes of it; of a file that is no regular one, bytes that came out of it.
  var offset = 0
  /// Lines of it.
  var lines = 0
}

/// A piece of the input, for one worker.
struct InputPart: Sendable {
  enum Content: Sendable {
    /// The lines that begin in a part of a regular file, which the worker reads itself.
    case segment(InputFile, from: Int, to: Int)
    case lines([UInt8])
  }

  var content: Content
  var file: Int
  /// The offset behind the part.
  var end: Int
}

/// Cuts files of users into parts, in order.
struct UserInput {
  let paths: [String]
  private let lineLimit: Int
  private var file: InputFile?
  private var stream: LineChunks?
  private var position: InputPosition

  /// Bytes of a part: small enough for a core's cache, together with the columns that it fills.
  static let partSize = 256 << 10

  init(_ paths: [String], lineLimit: Int, from position: InputPosition = InputPosition()) throws {
    self.paths = paths
    self.lineLimit = lineLimit
    self.position = position
    try open()
  }

  private mutating func open() throws {
    file = nil
    stream = nil
    guard position.file < paths.count else { return }
    let opened = try InputFile(paths[position.file])
    file = opened
    if opened.size == nil {
      stream = LineChunks(opened, size: UserInput.partSize, lineLimit: lineLimit)
      try stream?.skip(position.offset)
    }
  }

  /// Bytes of all regular files; nil when one is none.
  static func totalSize(of paths: [String]) -> Int? {
    var sum = 0
    for path in paths {
      guard let size = FileIdentity.regularSize(of: path) else { return nil }
      sum += size
    }
    return sum
  }

  /// The next part; nil at the end.
  mutating func next() throws -> InputPart? {
    while let file {
      if let part = try part(of: file) { return part }
      position = InputPosition(file: position.file + 1)
      try open()
    }
    return nil
  }

  private mutating func part(of file: InputFile) throws -> InputPart? {
    if let size = file.size {
      let from = position.offset
      guard from < size else { return nil }
      position.offset = min(from + UserInput.partSize, size)
      return InputPart(
        content: .segment(file, from: from, to: position.offset), file: position.file,
        end: position.offset)
    }
    guard let chunk = try stream?.next() else { return nil }
    position.offset = stream?.offset ?? 0
    return InputPart(content: .lines(chunk), file: position.file, end: position.offset)
  }
}
