extension Operands {
  /// The error for operands that the function does not accept. If an operand has no value, the first such operand is
  /// the reason.
  var refused: Cell {
    for i in 0..<count where !self[i].pointee.isValue { return Arithmetic.absent(self[i].pointee) }
    return noOverload
  }

  /// The bytes of an operand that is a string.
  func text(_ i: Int) -> ByteView? {
    // SAFETY: The tag is checked before the view is made. A short string is in the operand's
    // cell, which outlives the call. Tests: AnyOperandsTests.neverTraps.
    self[i].pointee.isText ? self[i].textBytes : nil
  }

  /// The value of an operand that is an int.
  func int(_ i: Int) -> Int64? {
    self[i].pointee.tag == Tag.int ? self[i].pointee.intValue : nil
  }

  /// The elements of an operand that is a list.
  func elements(_ i: Int) -> UnsafeBufferPointer<Cell>? {
    // SAFETY: The tag is checked before the view is made. Tests: AnyOperandsTests.neverTraps.
    self[i].pointee.tag == Tag.list ? self[i].pointee.elements : nil
  }
}

/// A bound on recursion.
enum Nesting {
  /// The maximum depth of lists and maps that functions visit. Deeper lists and maps are an error, because the stack of
  /// a thread may be small.
  static let deepest = 256
  /// The maximum depth of lists and maps that are compared or returned as a ``Value``. Contexts and literals
  /// are less deep, but bindings can stack values upon values.
  static let deepestValue = 512
}

extension Cell {
  /// The bytes of a cell that stores them outside: see ``hasBytesOutside``.
  var outsideBytes: ByteView {
    // SAFETY: Count and address were written together. Callers ask only cells whose tag says that
    // bytes are outside. Tests: NetworkTests, VersionsTests.
    ByteView(start: address?.assumingMemoryBound(to: UInt8.self), count: outsideCount)
  }

  /// A list of cells in other memory.
  init(listAt elements: UnsafeBufferPointer<Cell>) {
    self.init(
      tag: Tag.list, count: elements.count, at: UnsafeRawPointer(elements.baseAddress))
  }

  /// The empty list.
  static let emptyList = Cell(tag: Tag.list, count: 0, at: nil)
}
