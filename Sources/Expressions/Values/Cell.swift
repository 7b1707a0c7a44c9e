package import CivilTime

/// The kind of value in a cell, in the low byte. Tags below 8 are not values, so one comparison is enough to
/// distinguish them. Tags from 0x80 are strings of up to 15 bytes, with the length in the low four bits.
@usableFromInline package enum Tag {
  /// The attribute is missing, and its parent exists.
  @inlinable package static var missing: UInt8 { 0 }
  /// An ``EvaluationError``: kind in byte 1, operand tags in bytes 2 and 3, instruction above.
  @inlinable package static var fault: UInt8 { 1 }
  /// The attribute is declared unknown (partial evaluation).
  @inlinable package static var unknown: UInt8 { 2 }
  /// The path to the attribute ends before its last name.
  @inlinable package static var unreachable: UInt8 { 3 }
  /// The path to the attribute contains a value that is not a map.
  @inlinable package static var notAMap: UInt8 { 4 }
  /// The path contains a value that is not a map, and the language counts members of such values as missing.
  @inlinable package static var behindValue: UInt8 { 5 }
  /// The variable at the beginning of the path is not bound.
  @inlinable package static var undeclared: UInt8 { 6 }
  /// The first tag of a value.
  @inlinable package static var firstValue: UInt8 { 8 }
  @inlinable package static var null: UInt8 { 8 }
  @inlinable package static var bool: UInt8 { 9 }
  @inlinable package static var int: UInt8 { 10 }
  @inlinable package static var uint: UInt8 { 11 }
  @inlinable package static var double: UInt8 { 12 }
  /// A string of more than 15 bytes.
  @inlinable package static var longText: UInt8 { 13 }
  @inlinable package static var bytes: UInt8 { 14 }
  @inlinable package static var list: UInt8 { 15 }
  @inlinable package static var map: UInt8 { 16 }
  /// An instant: seconds since 1970 in the high half, nanoseconds in the upper half of the low half.
  @inlinable package static var timestamp: UInt8 { 17 }
  /// A span of time: nanoseconds in the high half.
  @inlinable package static var duration: UInt8 { 18 }
  /// A type: a ``TypeName`` in the high half.
  @inlinable package static var type: UInt8 { 19 }
  /// An optional value, stored like a list of at most one element.
  @inlinable package static var optional: UInt8 { 20 }
  /// A network address. Addresses, address ranges and versions are encoded as bytes, and compared by these bytes.
  @inlinable package static var ip: UInt8 { 21 }
  @inlinable package static var cidr: UInt8 { 22 }
  @inlinable package static var version: UInt8 { 23 }
  /// A function that is used as a value: two cells, for the function's name and the value that has it as a member.
  @inlinable package static var function: UInt8 { 24 }
  /// The lowest tag of a string of at most 15 bytes.
  @inlinable package static var shortText: UInt8 { 0x80 }

  /// The name of the type in the language, for messages.
  package static func typeName(_ tag: UInt8) -> String {
    switch tag {
    case missing, unreachable, behindValue: "missing"
    case fault: "error"
    case unknown: "unknown"
    case null: "null_type"
    case bool: "bool"
    case int: "int"
    case uint: "uint"
    case double: "double"
    case bytes: "bytes"
    case list: "list"
    case map: "map"
    case timestamp: "google.protobuf.Timestamp"
    case duration: "google.protobuf.Duration"
    case type: "type"
    case optional: "optional_type"
    case ip: "net.IP"
    case cidr: "net.CIDR"
    case version: "version"
    case function: "function"
    default: "string"
    }
  }
}

/// One value of the evaluator in 16 trivial bytes: copying costs two moves and no reference count.
///
/// Numbers, booleans and strings of up to 15 bytes are in the cell itself. Longer strings, lists and maps are a count
/// and an address. The memory belongs to the program's constants, to an ``Arena``, or to the bytes that a frame was
/// filled from. The memory is valid at least until the frame is reset. On a little-endian machine byte 0 is the tag,
/// and bytes 1...15 contain a short string.
@usableFromInline package struct Cell: Hashable, Sendable {
  @usableFromInline package var low: UInt64
  @usableFromInline package var high: UInt64

  @inlinable package init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// Whether the bits are identical, which is stricter than equality of values.
  @inlinable @inline(__always)
  package static func == (a: Cell, b: Cell) -> Bool { a.low == b.low && a.high == b.high }

  @inlinable @inline(__always) package var tag: UInt8 { UInt8(truncatingIfNeeded: low) }
  @inlinable @inline(__always) package var isValue: Bool { tag >= Tag.firstValue }
  @inlinable @inline(__always) package var isText: Bool {
    tag >= Tag.shortText || tag == Tag.longText
  }
  /// Whether the cell has bytes in other memory.
  @inlinable package var hasBytesOutside: Bool {
    switch tag {
    case Tag.longText, Tag.bytes, Tag.ip, Tag.cidr, Tag.version: true
    default: false
    }
  }
  @inlinable package var isShortText: Bool { tag >= Tag.shortText }
  /// Whether the cell contains an address.
  @inlinable @inline(__always) package var pointsOutside: Bool {
    tag < Tag.shortText && Cell.tagsOfAddresses >> UInt64(tag) & 1 == 1
  }

  /// A bit for each tag of a cell that contains an address.
  @inlinable static var tagsOfAddresses: UInt64 {
    1 << Tag.longText | 1 << Tag.bytes | 1 << Tag.list | 1 << Tag.map | 1 << Tag.optional
      | 1 << Tag.ip | 1 << Tag.cidr | 1 << Tag.version | 1 << Tag.function
  }

  @inlinable package static var missing: Cell { Cell(low: UInt64(Tag.missing), high: 0) }
  @inlinable package static var unreachable: Cell { Cell(low: UInt64(Tag.unreachable), high: 0) }
  @inlinable package static var notAMap: Cell { Cell(low: UInt64(Tag.notAMap), high: 0) }
  @inlinable package static var behindValue: Cell { Cell(low: UInt64(Tag.behindValue), high: 0) }
  @inlinable package static var undeclared: Cell { Cell(low: UInt64(Tag.undeclared), high: 0) }
  @inlinable package static var null: Cell { Cell(low: UInt64(Tag.null), high: 0) }
  @inlinable package static var `true`: Cell { Cell(low: UInt64(Tag.bool) | 0x100, high: 0) }
  @inlinable package static var `false`: Cell { Cell(low: UInt64(Tag.bool), high: 0) }
  @inlinable package static var emptyText: Cell { Cell(low: UInt64(Tag.shortText), high: 0) }
  /// The content of a cell that belongs to no context. Where released memory is poisoned (``ReusedMemory``), it is
  /// a long string at an address that no process has, so that following it crashes.
  package static var vacant: Cell {
    // SAFETY: The address does not exist. It is only used in builds that poison memory, where
    // following it crashes. Tests: ConditionColumnsTests.
    ReusedMemory.isPoisoned
      ? Cell(low: UInt64(Tag.longText) | 64 << 8, high: UInt64(UInt.max / 255 * 0xA5)) : .missing
  }

  @inlinable package init(_ value: Bool) { self = value ? .true : .false }
  @inlinable package init(_ value: Int64) {
    self.init(low: UInt64(Tag.int), high: UInt64(bitPattern: value))
  }
  @inlinable package init(_ value: UInt64) { self.init(low: UInt64(Tag.uint), high: value) }
  @inlinable package init(_ value: Double) {
    self.init(low: UInt64(Tag.double), high: value.bitPattern)
  }

  package init(_ value: Timestamp) {
    self.init(
      low: UInt64(Tag.timestamp) | UInt64(UInt32(bitPattern: value.nanoseconds)) << 32,
      high: UInt64(bitPattern: value.seconds))
  }
  package init(_ value: TimeSpan) {
    self.init(low: UInt64(Tag.duration), high: UInt64(bitPattern: value.nanoseconds))
  }
  package init(_ value: TypeName) {
    self.init(low: UInt64(Tag.type), high: UInt64(value.rawValue))
  }

  /// A cell for an error of this kind. The machine adds the instruction.
  package init(fault kind: EvaluationError.Kind, _ a: UInt8 = 0, _ b: UInt8 = 0) {
    let operands = UInt64(a) << 16 | UInt64(b) << 24
    self.init(low: UInt64(Tag.fault) | UInt64(kind.rawValue) << 8 | operands, high: 0)
  }

  @inlinable @inline(__always) package var boolValue: Bool { low & 0x100 != 0 }
  @inlinable @inline(__always) package var intValue: Int64 { Int64(bitPattern: high) }
  @inlinable @inline(__always) package var uintValue: UInt64 { high }
  @inlinable @inline(__always) package var doubleValue: Double { Double(bitPattern: high) }
  package var timestampValue: Timestamp {
    Timestamp(
      known: Int64(bitPattern: high), Int32(bitPattern: UInt32(truncatingIfNeeded: low >> 32)))
  }
  package var durationValue: TimeSpan { TimeSpan(nanoseconds: Int64(bitPattern: high)) }

  /// The number of bytes (string, bytes), elements (list) or entries (map) in other memory.
  @inlinable package var outsideCount: Int { Int(low >> 8) }
  /// The address of the bytes, elements or entries.
  @inlinable package var address: UnsafeRawPointer? { UnsafeRawPointer(bitPattern: UInt(high)) }

  /// A cell for content in other memory. Counts are below 2^56, because memory is smaller.
  @inlinable package init(tag: UInt8, count: Int, at address: UnsafeRawPointer?) {
    self.init(
      low: UInt64(tag) | UInt64(UInt(bitPattern: count)) << 8,
      high: UInt64(UInt(bitPattern: address)))
  }

  /// The elements of a list, or the value of an optional.
  package var elements: UnsafeBufferPointer<Cell> {
    // SAFETY: The count and the address are written together, for memory with that many cells.
    // Cells never come from outside the process. Tests: FrameFillTests, asan.
    UnsafeBufferPointer(
      start: address?.assumingMemoryBound(to: Cell.self), count: outsideCount)
  }

  /// The entries of a map: key, value, key, value.
  package var entries: UnsafeBufferPointer<Cell> {
    // SAFETY: As for `elements`; a map has two cells for each entry. Tests: FrameFillTests, asan.
    UnsafeBufferPointer(
      start: address?.assumingMemoryBound(to: Cell.self), count: outsideCount * 2)
  }

  /// A string of at most 15 bytes, or nil if it is longer.
  @inlinable package init?(short text: UnsafeBufferPointer<UInt8>) {
    // SAFETY: With eight bytes or more, both loads of eight bytes are inside the text. `few` reads
    // shorter texts. Tests: CellTests, asan.
    guard text.count <= 15 else { return nil }
    let tag = UInt64(Tag.shortText) | UInt64(text.count)
    guard let base = UnsafeRawPointer(text.baseAddress), text.count > 0 else {
      self.init(low: tag, high: 0)
      return
    }
    // Overlapping loads replace a loop over the bytes.
    if text.count >= 8 {
      let first = base.loadUnaligned(as: UInt64.self)
      let last = (base + (text.count &- 8)).loadUnaligned(as: UInt64.self)
      // The bytes after the first eight. A smart shift returns 0 if there are no such bytes.
      let rest = last >> UInt64(8 &* (16 &- text.count))
      self.init(low: tag | first << 8, high: first >> 56 | rest << 8)
    } else {
      self.init(low: tag | Cell.few(base, text.count) << 8, high: 0)
    }
  }

  /// Reads one to seven bytes, zero-padded.
  @inlinable @inline(__always)
  static func few(_ base: UnsafeRawPointer, _ count: Int) -> UInt64 {
    // SAFETY: Each branch knows how many bytes there are, and its loads are inside them.
    // Tests: CellTests, asan.
    if count >= 4 {
      let first = UInt64(base.loadUnaligned(as: UInt32.self))
      let last = UInt64((base + (count &- 4)).loadUnaligned(as: UInt32.self))
      return first | last << UInt64(8 &* (count &- 4))
    }
    let first = UInt64(base.load(as: UInt8.self))
    guard count > 1 else { return first }
    let last = UInt64((base + (count &- 2)).loadUnaligned(as: UInt16.self))
    return first | last << UInt64(8 &* (count &- 2))
  }

  /// Creates a cell for a string. A string that is too long for a cell is not copied.
  @inlinable package init(textAt text: UnsafeBufferPointer<UInt8>) {
    if let short = Cell(short: text) {
      self = short
    } else {
      self.init(tag: Tag.longText, count: text.count, at: UnsafeRawPointer(text.baseAddress))
    }
  }
}

/// A view of the bytes of a string or bytes cell. The view is valid while the cell is not moved.
package typealias ByteView = UnsafeBufferPointer<UInt8>

extension UnsafePointer<Cell> {
  /// The bytes of the string (or bytes) in this cell. A short string is inside the cell, so this needs the cell's
  /// address and not its value.
  package var textBytes: ByteView {
    // SAFETY: A short text is read inside the cell, so the view is valid only while the cell stays
    // where it is. For other texts, count and address were written together. Tests: CellTests,
    // FrameFillTests, asan.
    let low = pointee.low
    if UInt8(truncatingIfNeeded: low) >= Tag.shortText {
      let start = UnsafeRawPointer(self).assumingMemoryBound(to: UInt8.self) + 1
      return ByteView(start: start, count: Int(low & 0x0F))
    }
    return ByteView(
      start: UnsafeRawPointer(bitPattern: UInt(pointee.high))?.assumingMemoryBound(to: UInt8.self),
      count: Int(low >> 8))
  }
}

extension Cell {
  /// The string of this cell, whether its bytes are inside the cell or elsewhere.
  package var text: String {
    // SAFETY: The view points to a local copy of the cell, and stays in the closure.
    // Tests: CellTests.
    withUnsafePointer(to: self) { String(decoding: $0.textBytes, as: UTF8.self) }
  }
}

#if _endian(big)
  #error("Cell keeps short texts in memory order and supports little-endian machines only")
#endif
