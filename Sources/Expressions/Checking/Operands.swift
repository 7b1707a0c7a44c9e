/// The operands of a call, at their place in memory.
struct Operands {
  // SAFETY: There are `count` cells at the pointers, in the frame or in a local array. No function
  // stores them. Tests: AnyOperandsTests, asan.

  private let base: UnsafePointer<Cell>
  private let second: UnsafePointer<Cell>
  let count: Int

  /// Up to two operands at any addresses.
  init(_ a: UnsafePointer<Cell>, _ b: UnsafePointer<Cell>, count: Int) {
    base = a
    second = b
    self.count = count
  }

  /// Consecutive operands.
  init(_ base: UnsafePointer<Cell>, count: Int) {
    self.init(base, base + 1, count: count)
  }

  subscript(i: Int) -> UnsafePointer<Cell> { i == 1 ? second : base + i }

  /// The error for operands that the function does not accept.
  var noOverload: Cell {
    count > 1
      ? Arithmetic.noOverload(self[0].pointee, self[1].pointee)
      : Arithmetic.noOverload(self[0].pointee)
  }
}
