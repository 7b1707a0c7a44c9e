package import CArrow
internal import CShims
internal import Expressions

/// The elements of one buffer of an array. The number of readable elements is known when the value
/// is created. The elements need no alignment.
struct ArrowElements<Element: BitwiseCopyable> {
  // SAFETY: The count comes from an array whose counts `ArrowPart` checked. Debug builds compare
  // every index with it. Loads need no alignment. Tests: ArrowColumnTests, asan.

  private let start: UnsafeRawPointer
  let count: Int

  /// - Parameter offset: the number of elements in the buffer before the first element.
  init(_ buffer: UnsafeRawPointer, from offset: Int, count: Int) {
    start = buffer + offset &* MemoryLayout<Element>.stride
    self.count = count
  }

  @inline(__always)
  subscript(_ i: Int) -> Element {
    assert(i >= 0 && i < count, "outside of an Arrow buffer")
    return start.loadUnaligned(
      fromByteOffset: i &* MemoryLayout<Element>.stride, as: Element.self)
  }

  /// Prefetches some elements, up to the last readable one.
  @inline(__always)
  func readAhead(_ first: Int, count wanted: Int) {
    let size = MemoryLayout<Element>.stride
    CShims.readAhead(
      start + min(first, count) &* size, count: max(min(wanted, count &- first), 0) &* size)
  }

  /// The address of an element.
  func place(of i: Int) -> UnsafePointer<UInt8> {
    assert(i >= 0 && i < count, "outside of an Arrow buffer")
    return (start + i &* MemoryLayout<Element>.stride).assumingMemoryBound(to: UInt8.self)
  }
}

/// The bits of one buffer of an array. The number of readable bits is known when the value is created.
struct ArrowBits {
  // SAFETY: As for `ArrowElements`. A word reads only the bytes that hold the bits.
  // Tests: ArrowColumnTests, asan.

  private let start: UnsafeRawPointer
  /// The number of bits before the first bit.
  private let offset: Int
  let count: Int

  init(_ buffer: UnsafeRawPointer, from offset: Int, count: Int) {
    start = buffer + offset &>> 3
    self.offset = offset & 7
    self.count = count
  }

  @inline(__always)
  subscript(_ i: Int) -> Bool {
    assert(i >= 0 && i < count, "outside of an Arrow bitmap")
    let bit = offset &+ i
    return start.load(fromByteOffset: bit &>> 3, as: UInt8.self) &>> UInt8(bit & 7) & 1 != 0
  }

  /// Up to 64 bits from an index on, the first bit lowest. Bits after the last one are zero.
  @inline(__always)
  func word(_ first: Int) -> UInt64 {
    let wanted = min(64, count &- first)
    guard wanted > 0 else { return 0 }
    let bit = offset &+ first
    let (byte, shift) = (bit &>> 3, UInt64(bit & 7))
    let bytes = (Int(shift) &+ wanted &+ 7) &>> 3
    var word: UInt64 = 0
    if bytes >= 8 {
      word = start.loadUnaligned(fromByteOffset: byte, as: UInt64.self) &>> shift
      if bytes == 9 {
        let last = start.load(fromByteOffset: byte &+ 8, as: UInt8.self)
        word |= UInt64(last) &<< (64 &- shift)
      }
    } else {
      for i in 0..<bytes {
        word |= UInt64(start.load(fromByteOffset: byte &+ i, as: UInt8.self)) &<< UInt64(8 &* i)
      }
      word &>>= shift
    }
    return wanted == 64 ? word : word & (1 &<< UInt64(wanted) &- 1)
  }
}

/// A string in the form of views: its length, and either up to twelve bytes of text, or the first
/// four bytes, the number of a buffer and an offset in it.
struct ArrowTextView: BitwiseCopyable {
  var count: Int32
  var prefix: UInt32
  var buffer: Int32
  var offset: Int32

  /// The maximum length of an inline string.
  static var longestInline: Int32 { 12 }
}

/// An array taken over from a producer, which is released exactly once, when this value is destroyed.
package struct ArrowBatch: ~Copyable {
  // SAFETY: The array is moved into a box, and the caller's structure is marked as released.
  // `deinit` releases the array once. Tests: FrameWorkerTests.streams,
  // FrameWorkerTests.releasesAfterErrors, asan.

  private let box: UnsafeMutablePointer<ArrowArray>

  /// Takes over an array. The caller's structure is marked as released, as for a move.
  package init(taking array: UnsafeMutablePointer<ArrowArray>) {
    box = .allocate(capacity: 1)
    box.initialize(to: array.pointee)
    array.pointee.release = nil
  }

  deinit {
    box.pointee.release?(box)
    box.deallocate()
  }

  package var count: Int { Int(max(box.pointee.length, 0)) }

  /// The rows of the array, as a binding reads them. The rows must not outlive the array.
  package borrowing func rows(_ binding: ArrowBinding) throws(ArrowError) -> ArrowRows {
    try ArrowRows(binding, UnsafePointer(box))
  }
}

/// A stream taken over from a producer, which is released exactly once, when this value is destroyed.
package struct ArrowStream: ~Copyable {
  // SAFETY: The stream is moved into a box, and the caller's structure is marked as released.
  // `deinit` releases the stream once. Tests: FrameWorkerTests.streams,
  // FrameWorkerTests.releasesAfterErrors, asan.

  private let box: UnsafeMutablePointer<ArrowArrayStream>

  /// Takes over a stream. The caller's structure is marked as released.
  package init(taking stream: UnsafeMutablePointer<ArrowArrayStream>) {
    box = .allocate(capacity: 1)
    box.initialize(to: stream.pointee)
    stream.pointee.release = nil
  }

  deinit {
    box.pointee.release?(box)
    box.deallocate()
  }

  private var problem: ArrowError {
    let text = box.pointee.get_last_error.flatMap { $0(box) }.map { String(cString: $0) }
    return ArrowError("", text.map { "the stream failed: \($0)" } ?? "the stream failed")
  }

  /// The schema of all batches.
  package borrowing func schema() throws(ArrowError) -> ArrowField {
    guard box.pointee.release != nil, let read = box.pointee.get_schema else {
      throw ArrowError("", "the stream has been released")
    }
    var schema = ArrowSchema()
    guard read(box, &schema) == 0 else { throw problem }
    defer { schema.release?(&schema) }
    return try ArrowField(&schema)
  }

  /// The next batch; nil at the end.
  package borrowing func next() throws(ArrowError) -> ArrowBatch? {
    guard box.pointee.release != nil, let read = box.pointee.get_next else {
      throw ArrowError("", "the stream has been released")
    }
    var array = ArrowArray()
    guard read(box, &array) == 0 else { throw problem }
    return array.release == nil ? nil : ArrowBatch(taking: &array)
  }
}

// SAFETY: A released schema is not read. Limits on depth and number of fields end a circle.
// Everything is copied. Tests: DamagedFrameTests.damagedSchemas, asan.
extension ArrowField {
  /// Reads a schema, which the caller still owns. The result does not point into it.
  package init(_ schema: UnsafePointer<ArrowSchema>) throws(ArrowError) {
    guard schema.pointee.release != nil else {
      throw ArrowError("", "the schema has been released")
    }
    var left = ArrowField.mostFields
    self = try ArrowField.read(schema, "", ArrowField.mostLevels, &left)
  }

  private static func read(
    _ schema: UnsafePointer<ArrowSchema>, _ path: String, _ levels: Int, _ left: inout Int
  ) throws(ArrowError) -> ArrowField {
    left -= 1
    guard levels > 0, left > 0 else {
      throw ArrowError(path, "the schema is nested too deep, or has too many fields")
    }
    let source = schema.pointee
    guard let format = source.format else { throw ArrowError(path, "the schema has no format") }
    guard source.n_children >= 0, source.n_children <= left,
      source.n_children == 0 || source.children != nil
    else { throw ArrowError(path, "the schema has no list of its \(source.n_children) children") }
    var children: [ArrowField] = []
    for i in 0..<Int(source.n_children) {
      guard let child = source.children[i] else {
        throw ArrowError(path, "child \(i) of the schema is missing")
      }
      guard child.pointee.release != nil else {
        throw ArrowError(path, "child \(i) of the schema has been released")
      }
      let name = child.pointee.name.map { String(cString: $0) } ?? ""
      children.append(
        try read(child, path.isEmpty ? name : "\(path).\(name)", levels - 1, &left))
    }
    var dictionary: ArrowField?
    if let values = source.dictionary {
      guard values.pointee.release != nil else {
        throw ArrowError(path, "the schema of the dictionary has been released")
      }
      dictionary = try read(values, path, levels - 1, &left)
    }
    var field = try checked(
      source.name.map { String(cString: $0) } ?? "", format: String(cString: format), children,
      dictionary: dictionary, path: path)
    if let name = extensionName(source.metadata), !name.isEmpty { field.apply(extension: name) }
    return field
  }

  /// The name of the extension type in a schema's metadata; nil if there is none. The metadata has
  /// 32-bit counts and lengths, then keys and values.
  private static func extensionName(_ metadata: UnsafePointer<CChar>?) -> String? {
    // SAFETY: Metadata have no length of their own, so a producer that lies about them cannot be
    // detected. Negative counts end the walk. Tests: DamagedFrameTests.damagedSchemas.
    guard let metadata else { return nil }
    var place = UnsafeRawPointer(metadata)
    func text() -> UnsafeRawBufferPointer? {
      let count = Int(place.loadUnaligned(as: Int32.self))
      guard count >= 0 else { return nil }
      defer { place += 4 + count }
      return UnsafeRawBufferPointer(start: place + 4, count: count)
    }
    let pairs = place.loadUnaligned(as: Int32.self)
    place += 4
    guard pairs > 0 else { return nil }
    for _ in 0..<pairs {
      guard let key = text(), let value = text() else { return nil }
      if key.elementsEqual("ARROW:extension:name".utf8) {
        return String(decoding: value, as: UTF8.self)
      }
    }
    return nil
  }
}
