/// The network extension of CEL: IP addresses and address ranges (CIDR).
///
/// An address is 4 or 16 bytes outside its cell in network order. A range has one more byte for the length of its
/// prefix. An IPv4 address that is written as IPv6 is stored as IPv4, so that equal addresses have equal bytes.
enum Network {
  // SAFETY: Cells hold 4 or 16 bytes, and one more for a prefix. The arena has room for as many.
  // Tests: NetworkTests.

  // MARK: Cells

  static func ip(_ operands: Operands, _ arena: inout Arena) -> Cell {
    guard let text = operands.text(0) else { return operands.refused }
    return NetworkAddress(text).map { cell($0, &arena) } ?? Cell(fault: .conversion)
  }

  static func cidr(_ operands: Operands, _ arena: inout Arena) -> Cell {
    guard let text = operands.text(0) else { return operands.refused }
    return NetworkRange(text).map { cell($0, &arena) } ?? Cell(fault: .conversion)
  }

  static func cell(_ address: NetworkAddress, _ arena: inout Arena) -> Cell {
    let count = address.width / 8
    guard let memory = arena.allocate(count) else { return Cell(fault: .limitExceeded) }
    address.write(to: memory.assumingMemoryBound(to: UInt8.self))
    return Cell(tag: Tag.ip, count: count, at: memory)
  }

  static func cell(_ range: NetworkRange, _ arena: inout Arena) -> Cell {
    let count = range.address.width / 8
    guard let memory = arena.allocate(count + 1) else { return Cell(fault: .limitExceeded) }
    let bytes = memory.assumingMemoryBound(to: UInt8.self)
    range.address.write(to: bytes)
    bytes[count] = UInt8(range.prefix)
    return Cell(tag: Tag.cidr, count: count + 1, at: memory)
  }

  /// The address in a cell that contains an address.
  private static func address(_ cell: Cell) -> NetworkAddress? {
    cell.tag == Tag.ip ? NetworkAddress(bytes: cell.outsideBytes) : nil
  }

  private static func range(_ cell: Cell) -> NetworkRange? {
    guard cell.tag == Tag.cidr, let prefix = cell.outsideBytes.last else { return nil }
    let address = NetworkAddress(bytes: ByteView(rebasing: cell.outsideBytes.dropLast()))
    return NetworkRange(address: address, prefix: Int(prefix))
  }

  /// Appends the string form of an address or a range.
  static func append(_ cell: Cell, to text: inout ByteBuilder, _ arena: inout Arena) {
    if let address = address(cell) { address.append(to: &text, &arena) }
    if let range = range(cell) { range.append(to: &text, &arena) }
  }

  /// The string form of an address (RFC 5952) or of a range, for `string()`.
  static func text(_ cell: Cell, _ arena: inout Arena) -> Cell {
    var text = ByteBuilder(in: &arena)
    append(cell, to: &text, &arena)
    return text.finish(&arena)
  }

  // MARK: Functions

  static func onAddress(_ operands: Operands, _ body: (NetworkAddress) -> Cell) -> Cell {
    address(operands[0].pointee).map(body) ?? operands.refused
  }

  static func onRange(_ operands: Operands, _ body: (NetworkRange) -> Cell) -> Cell {
    range(operands[0].pointee).map(body) ?? operands.refused
  }

  /// Whether the operand is exactly the string form of its address. An operand that is not an address is an error.
  static func isCanonical(_ operands: Operands) -> Cell {
    guard let text = operands.text(0) else { return operands.refused }
    guard let address = NetworkAddress(text) else { return Cell(fault: .conversion) }
    return Cell(address.hasText(text))
  }

  /// Whether a range contains an address. The second operand is the address, or its string form.
  static func containsIP(_ operands: Operands) -> Cell {
    guard let range = range(operands[0].pointee) else { return operands.refused }
    if let text = operands.text(1) {
      guard let address = NetworkAddress(text) else { return Cell(fault: .conversion) }
      return Cell(range.contains(address))
    }
    return address(operands[1].pointee).map { Cell(range.contains($0)) } ?? operands.refused
  }

  /// Whether a range contains another range. The second operand is the other range, or its string form.
  static func containsCIDR(_ operands: Operands) -> Cell {
    guard let outer = range(operands[0].pointee) else { return operands.refused }
    if let text = operands.text(1) {
      guard let inner = NetworkRange(text) else { return Cell(fault: .conversion) }
      return Cell(outer.contains(inner))
    }
    return range(operands[1].pointee).map { Cell(outer.contains($0)) } ?? operands.refused
  }
}
