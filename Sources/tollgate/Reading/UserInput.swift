internal import Expressions
internal import RuleEngine

/// The position up to which the input has been decided.
struct InputPosition: Hashable, Sendable {
  /// The number of the file.
  var file = 0
  /// The offset in the content of the file.
  var offset = 0
  /// The number of lines of the file up to the offset.
  var lines = 0
}

/// A part of the input for one worker.
struct InputPart: Sendable {
  enum Content: Sendable {
    /// The lines that begin in a part of a regular file, which the worker reads itself.
    case segment(InputFile, from: Int, to: Int)
    case lines([UInt8])
    /// Rows of CSV, from an offset on.
    case rows([UInt8], from: Int, CSVHeader)
  }

  var content: Content
  var file: Int
  /// The offset after the part.
  var end: Int
  /// The number of earlier lines of the file that belong to no part, such as a header.
  var linesBefore = 0
  /// The hash of the file up to the end of the part; nil for a segment.
  var hash: UserHash?
}

/// Cuts files of users into parts, in order.
struct UserInput {
  let paths: [String]
  private let form: UserForm?
  /// The maximum length of a record in bytes, the default of a plan.
  static let lineLimit = 1 << 20

  private let lineLimit: Int
  /// Names of columns without dots.
  private let flat: FlatNames?
  private var file: InputFile?
  private var stream: LineChunks?
  private var header: CSVHeader?
  private var position: InputPosition
  /// The hash of a stream up to the next part.
  private var hash = UserHash()

  /// The size of a part in bytes. A part and the columns that it fills fit into a core's cache.
  private let partSize: Int

  /// - Parameters:
  ///   - form: nil to detect the form by the names of the files.
  ///   - weight: the size of a user's output, in placements. If it is large, parts are smaller.
  ///   - isFleet: whether users are divided into groups, each decided in blocks. Parts are then larger, so that blocks
  ///     fill up.
  ///   - known: the hash of each file up to the position, from when the files were read before.
  init(
    _ paths: [String], form: UserForm?, flat: FlatNames? = nil, lineLimit: Int, weight: Int = 1,
    isFleet: Bool = false, from position: InputPosition = InputPosition(), known: [UserHash] = []
  ) throws {
    self.paths = paths
    self.form = form
    self.flat = flat
    self.lineLimit = lineLimit
    let size = ((isFleet ? 2 << 20 : 256 << 10) * 20) / max(weight, 20)
    partSize = max(size / UserHash.blockSize, 1) * UserHash.blockSize
    self.position = position
    try UserHash.check(paths, form, known.prefix(position.file).map(\.text))
    try open()
    if position.offset > 0, position.file < min(known.count, paths.count) {
      if stream == nil, let file { hash = try UserHash(file, bytes: position.offset) }
      guard hash.text == known[position.file].text else {
        throw UserHash.changed(paths[position.file])
      }
    }
  }

  /// The hash of a whole file.
  static func hash(_ path: String, _ form: UserForm?) throws -> UserHash {
    var input = try UserInput([path], form: form, lineLimit: 1 << 20)
    if input.stream == nil, let file = input.file {
      return try UserHash(file, bytes: file.size ?? 0)
    }
    var hash = UserHash()
    while let part = try input.next() {
      try Signals.check()
      hash = part.hash ?? hash
    }
    return hash
  }

  private mutating func open() throws {
    file = nil
    stream = nil
    header = nil
    hash = UserHash()
    guard position.file < paths.count else { return }
    let opened = try InputFile(paths[position.file])
    file = opened
    let form = form ?? UserForm(path: opened.path)
    if form == .ndjson, opened.size != nil, try !opened.isCompressed() {
      return try check(opened)
    }
    let content = try opened.content(holdsUsers: true).bytes
    let problem = try content.peek { form.problem($0, isWhole: $1, path: opened.path) }
    guard problem.isEmpty else { throw CommandError(problem) }
    stream = LineChunks(
      size: partSize, lineLimit: lineLimit, isCSV: form == .csv, content.read)
    if form == .csv { try openRows(opened.name) } else { try skip() }
  }

  /// Checks the beginning of a plain file. Workers read its parts themselves.
  private func check(_ file: InputFile) throws {
    let beginning = try file.beginning(UserForm.window)
    let signature = FileSignature(beginning)
    if let refusal = signature.refusal(file.path, holdsUsers: true) { throw refusal }
    guard case .text(let markLength) = signature else { return }
    let problem = UserForm.ndjson.problem(
      Array(beginning.dropFirst(markLength)), isWhole: true, path: file.path)
    guard problem ?? "" == "" else { throw CommandError(problem ?? "") }
  }

  // MARK: Streams

  /// A chunk that was read ahead.
  private var ahead: (chunk: [UInt8], from: Int, linesBefore: Int)?

  /// Reads the header, which is the first row.
  private mutating func openRows(_ path: String) throws {
    // SAFETY: The row's offsets belong to this chunk, and cells are copied into names.
    // Tests: InputFormsTests, PrecomputeFilesTests.
    guard let chunk = try stream?.next(), !chunk.isEmpty else {
      throw CommandError("\(path) is empty: the header is missing")
    }
    let (row, lines, end) = chunk.withUnsafeBytes { CSVRows.first($0) }
    if let fault = row.fault { throw CommandError("\(path): in the header, \(fault)") }
    header = try CSVHeader(
      chunk.withUnsafeBytes { text in
        row.cells.map { String(decoding: $0.content(text), as: UTF8.self) }
      }, path: path, flat: flat)
    ahead = (chunk, end, lines)
    if position.offset > 0 { try skip() }
  }

  /// Skips the part that was already decided.
  private mutating func skip() throws {
    while let end = stream?.offset, end <= position.offset {
      if let ahead { hash.add(ahead.chunk[...]) }
      ahead = nil
      if end == position.offset { return }
      guard let chunk = try stream?.next() else { break }
      ahead = (chunk, 0, 0)
    }
    guard let chunk = ahead?.chunk, let end = stream?.offset else {
      throw CommandError("\(paths[position.file]) became shorter after the run was stopped")
    }
    // A chunk can omit only bytes of its first line, so offsets are counted from the end of the chunk.
    let from = max(chunk.count - (end - position.offset), 0)
    hash.add(chunk[..<from])
    ahead = (chunk, from, 0)
  }

  /// The name of a file in messages.
  static func name(_ path: String) -> String { path == "-" ? "standard input" : path }

  /// The size of all files as they will be read; nil if the size is unknown.
  static func totalSize(of paths: [String]) -> Int? {
    var sum = 0
    for path in paths {
      // Opening and closing a pipe would end the pipe.
      guard path != "-", FileIdentity.regularSize(of: path) != nil,
        let file = try? InputFile(path), let size = file.size,
        (try? file.isCompressed()) == false
      else { return nil }
      sum += size
    }
    return sum
  }

  /// The next part; nil at the end.
  mutating func next() throws -> InputPart? {
    while let file {
      if let part = try stream == nil ? segment(of: file) : chunk() { return part }
      position = InputPosition(file: position.file + 1)
      try open()
    }
    return nil
  }

  private mutating func segment(of file: InputFile) -> InputPart? {
    let size = file.size ?? 0
    let from = position.offset
    guard from < size else { return nil }
    position.offset = min(from + partSize, size)
    return InputPart(
      content: .segment(file, from: from, to: position.offset), file: position.file,
      end: position.offset)
  }

  private mutating func chunk() throws -> InputPart? {
    let waiting = ahead
    ahead = nil
    guard let chunk = try waiting?.chunk ?? stream?.next() else { return nil }
    let from = waiting?.from ?? 0
    // Nothing of the chunk with the header is hashed yet. The beginning of a partly skipped chunk is already hashed.
    hash.add(waiting?.linesBefore == 0 ? chunk[from...] : chunk[...])
    position.offset = stream?.offset ?? 0
    let content: InputPart.Content =
      if let header {
        .rows(chunk, from: from, header)
      } else {
        .lines(from == 0 ? chunk : Array(chunk[from...]))
      }
    return InputPart(
      content: content, file: position.file, end: position.offset,
      linesBefore: waiting?.linesBefore ?? 0, hash: hash)
  }
}
