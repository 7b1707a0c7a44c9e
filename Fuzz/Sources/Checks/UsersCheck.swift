@testable import Expressions
@testable import Readers
@testable import RuleBatch
@testable import RuleEngine

/// A byte for the format, and the bytes of a file of users: NDJSON or CSV, plain or compressed again. The result does not
/// depend on the pieces of input. Every line is decided or rejected, and damage is reported.
public enum UsersCheck {
  private static let lineLimit = 600
  /// The maximum content that is read from a compressed file.
  private static let contentLimit = 1 << 22

  private static let plan: BatchPlan = {
    let source =
      #"{"trigger_options":[{"event_name":"p","rules":[{"experiment_id":"e","#
      + #""expression_cel":"user.plan == \"free\" && device.sessions > 3","variants":[{"variant_id":"v","#
      + #""variant_type":"TREATMENT","percentage":100,"paywall_identifier":"pw"}]}]}]}"#
    guard let config = Config.decode(source.utf8).output,
      let rules = RuleSet.compile(config).output
    else { fatalError("the config of the check") }
    return BatchPlan(
      rules, now: 1_772_366_400_000, assigner: .hash(salt: "fuzz"), lineLimit: lineLimit)
  }()

  public static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let how = bytes.first else { return }
    var file = Array(bytes.dropFirst())
    if let compression = [Compression.gzip, .zstd, nil, nil][Int(how >> 1 & 3)] {
      let packed = compressed(file, compression)
      // Content that is not text is rejected there too.
      if case .text = FileSignature(file) {
        let wanted = Content.text(unmarked(file))
        require(content(packed, pieces: 7) == wanted, "compressed and back it differs")
      }
      file = packed
    }
    let whole = content(file, pieces: 1 << 16)
    require(content(file, pieces: 5) == whole, "what a file holds depends on how it comes")
    guard case .text(let text) = whole else { return }
    let isCSV = how & 1 == 1
    let wide = read(text, isCSV: isCSV, size: 1 << 16)
    let narrow = read(text, isCSV: isCSV, size: 64)
    require(narrow == wide, "what is read depends on the size of pieces")
  }

  /// The content of a file, or a rejection.
  private enum Content: Equatable {
    case text([UInt8])
    case refused
  }

  private static func source(_ bytes: [UInt8], pieces: Int) -> Lookahead.Source {
    var at = 0
    return { memory in
      let count = min(memory.count, pieces, bytes.count - at)
      memory.copyBytes(from: bytes[at..<at + count])
      at += count
      return count
    }
  }

  private static func content(_ file: [UInt8], pieces: Int) -> Content {
    do {
      var bytes = Lookahead(source(file, pieces: pieces))
      var signature = FileSignature(try bytes.peek(FileSignature.length))
      if case .compressed(let compression) = signature {
        bytes = Lookahead(try CompressedInput("file", compression, bytes.read).read)
        signature = FileSignature(try bytes.peek(FileSignature.length))
      }
      if let refusal = signature.refusal("users.ndjson", holdsUsers: true) {
        require(!refusal.description.isEmpty, "refused without a word")
        return .refused
      }
      guard case .text(let markLength) = signature else { return .refused }
      bytes.drop(markLength)
      return .text(try all(bytes))
    } catch let error as CommandError {
      require(!error.description.isEmpty, "refused without a word")
      return .refused
    } catch {
      fatalError("broken promise: an error of another kind: \(error)")
    }
  }

  private static func all(_ bytes: Lookahead) throws -> [UInt8] {
    var text: [UInt8] = []
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { memory.deallocate() }
    while text.count < contentLimit {
      let count = try bytes.read(into: memory)
      if count == 0 { break }
      text += memory[..<min(count, contentLimit - text.count)]
    }
    return text
  }

  private static func unmarked(_ text: [UInt8]) -> [UInt8] {
    text.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(text.dropFirst(3)) : text
  }

  private static func compressed(_ text: [UInt8], _ compression: Compression) -> [UInt8] {
    do {
      let encoder = try compression.encoder()
      let memory = UnsafeMutableRawBufferPointer.allocate(
        byteCount: encoder.bound(text.count), alignment: 16)
      defer { memory.deallocate() }
      let count = try text.withUnsafeBytes { try encoder.encode($0, into: memory) }
      return Array(memory[..<count])
    } catch {
      fatalError("broken promise: not compressed: \(error)")
    }
  }

  // MARK: Users

  private struct Read: Equatable {
    var outcomes: [UInt8] = []
    var refused = 0
    var lines = 0
  }

  private static func read(_ text: [UInt8], isCSV: Bool, size: Int) -> Read? {
    var chunks = LineChunks(
      size: size, lineLimit: lineLimit, isCSV: isCSV, source(text, pieces: size))
    var worker = BatchWorker(plan)
    var header: CSVHeader?
    var result = Read()
    do {
      while var chunk = try chunks.next() {
        if isCSV, header == nil {
          let (row, _, end) = chunk.withUnsafeBytes { CSVRows.first($0) }
          guard row.fault == nil else { return nil }
          header = try CSVHeader(
            chunk.withUnsafeBytes { text in
              row.cells.map { String(decoding: $0.content(text), as: UTF8.self) }
            }, path: "users.csv")
          chunk.removeSubrange(..<end)
        }
        add(chunk, header, &worker, &result)
      }
    } catch {
      require(error is CommandError, "an error of another kind: \(error)")
      return nil
    }
    return result
  }

  private static func add(
    _ chunk: [UInt8], _ header: CSVHeader?, _ worker: inout BatchWorker, _ result: inout Read
  ) {
    guard let header else {
      let output = worker.process(chunk)
      result.outcomes += output.outcomes
      result.refused += output.rejected.count
      result.lines += output.lines
      return
    }
    chunk.withUnsafeBytes { text in
      let records = CSVRecords(text, header, lineLimit: lineLimit)
      let output = records.output(worker.process(records.json), text)
      for refused in output.rejected {
        require(refused.line < records.lines, "a row lies behind the file")
      }
      result.outcomes += output.outcomes
      result.refused += output.rejected.count
      result.lines += records.lines
    }
  }
}
