// Names are those of the header.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

internal import CArrow
internal import CShims
internal import CTollgate
internal import Synchronization

/// PyCapsule_GetPointer, which the Python module passes in, so that the library does not link Python.
private typealias GetPointer =
  @convention(c) (
    _ capsule: UnsafeMutableRawPointer, _ name: UnsafePointer<CChar>
  ) -> UnsafeMutableRawPointer?

private let getPointer = Atomic<UInt>(0)

@c @implementation
public func tg_python_setup(_ get_pointer: UnsafeMutableRawPointer?) {
  getPointer.store(UInt(bitPattern: get_pointer), ordering: .releasing)
}

@c @implementation
public func tg_python_allocate(_ bytes: Int) -> UnsafeMutableRawPointer? {
  bytes > 0 ? calloc(1, bytes) : nil
}

/// Releases the contents of a capsule, and frees its memory.
private func end<Structure>(
  _ capsule: UnsafeMutableRawPointer?, _ name: StaticString, _: Structure.Type,
  _ release: (UnsafeMutablePointer<Structure>) -> Void
) {
  // SAFETY: The address is that of PyCapsule_GetPointer, which the module sets before it makes a
  // capsule. Without it nothing is freed. Memory comes from `calloc`. Tests: Tools/python-tests.sh.
  let address = getPointer.load(ordering: .acquiring)
  guard let capsule, let pointer = UnsafeMutableRawPointer(bitPattern: address) else { return }
  let get = unsafeBitCast(pointer, to: GetPointer.self)
  let held = name.withUTF8Buffer { text in
    // Static strings end with a zero byte.
    text.withMemoryRebound(to: CChar.self) { $0.baseAddress.flatMap { get(capsule, $0) } }
  }
  guard let held else { return }
  release(held.assumingMemoryBound(to: Structure.self))
  free(held)
}

@c @implementation
public func tg_python_free_schema(_ capsule: UnsafeMutableRawPointer?) {
  end(capsule, "arrow_schema", ArrowSchema.self) { $0.pointee.release?($0) }
}

@c @implementation
public func tg_python_free_array(_ capsule: UnsafeMutableRawPointer?) {
  end(capsule, "arrow_array", ArrowArray.self) { $0.pointee.release?($0) }
}

@c @implementation
public func tg_python_free_stream(_ capsule: UnsafeMutableRawPointer?) {
  end(capsule, "arrow_array_stream", ArrowArrayStream.self) { $0.pointee.release?($0) }
}
