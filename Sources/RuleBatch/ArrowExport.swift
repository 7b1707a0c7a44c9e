internal import CArrow
internal import CShims
internal import Expressions
internal import RuleEngine

/// Memory that is exported with arrays, and freed with the last of these arrays.
final class ArrowBuffer: @unchecked Sendable {
  // SAFETY: The buffers of a plan are written only in `init`, so batches can share them; others
  // belong to the thread that fills them. `deinit` frees the memory. Tests: FrameOutcomesTests,
  // asan, tsan.

  let start: UnsafeMutableRawPointer
  let count: Int

  /// Memory for this many bytes, all zero.
  init(bytes count: Int) {
    self.count = count
    start = .allocate(byteCount: max(count, 1), alignment: 64)
    start.initializeMemory(as: UInt8.self, repeating: 0, count: max(count, 1))
  }

  /// Memory for elements that are all written before they are read.
  init<Element: BitwiseCopyable>(unwritten count: Int, of _: Element.Type) {
    self.count = count * MemoryLayout<Element>.stride
    start = .allocate(byteCount: max(self.count, 1), alignment: 64)
  }

  convenience init<Element: BitwiseCopyable>(_ elements: [Element]) { self.init(elements[...]) }

  convenience init<Element: BitwiseCopyable>(_ elements: ArraySlice<Element>) {
    self.init(unwritten: elements.count, of: Element.self)
    elements.withUnsafeBytes { bytes in
      if let from = bytes.baseAddress { start.copyMemory(from: from, byteCount: bytes.count) }
    }
  }

  deinit { start.deallocate() }

  /// Prefetches the bytes that are written next, up to the end of the buffer.
  @inline(__always)
  func writeAhead(_ first: Int, count wanted: Int) {
    guard first < count else { return }
    CShims.writeAhead(start + first, count: min(wanted, count &- first))
  }

  func elements<Element: BitwiseCopyable>(of _: Element.Type) -> UnsafeMutablePointer<Element> {
    start.assumingMemoryBound(to: Element.self)
  }
}

/// An Arrow array to export: its buffers, its children, and the values of its codes.
struct ArrowExport: Sendable {
  // SAFETY: The exported structure keeps its `ArrowOwner` alive. Its release callback clears
  // `release` first, so a second call does nothing. Tests: FrameOutcomesTests, asan.

  var count: Int
  /// The buffers, by index. Nil for a buffer that is not needed, for example if no value is NULL.
  var buffers: [ArrowBuffer?]
  var nullCount = 0
  var children: [ArrowExport] = []
  var dictionary: [ArrowExport] = []

  /// Writes the array to the caller's memory. The caller releases it.
  func export(to array: UnsafeMutablePointer<ArrowArray>) {
    let owner = ArrowOwner<ArrowArray>(
      children: children.count, hasDictionary: !dictionary.isEmpty, pointers: buffers.count)
    owner.buffers = buffers.compactMap { $0 }
    for (i, buffer) in buffers.enumerated() {
      owner.pointers[i] = buffer.map { UnsafeRawPointer($0.start) }
    }
    for (i, child) in children.enumerated() {
      if let place = owner.children[i] { child.export(to: place) }
    }
    if let place = owner.dictionary { dictionary[0].export(to: place) }
    array.initialize(
      to: ArrowArray(
        length: Int64(count), null_count: Int64(nullCount), offset: 0,
        n_buffers: Int64(buffers.count), n_children: Int64(children.count),
        buffers: owner.pointers, children: children.isEmpty ? nil : owner.children,
        dictionary: owner.dictionary,
        release: { array in
          guard let array, array.pointee.release != nil else { return }
          array.pointee.release = nil
          ArrowOwner<ArrowArray>.take(array.pointee.private_data)?.end {
            $0.pointee.release?($0)
          }
        }, private_data: owner.opaque))
  }
}

/// A schema to export.
struct ArrowSchemaExport {
  // SAFETY: As for `ArrowExport`; the owner keeps name and format alive. Tests: FrameOutcomesTests,
  // asan.

  var name: String
  var format: String
  var isNullable = true
  var children: [ArrowSchemaExport] = []
  var dictionary: [ArrowSchemaExport] = []

  /// Writes the schema to the caller's memory. The caller releases it.
  func export(to schema: UnsafeMutablePointer<ArrowSchema>) {
    let owner = ArrowOwner<ArrowSchema>(
      children: children.count, hasDictionary: !dictionary.isEmpty, pointers: 0)
    let texts = [name, format].map { ArrowBuffer(Array($0.utf8) + [0]) }
    owner.buffers = texts
    for (i, child) in children.enumerated() {
      if let place = owner.children[i] { child.export(to: place) }
    }
    if let place = owner.dictionary { dictionary[0].export(to: place) }
    schema.initialize(
      to: ArrowSchema(
        format: UnsafePointer(texts[1].elements(of: CChar.self)),
        name: UnsafePointer(texts[0].elements(of: CChar.self)), metadata: nil,
        flags: isNullable ? Int64(ARROW_FLAG_NULLABLE) : 0, n_children: Int64(children.count),
        children: children.isEmpty ? nil : owner.children, dictionary: owner.dictionary,
        release: { schema in
          guard let schema, schema.pointee.release != nil else { return }
          schema.pointee.release = nil
          ArrowOwner<ArrowSchema>.take(schema.pointee.private_data)?.end {
            $0.pointee.release?($0)
          }
        }, private_data: owner.opaque))
  }
}

/// The memory of an exported structure, which lives until the structure is released.
private final class ArrowOwner<Structure: BitwiseCopyable> {
  // SAFETY: Buffers and children live until the structure is released. A child that was moved away
  // has no `release` and is not released again. Tests: FrameOutcomesTests.movedColumns, asan.

  var buffers: [ArrowBuffer] = []
  let pointers: UnsafeMutablePointer<UnsafeRawPointer?>
  let children: UnsafeMutablePointer<UnsafeMutablePointer<Structure>?>
  let dictionary: UnsafeMutablePointer<Structure>?
  private let count: Int

  init(children count: Int, hasDictionary: Bool, pointers number: Int) {
    self.count = count
    pointers = .allocate(capacity: max(number, 1))
    pointers.initialize(repeating: nil, count: max(number, 1))
    children = .allocate(capacity: max(count, 1))
    for i in 0..<count { (children + i).initialize(to: .allocate(capacity: 1)) }
    dictionary = hasDictionary ? .allocate(capacity: 1) : nil
  }

  /// A pointer that retains this object until it is taken back.
  var opaque: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

  static func take(_ pointer: UnsafeMutableRawPointer?) -> ArrowOwner? {
    pointer.map { Unmanaged<ArrowOwner>.fromOpaque($0).takeRetainedValue() }
  }

  /// Releases the children that the consumer has not moved away.
  func end(_ release: (UnsafeMutablePointer<Structure>) -> Void) {
    for i in 0..<count {
      guard let child = children[i] else { continue }
      release(child)
      child.deallocate()
    }
    if let dictionary {
      release(dictionary)
      dictionary.deallocate()
    }
    pointers.deallocate()
    children.deallocate()
  }
}
