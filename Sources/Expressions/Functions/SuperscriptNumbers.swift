/// Replaces strings by numbers where an expression of the behavior `skip` reads an attribute.
extension Superscript {
  // SAFETY: Elements and entries are read where their cells say, and copies have room for all of
  // them. Tests: SuperscriptReferenceTests, asan.

  /// A value in which numbers replace numeric strings. Keys do not change, and neither do the strings at some
  /// paths below the value.
  ///
  /// - Parameter keeping: the paths, as a string of ``KeptPaths``.
  static func readNumbers(_ value: Cell, keeping: Cell, in arena: inout Arena) -> Cell {
    guard keeping.isText else { return Arithmetic.noOverload(value, keeping) }
    switch value.tag {
    case Tag.longText, Tag.shortText...:
      return KeptPaths.holdsOwn(keeping) ? value : ValueBinding.number(value)
    case Tag.list, Tag.map:
      return numbers(in: value, KeptPaths.paths(keeping), &arena)
    default: return value
    }
  }

  private static func numbers(in value: Cell, _ kept: [[UInt8]], _ arena: inout Arena) -> Cell {
    switch value.tag {
    case Tag.longText, Tag.shortText...:
      return kept.contains { $0.isEmpty } ? value : ValueBinding.number(value)
    case Tag.list: return collection(value, width: 1, &arena) { _ in kept }
    case Tag.map:
      return collection(value, width: 2, &arena) { key in
        kept.isEmpty || !key.isText
          ? [] : KeptPaths.below(withUnsafePointer(to: key) { Array($0.textBytes) }, among: kept)
      }
    default: return value
    }
  }

  /// A list or map with the last of every `width` cells converted. The collection is copied if a cell changes.
  private static func collection(
    _ value: Cell, width: Int, _ arena: inout Arena, _ kept: (Cell) -> [[UInt8]]
  ) -> Cell {
    guard let start = value.address?.assumingMemoryBound(to: Cell.self) else { return value }
    var copy: UnsafeMutablePointer<Cell>?
    for i in 0..<value.outsideCount {
      let place = width * i + width - 1
      let number = numbers(in: start[place], kept(start[width * i]), &arena)
      guard number.isValue else { return number }
      if number == start[place] { continue }
      if copy == nil {
        guard let cells = arena.cells(width * value.outsideCount) else {
          return Cell(fault: .limitExceeded)
        }
        cells.update(from: start, count: width * value.outsideCount)
        copy = cells
      }
      copy?[place] = number
    }
    return copy.map { Cell(tag: value.tag, count: value.outsideCount, at: $0) } ?? value
  }
}
