extension Operands {
  /// The fault of operands that the function does not take; the first that holds no value says why.
  var refused: Cell {
    for i in 0..<count where !self[i].pointee.isValue { return Arithmetic.absent(self[i].pointee) }
    return noOverload
  }

  /// The bytes of an operand that is a text.
  func text(_ i: Int) -> ByteView? {
    // SAFETY: The tag is checked before the view is made. A short string lies in the operand's
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
  /// Lists and maps inside each other that functions look into. Deeper ones are a fault, because
  /// the stack of a thread may be small.
  static let deepest = 256
  /// Lists and maps inside each other that are compared and handed out as a ``Value``. What a
  /// context holds and an expression writes is less deep; bindings can stack values upon values.
  static let deepestValue = 512
}

extension Cell {
  /// The bytes of a cell that keeps them outside: see ``hasBytesOutside``.
  var outsideBytes: ByteView {
    // SAFETY: Count and address were written together. Callers ask only cells whose tag says that
    // bytes lie outside. Tests: NetworkTests, VersionsTests.
    ByteView(start: address?.assumingMemoryBound(to: UInt8.self), count: outsideCount)
  }

  /// A list of cells that lie outside.
  init(listAt elements: UnsafeBufferPointer<Cell>) {
    self.init(
      tag: Tag.list, count: elements.count, at: UnsafeRawPointer(elements.baseAddress))
  }

  /// A list of nothing.
  static let emptyList = Cell(tag: Tag.list, count: 0, at: nil)
}
