internal import CShims
internal import Regex

/// The tests of instructions, computed for all rows of a column together.
///
/// For each row, a test has the same result as in ``Machine``: yes, no, or an error. The same functions are called on
/// the same cells, but here in loops over rows.
enum ColumnTest {
  /// A test whose cost is the same for some rows and for all rows. The result is stored for the whole frame.
  case bool(slot: Int)
  case equalBits(slot: Int, Cell)
  case equalInt(slot: Int, constant: Int)
  case order(Operand, Operand, orEqual: Bool)
  case present(slot: Int)
  case inBits(slot: Int, list: Cell)
  case inSet(slot: Int, set: Int)
  case truthy(slot: Int)
  case compare(Operand, Operand, Superscript.Comparison)

  /// Tests whose cost depends on the values. Such tests are only computed for the rows that need them.
  case equal(Operand, Operand)
  case isIn(Operand, Operand)
  case text(Operand, Operand, TextTest)
  case matches(slot: Int, pattern: Int)
  case call(Operand, Operand, Function)

  enum TextTest: UInt64 { case contains, startsWith, endsWith }

  /// A constant, or the column of a slot.
  struct Operand {
    /// Number of the constant or of the slot.
    var number: Int
    var isConstant: Bool
  }

  /// The identity of a test.
  var key: [UInt64] {
    func number(_ operand: Operand) -> UInt64 {
      UInt64(operand.number) * 2 + (operand.isConstant ? 1 : 0)
    }
    switch self {
    case .bool(let slot): return [0, UInt64(slot)]
    case .equalBits(let slot, let cell): return [1, UInt64(slot), cell.low, cell.high]
    case .equalInt(let slot, let constant): return [2, UInt64(slot), UInt64(constant)]
    case .order(let a, let b, let orEqual): return [orEqual ? 3 : 4, number(a), number(b)]
    case .present(let slot): return [5, UInt64(slot)]
    case .inBits(let slot, let list): return [6, UInt64(slot), list.low, list.high]
    case .inSet(let slot, let set): return [7, UInt64(slot), UInt64(set)]
    case .equal(let a, let b): return [8, number(a), number(b)]
    case .isIn(let a, let b): return [9, number(a), number(b)]
    case .text(let a, let b, let test): return [10 + test.rawValue, number(a), number(b)]
    case .matches(let slot, let pattern): return [13, UInt64(slot), UInt64(pattern)]
    case .truthy(let slot): return [14, UInt64(slot)]
    case .compare(let a, let b, let comparison):
      return [15, number(a), number(b), UInt64(comparison.rawValue)]
    case .call(let a, let b, let function):
      return [16, number(a), number(b), UInt64(function.rawValue)]
    }
  }

  var isCheap: Bool {
    switch self {
    case .bool, .equalBits, .equalInt, .order, .present, .inBits, .inSet, .truthy, .compare: true
    case .equal, .isIn, .text, .matches, .call: false
    }
  }
}

/// Where a test reads an operand: a pointer that moves along a column, or stays at a constant.
struct ColumnOperand {
  // SAFETY: The pointer leads to a column of 512 cells, or to a constant with the stride 0. Both
  // outlive the test. Tests: ConditionColumnsTests.

  let base: UnsafePointer<Cell>
  let stride: Int

  @inline(__always)
  subscript(row: Int) -> UnsafePointer<Cell> { base + row &* stride }

  var isColumn: Bool { stride != 0 }

  /// The operand's int if it is the same in every row, otherwise nil.
  var constantInt: Int64? {
    stride == 0 && base.pointee.tag == Tag.int ? base.pointee.intValue : nil
  }
}

// SAFETY: Vector tests compare the bits of 64 cells, which every column has, and follow no address. Tests that follow
// addresses visit only wanted rows, which are filled. Tests: VectorTests, ConditionColumnsTests, asan.
extension ColumnTest {
  /// The rows for which a test is true (`yes`) or false (`no`). A row whose test fails is in neither.
  struct Verdict {
    var yes: UInt64 = 0
    var no: UInt64 = 0

    @inline(__always)
    mutating func add(_ isTrue: Bool, _ bit: UInt64) {
      let mask = 0 &- UInt64(isTrue ? 1 : 0)
      yes |= bit & mask
      no |= bit & ~mask
    }

    /// Joins the results of tests of different rows.
    func joined(with other: Verdict) -> Verdict {
      Verdict(yes: yes | other.yes, no: no | other.no)
    }
  }

  /// Computes a test for the rows in `wanted`, among the 64 rows of a word.
  @inline(__always)
  private static func rows(
    _ wanted: UInt64, _ first: Int, _ body: (Int, UInt64, inout Verdict) -> Void
  ) -> Verdict {
    var verdict = Verdict()
    if wanted == .max {
      for i in 0..<64 { body(first &+ i, 1 << UInt64(i), &verdict) }
      return verdict
    }
    var left = wanted
    while left != 0 {
      let i = left.trailingZeroBitCount
      body(first &+ i, 1 << UInt64(i), &verdict)
      left &= left &- 1
    }
    return verdict
  }

  /// The rows of a word for which a condition is true. The loop also visits unwanted rows, because a column has cells
  /// for all rows.
  @inline(__always)
  private static func rows(
    _ column: UnsafePointer<Cell>, _ first: Int, _ test: CellTest, mask: UInt64 = .max,
    _ value: UInt64
  ) -> UInt64 {
    testCells(column + first, test, mask: mask, value)
  }

  private static func rows(
    _ column: UnsafePointer<Cell>, _ first: Int, withTag tag: UInt8
  ) -> UInt64 {
    rows(column, first, .lowIs, mask: 0xFF, UInt64(tag))
  }

  /// The rows that have a value.
  static func values(_ column: UnsafePointer<Cell>, _ first: Int) -> UInt64 {
    rows(column, first, .lowIsAtLeast, mask: 0xFF, UInt64(Tag.firstValue))
  }

  /// The rows that have exactly this cell.
  static func rows(
    _ column: UnsafePointer<Cell>, _ first: Int, same cell: Cell
  ) -> UInt64 {
    rows(column, first, .bothAre, mask: cell.low, cell.high)
  }

  static func bool(_ column: UnsafePointer<Cell>, _ wanted: UInt64, _ first: Int) -> Verdict {
    let bools = rows(column, first, withTag: Tag.bool) & wanted
    let yes = rows(column, first, .lowIs, Cell.true.low) & bools
    return Verdict(yes: yes, no: bools & ~yes)
  }

  static func equalBits(
    _ column: UnsafePointer<Cell>, _ constant: Cell, _ wanted: UInt64, _ first: Int
  ) -> Verdict {
    let there = values(column, first) & wanted
    let yes = rows(column, first, same: constant) & there
    return Verdict(yes: yes, no: there & ~yes)
  }

  static func equalInt(
    _ column: UnsafePointer<Cell>, _ constant: UnsafePointer<Cell>, _ wanted: UInt64, _ first: Int
  ) -> Verdict {
    rows(wanted, first) { row, bit, verdict in
      let cell = column[row]
      if cell.tag == Tag.int {
        verdict.add(cell.high == constant.pointee.high, bit)
      } else if cell.isValue {
        verdict.add(Comparing.areEqual(column + row, constant), bit)
      }
    }
  }

  static func order(
    _ a: ColumnOperand, _ b: ColumnOperand, orEqual: Bool, _ wanted: UInt64, _ first: Int
  ) -> Verdict {
    // If one side is a constant, ints need no branches. A loop handles all other types.
    var verdict = Verdict()
    var left = wanted
    if let constant = b.constantInt, a.isColumn {
      verdict = ints(a.base, wanted, first, orEqual ? .highIsAtMost : .highIsLess, constant)
    } else if let constant = a.constantInt, b.isColumn {
      // The constant is less than the int if the int is not less than or equal to the constant.
      verdict = ints(
        b.base, wanted, first, orEqual ? .highIsLess : .highIsAtMost, constant, negated: true)
    }
    left &= ~(verdict.yes | verdict.no)
    if left == 0 { return verdict }
    return verdict.joined(
      with: rows(left, first) { row, bit, verdict in
        let (left, right) = (a[row].pointee, b[row].pointee)
        if left.tag == Tag.int, right.tag == Tag.int {
          let isLess = left.intValue < right.intValue
          verdict.add(isLess || orEqual && left.intValue == right.intValue, bit)
        } else if left.tag >= Tag.shortText, right.tag >= Tag.shortText {
          let order = shortOrder(left, right)
          verdict.add(order < 0 || orEqual && order == 0, bit)
        } else if left.isValue, right.isValue {
          orderSlowly(a[row], b[row], orEqual, bit, &verdict)
        }
      })
  }

  /// A test of ints, for the rows that hold an int.
  @inline(__always)
  private static func ints(
    _ column: UnsafePointer<Cell>, _ wanted: UInt64, _ first: Int, _ test: CellTest,
    _ constant: Int64, negated: Bool = false
  ) -> Verdict {
    let ints = rows(column, first, withTag: Tag.int) & wanted
    let held = rows(column, first, test, UInt64(bitPattern: constant))
    let yes = (negated ? ~held : held) & ints
    return Verdict(yes: yes, no: ints & ~yes)
  }

  /// Compares two short strings; the result is negative, zero or positive. The bytes of the strings are compared as
  /// numbers, most significant byte first. The bytes after a string's end are zero, so two strings that differ only in
  /// zeros at their end differ only in length.
  @inline(__always)
  private static func shortOrder(_ a: Cell, _ b: Cell) -> Int64 {
    let (left, right) = ((a.low >> 8).byteSwapped, (b.low >> 8).byteSwapped)
    if left != right { return left < right ? -1 : 1 }
    if a.high != b.high { return a.high.byteSwapped < b.high.byteSwapped ? -1 : 1 }
    return Int64(a.low & 0x0F) &- Int64(b.low & 0x0F)
  }

  @inline(never)
  private static func orderSlowly(
    _ a: UnsafePointer<Cell>, _ b: UnsafePointer<Cell>, _ orEqual: Bool, _ bit: UInt64,
    _ verdict: inout Verdict
  ) {
    switch Comparing.order(a, b) {
    case .less: verdict.add(true, bit)
    case .equal: verdict.add(orEqual, bit)
    case .greater, .unordered: verdict.add(false, bit)
    case .noOverload: break
    }
  }

  static func truthy(_ column: UnsafePointer<Cell>, _ wanted: UInt64, _ first: Int) -> Verdict {
    rows(wanted, first) { row, bit, verdict in
      let cell = column[row]
      if cell.tag != Tag.undeclared { verdict.add(Superscript.isTruthy(cell), bit) }
    }
  }

  static func compare(
    _ a: ColumnOperand, _ b: ColumnOperand, _ comparison: Superscript.Comparison, _ wanted: UInt64,
    _ first: Int
  ) -> Verdict {
    var verdict = Verdict()
    var left = wanted
    if let constant = b.constantInt, a.isColumn {
      verdict = ints(
        a.base, wanted, first,
        comparison == .less || comparison == .greaterOrEqual ? .highIsLess : .highIsAtMost,
        constant,
        negated: comparison == .greater || comparison == .greaterOrEqual)
      left &= ~(verdict.yes | verdict.no)
    }
    if left == 0 { return verdict }
    return verdict.joined(
      with: rows(left, first) { row, bit, verdict in
        let (left, right) = (a[row].pointee, b[row].pointee)
        if left.tag >= Tag.shortText, right.tag >= Tag.shortText {
          verdict.add(comparison.holds(shortOrder(left, right), 0), bit)
        } else if left.isValue, right.isValue {
          let cell = Superscript.compare(a[row], b[row], comparison)
          if cell.tag == Tag.bool { verdict.add(cell.boolValue, bit) }
        }
      })
  }

  static func call(
    _ a: ColumnOperand, _ b: ColumnOperand, _ function: Function, _ wanted: UInt64, _ first: Int
  ) -> Verdict {
    rows(wanted, first) { row, bit, verdict in
      var work = 0
      let cell = Superscript.test(function, a[row], b[row], &work)
      if cell.tag == Tag.bool { verdict.add(cell.boolValue, bit) }
    }
  }

  static func present(_ column: UnsafePointer<Cell>, _ wanted: UInt64, _ first: Int) -> Verdict {
    let yes = values(column, first) & wanted
    let no = rows(column, first, withTag: Tag.missing) & wanted
    return Verdict(yes: yes, no: no)
  }

  static func inBits(
    _ column: UnsafePointer<Cell>, _ elements: UnsafeBufferPointer<Cell>, _ wanted: UInt64,
    _ first: Int
  ) -> Verdict {
    let there = values(column, first) & wanted
    var yes: UInt64 = 0
    for element in elements { yes |= rows(column, first, same: element) }
    yes &= there
    return Verdict(yes: yes, no: there & ~yes)
  }

  static func inSet(
    _ column: UnsafePointer<Cell>, _ set: borrowing ConstantSet, _ wanted: UInt64, _ first: Int
  ) -> Verdict {
    rows(wanted, first) { row, bit, verdict in
      if column[row].isValue { verdict.add(set.contains(column + row), bit) }
    }
  }

  static func equal(
    _ a: ColumnOperand, _ b: ColumnOperand, _ wanted: UInt64, _ first: Int
  ) -> Verdict {
    rows(wanted, first) { row, bit, verdict in
      if a[row].pointee.isValue, b[row].pointee.isValue {
        verdict.add(Comparing.areEqual(a[row], b[row]), bit)
      }
    }
  }

  static func isIn(
    _ a: ColumnOperand, _ b: ColumnOperand, _ wanted: UInt64, _ first: Int
  ) -> Verdict {
    rows(wanted, first) { row, bit, verdict in
      let cell = CollectionFunctions.contains(b[row], a[row])
      if cell.tag == Tag.bool { verdict.add(cell.boolValue, bit) }
    }
  }

  static func text(
    _ a: ColumnOperand, _ b: ColumnOperand, _ test: TextTest, _ wanted: UInt64, _ first: Int
  ) -> Verdict {
    rows(wanted, first) { row, bit, verdict in
      guard a[row].pointee.isText, b[row].pointee.isText else { return }
      let (text, other) = (a[row].textBytes, b[row].textBytes)
      switch test {
      case .contains: verdict.add(TextFunctions.contains(text, other), bit)
      case .startsWith: verdict.add(TextFunctions.startsWith(text, other), bit)
      case .endsWith: verdict.add(TextFunctions.endsWith(text, other), bit)
      }
    }
  }

  static func matches(
    _ column: UnsafePointer<Cell>, _ pattern: RegexPattern, _ scratch: inout RegexScratch,
    _ wanted: UInt64, _ first: Int
  ) -> Verdict {
    var verdict = Verdict()
    var left = wanted
    while left != 0 {
      let i = left.trailingZeroBitCount
      left &= left &- 1
      let cell = column + first + i
      guard cell.pointee.isText else { continue }
      switch pattern.matches(cell.textBytes, validated: true, scratch: &scratch) {
      case .matched: verdict.yes |= 1 << UInt64(i)
      case .notMatched: verdict.no |= 1 << UInt64(i)
      case .limitExceeded, .invalidUTF8: break
      }
    }
    return verdict
  }
}
