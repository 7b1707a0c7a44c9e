internal import CArrow
internal import Expressions

/// A part of an array whose counts are consistent with each other and with the array's type. The
/// buffers that a part returns exist and have the required lengths. Only the array itself states
/// the lengths of buffers.
struct ArrowPart {
  // SAFETY: A released array is not read. Lengths and offsets are between 0 and 2^48, children and
  // buffers are as many as the type has and not null, and a child has the rows of its parent.
  // Tests: DamagedFrameTests, ChangedFrameTests, asan.

  private let array: UnsafePointer<ArrowArray>
  private let field: ArrowField
  private let name: String
  /// The number of rows in the buffers before the first row.
  let offset: Int
  let count: Int

  /// The maximum number of rows. More would not fit into any memory, and smaller sums and products
  /// cannot overflow.
  private static let mostRows: Int64 = 1 << 48

  init(
    _ array: UnsafePointer<ArrowArray>, _ field: ArrowField, _ name: String, from: Int,
    count: Int?
  ) throws(ArrowError) {
    self.array = array
    self.field = field
    self.name = name
    // The memory of a released array may be in use by others, so it must not be read.
    guard array.pointee.release != nil else {
      throw ArrowError(name, "the array has been released")
    }
    let source = array.pointee
    guard source.length >= 0, source.offset >= 0, source.length <= ArrowPart.mostRows,
      source.offset <= ArrowPart.mostRows
    else {
      throw ArrowError(
        name, "the array is damaged: it has \(source.length) rows from \(source.offset) on")
    }
    let wanted = count ?? max(Int(source.length) - from, 0)
    guard from + wanted <= Int(source.length) else {
      throw ArrowError(
        name,
        "the array is damaged: it has \(source.length) rows, and its parent \(from + wanted)")
    }
    offset = Int(source.offset) + from
    self.count = wanted
    try checkBuffers(source)
    let children = field.codes == nil ? field.children.count : 0
    guard source.n_children == Int64(children), children == 0 || source.children != nil else {
      throw ArrowError(
        name,
        "the array is damaged: it has \(source.n_children) children, and its type \(children)"
      )
    }
  }

  private func checkBuffers(_ source: ArrowArray) throws(ArrowError) {
    let type = field.codes == nil ? field.type : .integer(.int64)
    let fewest: Int64 = type == .null ? 0 : 2
    let isRight =
      type.bufferCount.map { source.n_buffers == Int64($0) } ?? (source.n_buffers >= fewest)
    guard isRight, source.n_buffers == 0 || source.buffers != nil else {
      throw ArrowError(
        name,
        "the array is damaged: it has \(source.n_buffers) buffers, which is not what "
          + "\(type.name) has")
    }
  }

  private func damaged(_ what: String) -> ArrowError {
    ArrowError(name, "the array is damaged: \(what)")
  }

  /// A valid address that is never read.
  private var nowhere: UnsafeRawPointer { UnsafeRawPointer(array) }

  private func buffer(_ number: Int) throws(ArrowError) -> UnsafeRawPointer {
    if let buffer = array.pointee.buffers[number] { return buffer }
    guard count == 0 else { throw damaged("buffer \(number) is missing") }
    return nowhere
  }

  private func elements<Element: BitwiseCopyable>(
    _ number: Int = 1, more: Int = 0, of _: Element.Type = Element.self
  ) throws(ArrowError) -> ArrowElements<Element> {
    ArrowElements(try buffer(number), from: offset, count: count + more)
  }

  func child(_ number: Int) throws(ArrowError) -> UnsafePointer<ArrowArray> {
    guard let child = array.pointee.children[number] else {
      throw damaged("child \(number) is missing")
    }
    return UnsafePointer(child)
  }

  /// The rows that have a value; nil if all rows have one.
  func validity() throws(ArrowError) -> ArrowBits? {
    let source = array.pointee
    // A dictionary's type is the type of its values. The codes have their own NULLs.
    guard source.n_buffers > 0, source.null_count != 0, field.type != .null || field.codes != nil
    else { return nil }
    guard let bits = source.buffers[0] else {
      if source.null_count > 0 { throw damaged("it has NULLs, but no bitmap that marks them") }
      return nil
    }
    return ArrowBits(bits, from: offset, count: count)
  }

  func integers(_ type: ArrowInteger) throws(ArrowError) -> ArrowColumn.Content {
    switch type {
    case .int8: .int8(try elements())
    case .uint8: .uint8(try elements())
    case .int16: .int16(try elements())
    case .uint16: .uint16(try elements())
    case .int32: .int32(try elements())
    case .uint32: .uint32(try elements())
    case .int64: .int64(try elements())
    case .uint64: .uint64(try elements())
    }
  }

  /// - Parameter tables: memory for lists of buffers.
  func content(_ type: ArrowType, _ tables: inout Arena) throws(ArrowError) -> ArrowColumn.Content {
    switch type {
    case .null: return .nothing
    case .bool: return .bool(ArrowBits(try buffer(1), from: offset, count: count))
    case .integer(let type): return try integers(type)
    case .half: return .half(try elements())
    case .float: return .float(try elements())
    case .double: return .double(try elements())
    case .timestamp(let unit): return .timestamp(try elements(), unitsPerSecond: unit)
    case .list: return .list(try elements(more: 1))
    case .largeList: return .largeList(try elements(more: 1))
    case .map: return .map(try elements(more: 1))
    case .fixedList(let length): return .fixedList(length)
    case .structure: return .structure
    case .text:
      let offsets = try elements(more: 1, of: Int32.self)
      return .text(offsets, try bytes(count == 0 ? 0 : Int(offsets[count])))
    case .largeText:
      let offsets = try elements(more: 1, of: Int64.self)
      return .largeText(offsets, try bytes(count == 0 ? 0 : Int(offsets[count])))
    case .textView: return .textViews(try elements(), try textBuffers(&tables))
    case .other: throw ArrowError(name, "is \(type.name), which is not supported")
    }
  }

  /// The bytes of strings, up to the last offset.
  private func bytes(_ end: Int) throws(ArrowError) -> UnsafePointer<UInt8> {
    guard end >= 0 else { throw ArrowError(name, ArrowColumn.endedOffsets) }
    let bytes = array.pointee.buffers[2] ?? (end == 0 ? nowhere : nil)
    guard let bytes else { throw damaged("buffer 2 is missing") }
    return bytes.assumingMemoryBound(to: UInt8.self)
  }

  /// The buffers that views point into. The last buffer has the lengths of these buffers.
  private func textBuffers(_ tables: inout Arena) throws(ArrowError)
    -> UnsafeBufferPointer<ByteView>
  {
    // SAFETY: The table has a view for each buffer; empty buffers may be null. It lies in the
    // arena, as long as the rows. Tests: DamagedFrameTests, ArrowColumnTests, asan.
    let number = Int(array.pointee.n_buffers) - 3
    // If there are no rows, the buffers are never read.
    guard number > 0, count > 0 else { return UnsafeBufferPointer(start: nil, count: 0) }
    guard number < 1 << 24, let lengths = array.pointee.buffers[number + 2],
      let memory = tables.allocate(number * MemoryLayout<ByteView>.stride)
    else { throw damaged("it lacks the lengths of its \(number) buffers") }
    let table = memory.bindMemory(to: ByteView.self, capacity: number)
    let sizes = ArrowElements<Int64>(lengths, from: 0, count: number)
    for i in 0..<number {
      let start = array.pointee.buffers[i + 2]
      guard sizes[i] >= 0, sizes[i] == 0 || start != nil else {
        throw damaged("buffer \(i + 2) is missing, or has \(sizes[i]) bytes")
      }
      (table + i).initialize(
        to: ByteView(
          start: (start ?? nowhere).assumingMemoryBound(to: UInt8.self), count: Int(sizes[i])))
    }
    return UnsafeBufferPointer(start: table, count: number)
  }

  /// Checks that the child has as many elements as fixed-size lists need.
  func checkElements(_ length: Int, _ elements: ArrowColumn) throws(ArrowError) {
    let (needed, overflow) = (offset + count).multipliedReportingOverflow(by: length)
    guard !overflow, needed <= elements.count else {
      throw damaged("it has \(elements.count) elements for \(count) lists of \(length)")
    }
  }
}
