/// What happens to values when they are put into a frame. Platforms hand the same data over in
/// different ways; the evaluator sees only what comes out here.
package struct ValueBinding: Hashable, Sendable {
  /// What becomes of null.
  package enum Null: Hashable, Sendable {
    case kept
    /// An empty map, as on iOS.
    case emptyMap
    /// Left out of maps and lists, as on the Web.
    case dropped
  }

  /// The texts `true` and `false` become bools, inside lists and maps too.
  package var readsBooleanTexts = false
  /// Texts of numbers become numbers, inside lists and maps too; keys of maps stay what they are.
  package var readsNumberTexts = false
  package var null = Null.kept
  /// Integers outside 32 bits become unsigned by their bits, as Kotlin's `Long.toULong()` does.
  package var longsAreUnsigned = false
  /// Every `$` is taken out of texts. Keys keep theirs.
  package var dropsDollarSigns = false
  /// Doubles without a fraction become ints, as JavaScript's numbers cannot tell them apart.
  package var wholeDoublesAreInts = false
  /// What lies behind something that is not a map counts as not there, and not as an error.
  package var isLenient = false

  package init() {}

  /// Whether values go in as they are.
  package var isPlain: Bool {
    !readsBooleanTexts && !readsNumberTexts && null == .kept && !longsAreUnsigned
      && !dropsDollarSigns
      && !wholeDoublesAreInts
  }
}

extension ValueBinding {
  /// What a value becomes on its way into a frame, or nil when it is left out.
  package func passed(_ value: Value) -> Value? {
    var arena = Arena(limit: 64 << 20)
    guard let cell = arena.cell(value) else { return nil }
    let bound = bound(cell, in: &arena)
    return bound.isValue ? Value(bound) : nil
  }

  /// The cells of the texts `true` and `false`, written out: this is asked for every text.
  static var trueText: Cell { Cell(low: 0x65_75_72_74_84, high: 0) }
  static var falseText: Cell { Cell(low: 0x65_73_6C_61_66_85, high: 0) }

  /// Whether texts become others or numbers, beside those that name bools.
  package var changesTexts: Bool { dropsDollarSigns || readsNumberTexts }

  /// Whether nothing happens to texts but that `true` and `false` become bools.
  var readsTextsPlainly: Bool { readsBooleanTexts && !changesTexts }

  /// A text as a bool if it is one's name.
  @inline(__always)
  static func boolean(_ text: Cell) -> Cell {
    if text == trueText { return .true }
    return text == falseText ? .false : text
  }

  /// A text as a number if superscript 1.0.1 to 1.0.12 reads it as one.
  static func number(_ text: Cell) -> Cell {
    // SAFETY: The view of a local cell stays in the closure. Tests: SuperscriptReferenceTests.
    withUnsafePointer(to: text) { RustNumbers.normalized($0.textBytes) } ?? text
  }

  /// What a value becomes; ``Cell/missing`` when it is left out. Lists and maps of the arena are
  /// changed in place.
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

  /// Whether a value is what null becomes.
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
      // A full arena has no room for the shorter text; the empty one is within every limit. Who shares the
      // arena with other rows asks `Arena.hasRunOut`.
      cell = cleaned ?? .emptyText
    }
    if readsBooleanTexts { cell = ValueBinding.boolean(cell) }
    return readsNumberTexts && cell.isText ? ValueBinding.number(cell) : cell
  }

  /// Elements, or keys and values, without those that are left out.
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
  /// What becomes of a value that is put into a slot by hand; ``Cell/missing`` when it is left out.
  package func passed(_ cell: Cell, in arena: inout Arena) -> Cell {
    storage.binding.bound(cell, in: &arena)
  }
}
