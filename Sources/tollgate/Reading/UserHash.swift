internal import Expressions
internal import RuleEngine

/// The hash of a users file: a hash of the hashes of its blocks, so that workers can hash parts of
/// a file separately. The division into parts makes no difference.
///
/// For a compressed file, the content is hashed. For a line that is too long, only the stored part is hashed.
struct UserHash: Hashable, Sendable {
  // SAFETY: Blocks are slices of the caller's view, limited to its count.
  // Tests: PrecomputeFilesTests, InputFileTests.

  /// The size of a block in bytes. Parts of plain files contain whole blocks.
  static let blockSize = 4 << 10

  private var blocks = XXH64.Stream()
  /// The incomplete block.
  private var open = XXH64.Stream()

  init() {}

  /// Adds bytes, in order.
  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var bytes = bytes[...]
    while !bytes.isEmpty {
      let next = bytes.prefix(UserHash.blockSize - open.count)
      bytes = bytes.dropFirst(next.count)
      open.add(UnsafeRawBufferPointer(rebasing: next))
      if open.count == UserHash.blockSize { endBlock() }
    }
  }

  mutating func add(_ bytes: ArraySlice<UInt8>) { bytes.withUnsafeBytes { add($0) } }

  /// Adds blocks by their hashes.
  mutating func add(blocks hashes: [UInt64]) {
    for hash in hashes { add(block: hash) }
  }

  private mutating func add(block hash: UInt64) {
    withUnsafeBytes(of: hash.littleEndian) { blocks.add($0) }
  }

  private mutating func endBlock() {
    add(block: open.finish())
    open = XXH64.Stream()
  }

  /// The hashes of a part's blocks. The part must begin at a block.
  static func blocks(of part: UnsafeRawBufferPointer) -> [UInt64] {
    stride(from: 0, to: part.count, by: blockSize).map { from in
      let end = min(from + blockSize, part.count)
      return XXH64.hash(UnsafeRawBufferPointer(rebasing: part[from..<end]))
    }
  }

  /// The hash in the form of a manifest. Other tools compute a different hash of the file.
  var text: String {
    var whole = self
    if whole.open.count > 0 { whole.endBlock() }
    return "blocks-" + whole.blocks.text
  }
}

// MARK: Checkpoints

extension UserHash {
  var value: Value { .object(["blocks": blocks.value, "open": open.value]) }

  init?(_ value: Value) {
    guard let blocks = value["blocks"].flatMap({ XXH64.Stream($0) }),
      let open = value["open"].flatMap({ XXH64.Stream($0) })
    else { return nil }
    self.blocks = blocks
    self.open = open
  }
}

extension XXH64.Stream {
  /// The hash in the form of a checkpoint.
  var value: Value { .object(["bytes": .int(Int64(count)), "hash": lanes]) }

  /// The state other than the count.
  var lanes: Value { .list(state.map { .string(String($0, radix: 16)) }) }

  init?(_ value: Value) {
    guard case .int(let bytes)? = value["bytes"], let words = value["hash"]?.elements else {
      return nil
    }
    let state = words.compactMap { word -> UInt64? in
      if let text = word.text { UInt64(text, radix: 16) } else { nil }
    }
    self.init(state: state, count: Int(bytes))
  }
}

// MARK: Files

extension UserHash {
  /// The hash of the first bytes of a regular file, without decompression.
  init(_ file: InputFile, bytes: Int) throws {
    var left = bytes
    try file.forEachBlock { block in
      try Signals.check()
      add(UnsafeRawBufferPointer(rebasing: block.prefix(left)))
      left -= min(left, block.count)
    }
  }

  /// The hash of a whole file; nil for a file that cannot be read again.
  init?(users path: String, _ form: UserForm?) throws {
    guard path != "-", FileIdentity.regularSize(of: path) != nil else { return nil }
    self = try UserInput.hash(path, form)
  }

  /// Throws when files of users have changed since a run read them to the end.
  ///
  /// - Parameter known: the known hash of each file, in the form of ``text``. Files without a hash are not checked.
  static func check(_ paths: [String], _ form: UserForm?, _ known: [String]) throws {
    for (path, text) in zip(paths, known) {
      guard let hash = try UserHash(users: path, form) else { continue }
      if hash.text != text { throw changed(path) }
    }
  }

  static func changed(_ path: String) -> CommandError {
    CommandError(
      "\(path) was changed after the run read it, so the outcomes would mix two files; run again "
        + "without --resume")
  }
}
