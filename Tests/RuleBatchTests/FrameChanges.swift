import CArrow
import Expressions
import TestSupport

/// Random changes of what an array says of itself, and of what is in its buffers; never more than its memory has.
struct ArrayChange {
  typealias Array = UnsafeMutablePointer<ArrowArray>
  var random: SplitMix

  init(_ random: SplitMix) { self.random = random }

  /// An array, with what the schema says of it.
  struct Place {
    var array: Array
    var format: String
    var children: Int

    /// Buffers that are there, whatever the array says.
    var buffers: Int {
      switch format {
      case "n": 0
      case "u", "U": 3
      case "vu": 5
      default: format == "+s" || format.hasPrefix("+w") ? 1 : 2
      }
    }
  }

  /// The arrays of a table, those of dictionaries among them.
  static func all(_ table: ArrowTable) -> [Place] {
    var found: [Place] = []
    func add(_ array: Array?, _ schema: UnsafeMutablePointer<ArrowSchema>?) {
      guard let array, let schema, array.pointee.release != nil else { return }
      found.append(
        Place(
          array: array, format: String(cString: schema.pointee.format),
          children: Int(schema.pointee.n_children)))
      if let children = array.pointee.children {
        for i in 0..<Int(schema.pointee.n_children) {
          add(children[i], schema.pointee.children[i])
        }
      }
      if let values = array.pointee.dictionary { add(values, schema.pointee.dictionary) }
    }
    add(table.array, table.schema)
    return found
  }

  mutating func apply(to table: ArrowTable) {
    let places = Self.all(table)
    guard !places.isEmpty else { return }
    let place = random.pick(places)
    let (array, format) = (place.array, place.format)
    let source = array.pointee
    switch Int.random(in: 0..<12, using: &random) {
    case 0:
      var lengths = [-1, .min, 0, source.length / 2, max(source.length, 1) - 1]
      if array == table.array { lengths += [.max, 1 << 40, source.length &+ 1] }
      array.pointee.length = random.pick(lengths)
    case 1: array.pointee.offset = random.pick([-1, .min, .max, 0, max(source.offset, 1) - 1])
    case 2: array.pointee.null_count = random.pick([-1, 0, 1, .min, .max])
    case 3:
      // With views the number says where the sizes are.
      let number = source.n_buffers
      array.pointee.n_buffers = random.pick(
        format == "vu" ? [0, 1, 2, -1] : [0, number &- 1, number &+ 1, .min, .max])
    case 4:
      array.pointee.n_children = random.pick([-1, 0, 1, source.n_children &+ 1, .min, .max])
    case 5:
      if place.children > 0, source.children != nil {
        array.pointee.children[Int.random(in: 0..<place.children, using: &random)] = nil
      } else {
        array.pointee.children = nil
      }
    case 6:
      if place.buffers > 0, source.buffers != nil {
        array.pointee.buffers[Int.random(in: 0..<place.buffers, using: &random)] = nil
      } else {
        array.pointee.buffers = nil
      }
    case 7: array.pointee.dictionary = nil
    case 8: array.pointee.release = nil
    default: if place.buffers > 1 { changeValues(array, format) }
    }
  }

  /// Writes something into a buffer that says where others are, or into one of values.
  private mutating func changeValues(_ array: Array, _ format: String) {
    let source = array.pointee
    guard source.length > 0, source.length < 100_000, source.offset >= 0,
      source.offset < 100_000, source.n_buffers > 1, source.buffers != nil,
      let buffer = source.buffers[1]
    else { return }
    let memory = UnsafeMutableRawPointer(mutating: buffer)
    let (first, count) = (Int(source.offset), Int(source.length))
    let row = first + Int.random(in: 0..<count, using: &random)
    switch format {
    case "u", "+l", "+m":
      let last = memory.load(fromByteOffset: (first + count) * 4, as: Int32.self)
      guard last >= 0 else { return }
      memory.storeBytes(of: offset(last, format), toByteOffset: row * 4, as: Int32.self)
    case "U", "+L":
      let last = memory.load(fromByteOffset: (first + count) * 8, as: Int64.self)
      guard last >= 0 else { return }
      memory.storeBytes(of: offset(last, format), toByteOffset: row * 8, as: Int64.self)
    case "vu": storeByte(memory, row * 16 + Int.random(in: 0..<16, using: &random))
    case "b": storeByte(memory, row / 8)
    case "c", "C": storeByte(memory, row)
    case "s", "S", "e": storeByte(memory, row * 2 + Int.random(in: 0..<2, using: &random))
    case "i", "I", "f": storeByte(memory, row * 4 + Int.random(in: 0..<4, using: &random))
    case "l", "L", "g": storeByte(memory, row * 8 + Int.random(in: 0..<8, using: &random))
    default:
      if format.hasPrefix("ts") {
        storeByte(memory, row * 8 + Int.random(in: 0..<8, using: &random))
      }
    }
  }

  /// Where texts end is how much may be read; of lists that is known.
  private mutating func offset<Offset: FixedWidthInteger>(
    _ last: Offset, _ format: String
  ) -> Offset {
    let isText = format == "u" || format == "U"
    return Bool.random(using: &random)
      ? Offset.random(in: -5...last, using: &random)
      : isText ? random.pick([.min, -1, 0, last]) : random.pick([.min, .max, -1, last &+ 1])
  }

  private mutating func storeByte(_ memory: UnsafeMutableRawPointer, _ place: Int) {
    memory.storeBytes(
      of: UInt8.random(in: 0...255, using: &random), toByteOffset: place, as: UInt8.self)
  }
}

/// Random changes of a schema.
struct SchemaChange {
  typealias Schema = UnsafeMutablePointer<ArrowSchema>
  var random: SplitMix

  init(_ random: SplitMix) { self.random = random }

  private static func text(_ bytes: [UInt8]) -> UnsafePointer<CChar> {
    // They are few, and live as long as the tests.
    let memory = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
    for (i, byte) in bytes.enumerated() { memory[i] = CChar(bitPattern: byte) }
    memory[bytes.count] = 0
    return UnsafePointer(memory)
  }

  nonisolated(unsafe) private static let formats = [
    "", "n", "b", "c", "l", "e", "g", "u", "U", "vu", "z", "vz", "d:9,2", "w:", "tss:UTC", "tsu:",
    "tsu", "tdD", "+", "+l", "+L", "+w:", "+w:2", "+w:0", "+s", "+m", "+r", "+ud:0", "+vl", "\n",
  ].map { text(Array($0.utf8)) }

  nonisolated(unsafe) private static let names =
    ["", ".", "user", "user.user", "userId", "é", "events", "a.b.c.d.e"].map {
      text(Array($0.utf8))
    } + [text([0xFF, 0xFE]), text(Array(repeating: 0x2E, count: 500))]

  /// Metadata with the name of an extension type.
  nonisolated(unsafe) private static let extensions = [
    "arrow.bool8", "arrow.uuid", "", "geoarrow.point",
  ].map {
    name -> UnsafePointer<CChar> in
    var bytes: [UInt8] = []
    func add(_ count: Int) { withUnsafeBytes(of: Int32(count)) { bytes += $0 } }
    add(1)
    for text in ["ARROW:extension:name", name] {
      add(text.utf8.count)
      bytes += Array(text.utf8)
    }
    return text(bytes)
  }

  private func all(_ root: Schema) -> [Schema] {
    var found: [Schema] = []
    func add(_ schema: Schema?) {
      guard let schema, schema.pointee.release != nil, found.count < 1_000 else { return }
      if found.contains(schema) { return }
      found.append(schema)
      if let children = schema.pointee.children {
        for i in 0..<max(Int(schema.pointee.n_children), 0) where i < 100 { add(children[i]) }
      }
      add(schema.pointee.dictionary)
    }
    add(root)
    return found
  }

  mutating func apply(to root: Schema) {
    let schemas = all(root)
    guard !schemas.isEmpty else { return }
    let schema = random.pick(schemas)
    let count = schema.pointee.n_children
    switch Int.random(in: 0..<10, using: &random) {
    case 0: schema.pointee.format = random.pick([nil] + Self.formats)
    case 1, 2: schema.pointee.format = random.pick(Self.formats)
    case 3: schema.pointee.name = random.pick([nil] + Self.names)
    case 4:
      // More than there are is nothing that anybody could find out.
      schema.pointee.n_children = random.pick([-1, .min, 0, max(count, 1) - 1])
    case 5:
      if count > 0, schema.pointee.children != nil {
        let other: Schema? = Bool.random(using: &random) ? nil : random.pick(schemas)
        schema.pointee.children[Int.random(in: 0..<Int(count), using: &random)] = other
      } else {
        schema.pointee.children = nil
      }
    case 6: schema.pointee.dictionary = Bool.random(using: &random) ? nil : random.pick(schemas)
    case 7: schema.pointee.release = nil
    case 8: schema.pointee.metadata = random.pick([nil] + Self.extensions)
    default: schema.pointee.flags = random.pick([-1, 0, .max])
    }
  }
}
