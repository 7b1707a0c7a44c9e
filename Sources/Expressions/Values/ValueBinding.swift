/// The conversions of values that are put into a frame. Platforms pass the same data in different ways. The
/// evaluator only sees the converted values.
package struct ValueBinding: Hashable, Sendable {
  /// The treatment of null.
  package enum Null: Hashable, Sendable {
    case kept
    /// Null becomes an empty map, as on iOS.
    case emptyMap
    /// Null is left out of maps and lists, as on the Web.
    case dropped
  }

  /// The strings `true` and `false` become bools, inside lists and maps too.
  package var readsBooleanTexts = false
  /// Numeric strings become numbers, inside lists and maps too. Keys of maps do not change.
  package var readsNumberTexts = false
  package var null = Null.kept
  /// Integers outside 32 bits become unsigned by their bits, as Kotlin's `Long.toULong()` does.
  package var longsAreUnsigned = false
  /// Every `$` is removed from strings, but not from keys.
  package var dropsDollarSigns = false
  /// Doubles without a fraction become ints, because JavaScript does not distinguish them.
  package var wholeDoublesAreInts = false
  /// Members of values that are not maps count as missing, and are not an error.
  package var isLenient = false

  package init() {}

  /// Whether values are not converted.
  package var isPlain: Bool {
    !readsBooleanTexts && !readsNumberTexts && null == .kept && !longsAreUnsigned
      && !dropsDollarSigns
      && !wholeDoublesAreInts
  }
}

extension ValueBinding {
  /// The converted value, or nil if it is dropped.
  package func passed(_ value: Value) -> Value? {
    var arena = Arena(limit: 64 << 20)
    guard let cell = arena.cell(value) else { return nil }
    let bound = bound(cell, in: &arena)
    return bound.isValue ? Value(bound) : nil
  }

  /// The cells of the strings `true` and `false`, as literals: every string is compared with them.
  static var trueText: Cell { Cell(low: 0x65_75_72_74_84, high: 0) }
  static var falseText: Cell { Cell(low: 0x65_73_6C_61_66_85, high: 0) }

  /// Whether strings become other strings or numbers, in addition to bools.
  package var changesTexts: Bool { dropsDollarSigns || readsNumberTexts }

  /// Whether the only conversion of strings is that `true` and `false` become bools.
  var readsTextsPlainly: Bool { readsBooleanTexts && !changesTexts }

  /// A bool for the strings `true` and `false`, otherwise the string itself.
  @inline(__always)
  static func boolean(_ text: Cell) -> Cell {
    if text == trueText { return .true }
    return text == falseText ? .false : text
  }

  /// The number that superscript 1.0.1 to 1.0.12 reads from a string, otherwise the string itself.
  static func number(_ text: Cell) -> Cell {
    // SAFETY: The view of a local cell stays in the closure. Tests: SuperscriptReferenceTests.
    withUnsafePointer(to: text) { RustNumbers.normalized($0.textBytes) } ?? text
  }

  /// The converted value, or ``Cell/missing`` if it is dropped. Lists and maps of the arena are changed in place.
  package func bound(_ cell: Cell, in arena: inout Arena) -> Cell {
    switch cell.tag {
    case Tag.shortText..., Tag.longText: return text(cell, in: &arena)
    case Tag.int:
      guard longsAreUnsigned, Int32(exactly: cell.intValue) == nil else { return cell }
      return Cell(UInt64(bitPattern: cell.intValue))
    case Tag.double:
      guard wholeDoublesAreInts, let whole = Int64(exactly: cell.doubleValue) else { return cell }
      return Cell(whole)
    case Tag.null:
      switch null {
      case .kept: return cell
      case .emptyMap: return Cell(tag: Tag.map, count: 0, at: nil)
      case .dropped: return .missing
      }
    case Tag.list: return collection(cell, width: 1, in: &arena)
    case Tag.map: return collection(cell, width: 2, in: &arena)
    default: return cell
    }
  }

  /// Whether a value may be the result of converting null.
  func isNull(_ cell: Cell) -> Bool {
    cell == .null || null == .emptyMap && cell == Cell(tag: Tag.map, count: 0, at: nil)
  }

  private func text(_ cell: Cell, in arena: inout Arena) -> Cell {
    var cell = cell
    if dropsDollarSigns {
      // SAFETY: The view of a local cell stays in the closure, and the arena copies the bytes.
      // Tests: FrameFillTests, SuperscriptReferenceTests.
      let cleaned = withUnsafePointer(to: cell) { place -> Cell? in
        let dollar = UInt8(ascii: "$")
        guard place.textBytes.contains(dollar) else { return place.pointee }
        return place.textBytes.filter { $0 != dollar }.withUnsafeBufferPointer {
          arena.text(copying: $0)
        }
      }
      // A full arena has no room for the shorter string. The empty string is within every limit. Code that shares
      // the arena with other rows checks `Arena.hasRunOut`.
      cell = cleaned ?? .emptyText
    }
    if readsBooleanTexts { cell = ValueBinding.boolean(cell) }
    return readsNumberTexts && cell.isText ? ValueBinding.number(cell) : cell
  }

  /// Converts elements, or keys and values, and removes the dropped ones.
  private func collection(_ cell: Cell, width: Int, in arena: inout Arena) -> Cell {
    // SAFETY: Changes a list or map in place. It was just read into this arena, no other cell
    // points to it, and the result has at most as many elements. Tests: FrameFillTests,
    // SuperscriptReferenceTests.
    guard let start = cell.address else { return cell }
    let cells = UnsafeMutableRawPointer(mutating: start).assumingMemoryBound(to: Cell.self)
    var kept = 0
    for i in 0..<cell.outsideCount {
      let value = bound(cells[width * i + width - 1], in: &arena)
      guard value.isValue else { continue }
      cells[width * kept] = cells[width * i]
      cells[width * kept + width - 1] = value
      kept += 1
    }
    return Cell(tag: cell.tag, count: kept, at: start)
  }
}

extension Program {
  /// The converted value for a slot that is filled separately, or ``Cell/missing`` if it is dropped.
  package func passed(_ cell: Cell, in arena: inout Arena) -> Cell {
    storage.binding.bound(cell, in: &arena)
  }
}
