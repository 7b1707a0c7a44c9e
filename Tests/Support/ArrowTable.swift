public import CArrow
public import Expressions
package import RuleBatch

/// How a column of a test's table lies in memory, by the formats of the C data interface.
public indirect enum ArrowShape: Sendable {
  case null
  case bool
  case number(String)
  /// `u`, `U` or `vu`.
  case text(String)
  case timestamp(String)
  /// What the engine does not read: eight bytes a value.
  case other(String)
  /// `+l`, `+L` or `+w:` with a length.
  case list(String, ArrowShape)
  case structure([(name: String, shape: ArrowShape)])
  case map(ArrowShape)
  case dictionary(String, ArrowShape)
  /// Strings with the JSON of values of a shape.
  case json(ArrowShape)
  /// An extension type with a name and its storage type.
  case extended(String, ArrowShape)

  /// All formats of numbers.
  public static let integers = ["c", "C", "s", "S", "i", "I", "l", "L"]
}

/// A table in Arrow's form, built from values, of which null is NULL. Every array begins somewhere in its
/// buffers; in front of it, behind it and in the place of NULL lies what nobody may read. Buffers have not a
/// byte more than they need, so that the address sanitizer sees who reads on.
public final class ArrowTable {
  private var random: SplitMix
  private let isPadded: Bool
  private var memory: [UnsafeMutableRawPointer] = []
  /// Of the schema, which outlives the array.
  private var schemaMemory: [UnsafeMutableRawPointer] = []
  private let root: UnsafeMutablePointer<ArrowArray>
  private let shape: ArrowShape
  private let schemaRoot: UnsafeMutablePointer<ArrowSchema>
  /// How often the array was released.
  public private(set) var releases = 0
  public private(set) var schemaReleases = 0

  /// - Parameters:
  ///   - shape: of the table: a struct.
  ///   - isPadded: false for arrays that begin where their buffers do.
  public init(_ shape: ArrowShape, _ rows: [Value], seed: UInt64 = 1, isPadded: Bool = true) {
    random = SplitMix(seed: seed)
    self.isPadded = isPadded
    self.shape = shape
    root = .allocate(capacity: 1)
    schemaRoot = .allocate(capacity: 1)
    root.initialize(to: ArrowArray())
    schemaRoot.initialize(to: ArrowSchema())
    schemaRoot.pointee = schema(shape, "")
    swap(&memory, &schemaMemory)
    root.pointee = encode(shape, rows, mayBeNull: false)
  }

  deinit {
    free()
    for piece in schemaMemory { piece.deallocate() }
    root.deallocate()
    schemaRoot.deallocate()
  }

  private func free() {
    for piece in memory { piece.deallocate() }
    memory = []
  }

  /// The array, to be changed by tests of what is damaged.
  public var array: UnsafeMutablePointer<ArrowArray> { root }
  public var schema: UnsafeMutablePointer<ArrowSchema> { schemaRoot }

  /// The array as a caller gets it who has to release it. All memory is freed then.
  public func export() -> ArrowArray {
    var array = root.pointee
    array.private_data = Unmanaged.passRetained(self).toOpaque()
    array.release = { array in
      guard let array, let data = array.pointee.private_data else { return }
      let table = Unmanaged<ArrowTable>.fromOpaque(data).takeRetainedValue()
      table.releases += 1
      table.free()
      array.pointee.release = nil
    }
    return array
  }

  /// The schema as a caller gets it who has to release it.
  public func exportSchema() -> ArrowSchema {
    var schema = schemaRoot.pointee
    schema.private_data = Unmanaged.passRetained(self).toOpaque()
    schema.release = { schema in
      guard let schema, let data = schema.pointee.private_data else { return }
      Unmanaged<ArrowTable>.fromOpaque(data).takeRetainedValue().schemaReleases += 1
      schema.pointee.release = nil
    }
    return schema
  }

  package var field: ArrowField {
    get throws { try ArrowField(schemaRoot) }
  }

  // MARK: Schemas

  private func schema(_ shape: ArrowShape, _ name: String) -> ArrowSchema {
    var schema = ArrowSchema()
    var format = ""
    var children: [ArrowSchema] = []
    switch shape {
    case .null: format = "n"
    case .bool: format = "b"
    case .number(let given), .text(let given), .timestamp(let given), .other(let given):
      format = given
    case .list(let given, let element):
      format = given
      children = [self.schema(element, "item")]
    case .structure(let members):
      format = "+s"
      children = members.map { self.schema($0.shape, $0.name) }
    case .map(let values):
      format = "+m"
      children = [self.schema(ArrowTable.entries(values), "entries")]
    case .dictionary(let codes, let values):
      format = codes
      schema.dictionary = buffer([self.schema(values, "")]).assumingMemoryBound(
        to: ArrowSchema.self)
    case .json: return self.schema(.extended("arrow.json", .text("u")), name)
    case .extended(let type, let storage):
      var schema = self.schema(storage, name)
      schema.metadata = UnsafePointer(metadata(["PARQUET:id": "1", "ARROW:extension:name": type]))
      return schema
    }
    schema.format = UnsafePointer(text(format))
    schema.name = UnsafePointer(text(name))
    schema.flags = Int64(ARROW_FLAG_NULLABLE)
    schema.n_children = Int64(children.count)
    let places = children.map {
      buffer([$0]).assumingMemoryBound(to: ArrowSchema.self) as UnsafeMutablePointer<ArrowSchema>?
    }
    schema.children = buffer(places).assumingMemoryBound(
      to: UnsafeMutablePointer<ArrowSchema>?.self)
    schema.release = { $0?.pointee.release = nil }
    return schema
  }

  private func metadata(_ pairs: KeyValuePairs<String, String>) -> UnsafeMutablePointer<CChar> {
    func bytes(_ number: Int) -> [UInt8] { withUnsafeBytes(of: Int32(number)) { Array($0) } }
    func bytes(_ text: String) -> [UInt8] { bytes(text.utf8.count) + Array(text.utf8) }
    let all = bytes(pairs.count) + pairs.flatMap { bytes($0.key) + bytes($0.value) }
    return buffer(all).assumingMemoryBound(to: CChar.self)
  }

  private static func entries(_ values: ArrowShape) -> ArrowShape {
    .structure([("key", .text("u")), ("value", values)])
  }

  private func text(_ text: String) -> UnsafeMutablePointer<CChar> {
    buffer(text.utf8CString.map { $0 }).assumingMemoryBound(to: CChar.self)
  }

  private func buffer<Element: BitwiseCopyable>(_ elements: [Element]) -> UnsafeMutableRawPointer {
    let bytes = elements.count * MemoryLayout<Element>.stride
    let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 8)
    elements.withUnsafeBytes {
      if let base = $0.baseAddress { memory.copyMemory(from: base, byteCount: bytes) }
    }
    self.memory.append(memory)
    return memory
  }

  // MARK: Arrays

  private func chance(_ one: Int, in all: Int) -> Bool {
    Int.random(in: 0..<all, using: &random) < one
  }

  private func encode(_ shape: ArrowShape, _ values: [Value], mayBeNull: Bool = true)
    -> ArrowArray
  {
    if case .json = shape {
      let texts = values.map { $0 == .null ? .null : Value.string($0.json) }
      return encode(.text("u"), texts, mayBeNull: mayBeNull)
    }
    if case .extended(_, let storage) = shape {
      return encode(storage, values, mayBeNull: mayBeNull)
    }
    let before = isPadded ? Int.random(in: 0...70, using: &random) : 0
    let behind = isPadded ? Int.random(in: 0...3, using: &random) : 0
    func junk(_ count: Int) -> [Value] {
      (0..<count).map { _ in values.randomElement(using: &random) ?? .null }
    }
    let rows = junk(before) + values + junk(behind)
    var array = ArrowArray()
    array.length = Int64(values.count)
    array.offset = Int64(before)
    array.release = { $0?.pointee.release = nil }
    var buffers: [UnsafeMutableRawPointer?] = [mayBeNull ? validity(rows, values, &array) : nil]
    var children: [ArrowArray] = []
    switch shape {
    case .null, .json, .extended: buffers = []
    case .bool: buffers.append(buffer(ArrowTable.bits(rows.map { $0 == .bool(true) })))
    case .number(let format): buffers.append(numbers(format, rows))
    case .timestamp(let format):
      let units: [Character: Int64] = ["s": 1, "m": 1_000, "u": 1_000_000, "n": 1_000_000_000]
      let unit = units[Array(format)[2]] ?? 1
      buffers.append(
        buffer(
          rows.map { value -> Int64 in
            guard case .timestamp(let seconds, let nanoseconds) = value else { return .min }
            return seconds * unit + Int64(nanoseconds) / (1_000_000_000 / unit)
          }))
    case .other: buffers.append(buffer(rows.map { _ in Int64(0) }))
    case .text("vu"): buffers += views(rows)
    case .text(let format):
      let texts = rows.map { $0.text.map { Array($0.utf8) } ?? [0xFF, 0x80, 0x22] }
      buffers.append(offsets(texts.map(\.count), isLarge: format == "U"))
      buffers.append(buffer(texts.flatMap { $0 }))
    case .list(let format, let element):
      let (elements, ends) = flatten(rows, format)
      if let ends { buffers.append(ends) }
      children = [encode(element, elements)]
    case .structure(let members):
      for member in members {
        // What is in a struct that is NULL means nothing.
        let junk = chance(1, in: 2)
        let other = rows.first { $0 != .null }
        let column = rows.map { row in
          (row == .null && junk ? other : row)?[member.name] ?? .null
        }
        children.append(encode(member.shape, column))
      }
    case .map(let shape):
      let entries = rows.map { row -> [Value] in
        (row.members ?? []).map { ["key": .string($0.key), "value": $0.value] }
      }
      buffers.append(offsets(entries.map(\.count), isLarge: false))
      children = [encode(ArrowTable.entries(shape), entries.flatMap { $0 }, mayBeNull: false)]
    case .dictionary(let format, let shape):
      var known: [Value] = [.null]
      for row in rows where !known.contains(row) { known.append(row) }
      known.shuffle(using: &random)
      if chance(1, in: 2) {
        // NULL is in the dictionary alone.
        buffers[0] = nil
        array.null_count = 0
      }
      let codes = rows.map { row -> Value in
        if row == .null, isNull(in: array) { return .int(99) }
        return .int(Int64(known.firstIndex(of: row) ?? 0))
      }
      buffers.append(numbers(format, codes))
      array.dictionary = buffer([encode(shape, known)]).assumingMemoryBound(to: ArrowArray.self)
    }
    array.n_buffers = Int64(buffers.count)
    array.buffers = buffer(buffers.map { $0.map { UnsafeRawPointer($0) } }).assumingMemoryBound(
      to: UnsafeRawPointer?.self)
    array.n_children = Int64(children.count)
    let places = children.map {
      buffer([$0]).assumingMemoryBound(to: ArrowArray.self) as UnsafeMutablePointer<ArrowArray>?
    }
    array.children = buffer(places).assumingMemoryBound(
      to: UnsafeMutablePointer<ArrowArray>?.self)
    return array
  }

  /// Whether NULL is in the bitmap of an array that is being made.
  private func isNull(in array: ArrowArray) -> Bool { array.null_count != 0 }

  private func validity(
    _ rows: [Value], _ values: [Value], _ array: inout ArrowArray
  ) -> UnsafeMutableRawPointer? {
    let nulls = values.filter { $0 == .null }.count
    if nulls == 0, !isPadded || chance(1, in: 2) { return nil }
    array.null_count = chance(1, in: 2) ? Int64(nulls) : -1
    if nulls == 0 { array.null_count = -1 }
    return buffer(ArrowTable.bits(rows.map { $0 != .null }))
  }

  private static func bits(_ values: [Bool]) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: (values.count + 7) / 8)
    for (i, value) in values.enumerated() where value { bytes[i / 8] |= 1 << UInt8(i % 8) }
    return bytes
  }

  private func numbers(_ format: String, _ rows: [Value]) -> UnsafeMutableRawPointer {
    func integers<Number: FixedWidthInteger & BitwiseCopyable>(_: Number.Type)
      -> UnsafeMutableRawPointer
    {
      buffer(
        rows.map { value -> Number in
          switch value {
          case .int(let number): Number(truncatingIfNeeded: number)
          case .uint(let number): Number(truncatingIfNeeded: number)
          default: Number(truncatingIfNeeded: 0x5B5B_5B5B)
          }
        })
    }
    let doubles = rows.map { $0.number ?? -1e300 }
    switch format {
    case "c": return integers(Int8.self)
    case "C": return integers(UInt8.self)
    case "s": return integers(Int16.self)
    case "S": return integers(UInt16.self)
    case "i": return integers(Int32.self)
    case "I": return integers(UInt32.self)
    case "l": return integers(Int64.self)
    case "L": return integers(UInt64.self)
    case "e": return buffer(doubles.map { Float16($0).bitPattern })
    case "f": return buffer(doubles.map { Float($0) })
    default: return buffer(doubles)
    }
  }

  private func offsets(_ counts: [Int], isLarge: Bool) -> UnsafeMutableRawPointer {
    var ends = [0]
    for count in counts { ends.append(ends[ends.count - 1] + count) }
    return isLarge ? buffer(ends.map { Int64($0) }) : buffer(ends.map { Int32($0) })
  }

  private func views(_ rows: [Value]) -> [UnsafeMutableRawPointer?] {
    var data: [[UInt8]] = [[], []]
    var words: [Int32] = []
    for row in rows {
      guard let text = row.text.map({ Array($0.utf8) }) else {
        words += [100, 1, 77, -5]
        continue
      }
      words.append(Int32(text.count))
      if text.count > 12 {
        let number = Int.random(in: 0...1, using: &random)
        words += [ArrowTable.word(text, 0), Int32(number), Int32(data[number].count)]
        data[number] += text
      } else {
        // Behind a text there should be zeros, and need not be.
        let bytes: [UInt8] = text + [UInt8](repeating: 0x41, count: 12 - text.count)
        words += [
          ArrowTable.word(bytes, 0), ArrowTable.word(bytes, 4), ArrowTable.word(bytes, 8),
        ]
      }
    }
    var buffers: [UnsafeMutableRawPointer?] = [buffer(words)]
    for bytes in data { buffers.append(buffer(bytes)) }
    buffers.append(buffer(data.map { Int64($0.count) }))
    return buffers
  }

  private static func word(_ bytes: [UInt8], _ from: Int) -> Int32 {
    var word: Int32 = 0
    for i in 0..<4 { word |= Int32(bytes[from + i]) << Int32(8 * i) }
    return word
  }

  /// The elements of lists, one after the other, and where each list begins.
  private func flatten(_ rows: [Value], _ format: String) -> ([Value], UnsafeMutableRawPointer?) {
    if format.hasPrefix("+w:") {
      let length = Int(format.dropFirst(3)) ?? 0
      return (rows.flatMap { $0.elements ?? Array(repeating: .null, count: length) }, nil)
    }
    let lists = rows.map { $0.elements ?? [.null] }
    return (lists.flatMap { $0 }, offsets(lists.map(\.count), isLarge: format == "+L"))
  }
}

/// A stream of tables, as a producer hands it over.
public final class ArrowTables {
  private var tables: [ArrowTable]
  private let schema: ArrowTable
  /// What the stream says instead of a batch, once there are no more tables.
  private let failure: String?
  private var failureText: [CChar] = []
  public private(set) var releases = 0
  /// How often somebody has asked for a batch.
  public private(set) var requests = 0

  public init(_ tables: [ArrowTable], schema: ArrowTable, failure: String? = nil) {
    self.tables = tables
    self.schema = schema
    self.failure = failure
    failureText = Array((failure ?? "").utf8CString)
  }

  private static func of(_ stream: UnsafeMutablePointer<ArrowArrayStream>?) -> ArrowTables? {
    stream?.pointee.private_data.map {
      Unmanaged<ArrowTables>.fromOpaque($0).takeUnretainedValue()
    }
  }

  public func export() -> ArrowArrayStream {
    ArrowArrayStream(
      get_schema: { stream, schema in
        guard let tables = ArrowTables.of(stream) else { return 22 }
        schema?.pointee = tables.schema.exportSchema()
        return 0
      },
      get_next: { stream, array in
        guard let tables = ArrowTables.of(stream) else { return 22 }
        tables.requests += 1
        if tables.tables.isEmpty {
          array?.pointee = ArrowArray()
          return tables.failure == nil ? 0 : 5
        }
        array?.pointee = tables.tables.removeFirst().export()
        return 0
      },
      get_last_error: { stream in
        guard let tables = ArrowTables.of(stream), tables.failure != nil else { return nil }
        return tables.failureText.withUnsafeBufferPointer { $0.baseAddress }
      },
      release: { stream in
        guard let stream, let data = stream.pointee.private_data else { return }
        Unmanaged<ArrowTables>.fromOpaque(data).takeRetainedValue().releases += 1
        stream.pointee.release = nil
      }, private_data: Unmanaged.passRetained(self).toOpaque())
  }
}

extension Value {
  /// The value where NULL is missing, except as an element of a list, which has a place.
  public var withoutNullMembers: Value? {
    switch self {
    case .null: nil
    case .list(let values): .list(values.map { $0.withoutNullMembers ?? .null })
    case .map(let entries):
      .map(
        entries.compactMap { entry in
          entry.value.withoutNullMembers.map { Value.Entry(key: entry.key, value: $0) }
        })
    default: self
    }
  }

  /// The value as it is where NULL is missing: nowhere.
  public var withoutNull: Value? {
    switch self {
    case .null: nil
    case .list(let values): .list(values.compactMap(\.withoutNull))
    case .map(let entries):
      .map(
        entries.compactMap { entry in
          entry.value.withoutNull.map { Value.Entry(key: entry.key, value: $0) }
        })
    default: self
    }
  }
}
