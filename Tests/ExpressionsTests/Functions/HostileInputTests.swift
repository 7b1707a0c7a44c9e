import Testing

@testable import Expressions

/// What is far too large, too deep or shared too often ends as a fault, soon and within the limit.
@Suite("Extensions under hostile input", .timeLimit(.minutes(30)))
struct HostileInputTests {
  private static let limit = 1 << 20

  private func call(_ function: Function, _ values: [Cell], _ arena: inout Arena) -> Cell {
    values.withUnsafeBufferPointer { values in
      guard let base = values.baseAddress else { return .missing }
      let operands = Operands(base, count: values.count)
      return Calls.call(function, operands, &arena)
    }
  }

  private func list(_ cells: [Cell], _ arena: inout Arena) -> Cell {
    arena.list(of: cells.count) { target in
      for (i, cell) in cells.enumerated() { target[i] = cell }
    }
  }

  private func text(_ text: String, _ arena: inout Arena) -> Cell {
    arena.cell(.string(text)) ?? .missing
  }

  private let exceeded = Cell(fault: .limitExceeded)

  /// A list with itself inside twice, and so on: 2 to the power of `levels` elements.
  private func doubling(_ levels: Int, _ arena: inout Arena) -> Cell {
    (0..<levels).reduce(.emptyList) { inner, _ in list([inner, inner], &arena) }
  }

  private func nested(_ levels: Int, _ arena: inout Arena) -> Cell {
    (0..<levels).reduce(.emptyList) { inner, _ in list([inner], &arena) }
  }

  @Test func sharedLists() {
    var arena = Arena(limit: HostileInputTests.limit)
    let shared = doubling(60, &arena)
    let other = doubling(60, &arena)
    let pair = list([shared, other], &arena)
    #expect(call(.flatten, [shared, Cell(Int64(100))], &arena) == exceeded)
    #expect(call(.distinct, [pair], &arena) == exceeded)
    #expect(call(.setContains, [pair, pair], &arena) == exceeded)
    #expect(call(.setEquivalent, [pair, pair], &arena) == exceeded)
    #expect(call(.setIntersects, [pair, pair], &arena) == exceeded)
    let format = text("%s", &arena)
    #expect(call(.format, [format, pair], &arena) == exceeded)
  }

  @Test func deepLists() {
    var arena = Arena(limit: HostileInputTests.limit)
    let deep = nested(20_000, &arena)
    let pair = list([deep, deep], &arena)
    #expect(call(.flatten, [deep, Cell(Int64.max)], &arena) == exceeded)
    #expect(call(.flatten, [deep], &arena).outsideCount == 1)
    #expect(call(.distinct, [pair], &arena) == exceeded)
    let format = text("%s", &arena)
    #expect(call(.format, [format, pair], &arena) == exceeded)
  }

  @Test func texts() {
    var arena = Arena(limit: HostileInputTests.limit)
    let long = text(String(repeating: "a", count: 1 << 18), &arena)
    let letter = text("a", &arena)
    #expect(call(.replace, [long, letter, long], &arena) == exceeded)
    #expect(call(.replace, [long, .emptyText, long], &arena) == exceeded)
    #expect(call(.split, [long, letter], &arena) == exceeded)
    #expect(call(.split, [long, .emptyText], &arena) == exceeded)
    let many = list(Array(repeating: long, count: 10_000), &arena)
    #expect(call(.join, [many], &arena) == exceeded)
    #expect(call(.join, [many, long], &arena) == exceeded)
    #expect(call(.sort, [many], &arena) == exceeded)
    #expect(call(.distinct, [many], &arena) == exceeded)
    let clauses = text(String(repeating: "%.1000f", count: 10_000), &arena)
    let numbers = list(Array(repeating: Cell(1e300), count: 10_000), &arena)
    #expect(call(.format, [clauses, numbers], &arena) == exceeded)
    #expect(call(.range, [Cell(Int64(1) << 40)], &arena) == exceeded)
  }

  @Test func manyElements() {
    var arena = Arena(limit: HostileInputTests.limit)
    let count = 10_000
    let numbers = list((0..<count).map { Cell(Int64($0 * 7919 % count)) }, &arena)
    #expect(call(.distinct, [numbers], &arena).outsideCount == count)
    #expect(call(.sort, [numbers], &arena).elements.last == Cell(Int64(count - 1)))
    #expect(call(.setEquivalent, [numbers, numbers], &arena) == .true)
    arena.reset()
    let noNumbers = list(Array(repeating: Cell(Double.nan), count: count), &arena)
    #expect(call(.distinct, [noNumbers], &arena).outsideCount == count)
    #expect(call(.setIntersects, [noNumbers, noNumbers], &arena) == .false)
    #expect(call(.sort, [noNumbers], &arena).outsideCount == count)
    arena.reset()
    // All of them are one number as doubles.
    let close = list((0..<count).map { Cell(Int64.max - Int64($0 % 512)) }, &arena)
    #expect(call(.distinct, [close], &arena).outsideCount == 512)
  }

  @Test func maps() {
    var arena = Arena(limit: HostileInputTests.limit)
    let keys = (0..<8000).flatMap { [Cell(Int64($0)), Cell.null] }
    let entries = list(keys, &arena)
    let map = Cell(tag: Tag.map, count: 8000, at: entries.address)
    let copies = list(Array(repeating: map, count: 20), &arena)
    #expect(call(.distinct, [copies], &arena).outsideCount == 1)
    let few = Cell(tag: Tag.map, count: 40, at: entries.address)
    let fewCopies = list(Array(repeating: few, count: 1000), &arena)
    #expect(call(.distinct, [fewCopies], &arena).outsideCount == 1)
  }

  /// Texts are valid UTF-8 where they come in; what if not must not read past an end.
  @Test func brokenTexts() {
    var arena = Arena(limit: HostileInputTests.limit)
    let bytes: [[UInt8]] = [
      [0x80], [0xC3], [0xE3, 0x80], [0xF0, 0x9F, 0x98], [0xFF, 0x80, 0x61],
    ]
    let broken = bytes.compactMap { bytes in bytes.withUnsafeBufferPointer { Cell(short: $0) } }
    let functions: [(Function, Int)] = [
      (.charAt, 1), (.substring, 1), (.indexOf, 0), (.lastIndexOf, 0), (.split, 0), (.replace, 0),
      (.trim, 0), (.reverse, 0), (.quote, 0), (.upperAscii, 0),
    ]
    for text in broken {
      for (function, numbers) in functions {
        let others = numbers > 0 ? [Cell(Int64(1))] : [text, .emptyText]
        _ = call(function, [text] + others, &arena)
        _ = call(function, [text, .emptyText, text], &arena)
      }
      #expect(call(.split, [text, .emptyText], &arena).tag == Tag.list)
    }
  }

  /// A thousand calls need as much memory as one, where the result needs none.
  @Test func nothingIsLeftBehind() {
    var arena = Arena(limit: 1 << 17)
    let numbers = list((0..<1000).map { Cell(Int64($0)) }, &arena)
    let one = list([Cell(Int64(7))], &arena)
    let word = text("A Word", &arena)
    let clauses = text("%d %s", &arena)
    for _ in 0..<1000 {
      #expect(call(.setContains, [numbers, one], &arena) == .true)
      #expect(call(.lowerAscii, [word], &arena) == text("a word", &arena))
      #expect(call(.format, [clauses, numbers], &arena) == text("0 1", &arena))
    }
  }
}
