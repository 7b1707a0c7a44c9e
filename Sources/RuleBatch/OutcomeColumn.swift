internal import CShims
internal import Expressions
import Expressions
internal import RuleEngine

/// A bit for each row that is not NULL; no bits if no row is NULL.
struct ArrowValidity {
  var bits: ArrowBuffer?
  var nulls = 0

  init() {}

  init(_ isThere: [Bool]) {
    let buffer = ArrowBuffer(bytes: (isThere.count + 7) / 8)
    let bytes = buffer.elements(of: UInt8.self)
    for (row, isThere) in isThere.enumerated() where isThere {
      bytes[row / 8] |= 1 << UInt8(row % 8)
    }
    self.init(buffer, nulls: isThere.count { !$0 })
  }

  /// - Parameter bits: a bit for each row. The bits are dropped if no row is NULL.
  fileprivate init(_ bits: ArrowBuffer, nulls: Int) {
    self.nulls = nulls
    self.bits = nulls == 0 ? nil : bits
  }
}

/// The sets of choices that have a value in a column. Most columns share such a set, a *presence*,
/// with another column.
///
/// The tables here begin with the entry for rows without a choice, so that every row is a plain
/// lookup. An unpredictable branch would take longer than the rest.
struct ChoicePresences: Sendable {
  // SAFETY: Choices come from the plan that the table was made for, or are -1, which is the table's
  // first place. There is a byte for every eight rows. Tests: FrameOutcomesTests, asan.

  /// The choices that have a value, by presence.
  private var known: [[Bool]] = []
  /// A bit for each presence, by choice plus one.
  private var flags: [UInt8]

  /// The maximum number of different presences.
  private static let most = 8

  init(choices: Int) {
    flags = Array(repeating: 0, count: choices + 1)
    _ = number(of: Array(repeating: true, count: choices))
  }

  /// The presence of columns in which every choice has a value.
  static let ofChoice = 0

  /// The number of a presence, which is added if it is new.
  mutating func number(of isThere: [Bool]) -> Int {
    if let number = known.firstIndex(of: isThere) { return number }
    precondition(known.count < ChoicePresences.most, "more presences than a byte has bits")
    known.append(isThere)
    for (choice, isThere) in isThere.enumerated() where isThere {
      flags[choice + 1] |= 1 << UInt8(known.count - 1)
    }
    return known.count - 1
  }

  /// For each presence, the rows that have a value. Eight rows are handled at a time, with their
  /// flags in one word.
  func validities(_ choices: ArraySlice<Int32>) -> [ArrowValidity] {
    let buffers = known.map { _ in
      ArrowBuffer(unwritten: (choices.count + 7) / 8, of: UInt8.self)
    }
    let bytes = buffers.map { $0.elements(of: UInt8.self) }
    var there = known.map { _ in 0 }
    flags.withUnsafeBufferPointer { flags in
      choices.withUnsafeBufferPointer { choices in
        @inline(__always)
        func flagsOf(_ row: Int, count: Int) -> UInt64 {
          var word: UInt64 = 0
          for place in 0..<count {
            word |= UInt64(flags[Int(choices[row &+ place]) &+ 1]) &<< UInt64(8 &* place)
          }
          return word
        }
        var row = 0
        while row < choices.count {
          let left = choices.count &- row
          let word = left >= 8 ? flagsOf(row, count: 8) : flagsOf(row, count: left)
          for presence in bytes.indices {
            let those = word &>> UInt64(presence) & 0x0101_0101_0101_0101
            // Gathers the lowest bits of eight bytes in one byte.
            bytes[presence][row &>> 3] = UInt8(
              truncatingIfNeeded: (those &* 0x0102_0408_1020_4080) &>> 56)
            there[presence] &+= Int((those &* 0x0101_0101_0101_0101) &>> 56)
          }
          row &+= 8
        }
      }
    }
    return zip(buffers, there).map { ArrowValidity($0, nulls: choices.count - $1) }
  }
}

/// A field of all choices, laid out once per plan.
struct OutcomeColumn: Sendable {
  // SAFETY: Choices come from the plan that the tables were made for, or are -1, which is their
  // first place. Sizes are sums of the same lengths. Tests: FrameOutcomesTests.everyLength, asan.

  /// The range of a string in a column's bytes.
  private struct Span: BitwiseCopyable, Sendable {
    var start: Int32 = 0
    var count: Int32 = 0
  }

  /// A string in the form of views, as exported: sixteen bytes.
  fileprivate struct View: BitwiseCopyable, Sendable {
    var first: UInt64 = 0
    var last: UInt64 = 0
  }

  let field: OutcomeField
  /// The number of the column's presence.
  let presence: Int
  /// The concatenated strings, without duplicates.
  let bytes: ArrowBuffer
  let dictionary: [ArrowExport]
  /// For each choice plus one, the number of its string or audience; 0 for a missing value.
  private let numbers: [Int32]
  private let spans: [Span]
  private let views: [View]
  /// The length of the longest string in bytes.
  private let longest: Int

  /// Strings are copied in steps of this many bytes.
  private static let step = 16
  /// The maximum size of strings that are written without counting their bytes first.
  private static let mostUncounted = 1 << 20
  /// The number of bytes to prefetch. With many columns, none of their memory is in the caches.
  private static let ahead = 1024

  init(
    _ field: OutcomeField, _ choices: [BatchPlan.Choice],
    _ presences: inout ChoicePresences
  ) {
    self.field = field
    presence = presences.number(
      of: choices.map { !$0.values.cell(field).isEmpty })

    var texts: [[UInt8]] = []
    var known: [[UInt8]: Int] = [:]
    let places: [Int?] = choices.map { choice in
      let text = Array(choice.values.cell(field).utf8)
      if text.isEmpty { return nil }
      let place = known[text] ?? texts.count
      if place == texts.count { texts.append(text) }
      known[text] = place
      return place
    }
    numbers =
      [0]
      + (field.kind == .integer
        ? choices.map { Int32(clamping: Int($0.values.cell(field)) ?? 0) }
        : places.map { Int32($0 ?? 0) })

    var joined: [UInt8] = []
    var offsets: [Int32] = [0]
    for text in texts {
      joined += text
      offsets.append(Int32(clamping: joined.count))
    }
    spans =
      [Span()]
      + places.map { place in
        place.map { Span(start: offsets[$0], count: offsets[$0 + 1] - offsets[$0]) } ?? Span()
      }
    views =
      [View()]
      + places.map { place in place.map { View(texts[$0], offset: offsets[$0]) } ?? View() }
    longest = texts.reduce(0) { max($0, $1.count) }
    let slack = (longest + Self.step - 1) / Self.step * Self.step
    bytes = ArrowBuffer(joined + Array(repeating: 0, count: max(slack, Self.step)))
    dictionary =
      field.kind == .integer
      ? [] : [ArrowExport(count: texts.count, buffers: [nil, ArrowBuffer(offsets), bytes])]
  }

  /// The numbers of the rows' audiences, or of their strings in ``dictionary``.
  func numbersOf(_ choices: ArraySlice<Int32>) -> ArrowBuffer {
    looked(up: choices, in: numbers)
  }

  func viewsOf(_ choices: ArraySlice<Int32>) -> ArrowBuffer {
    looked(up: choices, in: views)
  }

  private func looked<Element: BitwiseCopyable>(
    up choices: ArraySlice<Int32>, in table: [Element]
  ) -> ArrowBuffer {
    let buffer = ArrowBuffer(unwritten: choices.count, of: Element.self)
    let places = buffer.elements(of: Element.self)
    table.withUnsafeBufferPointer { table in
      choices.withUnsafeBufferPointer { choices in
        for row in 0..<choices.count { places[row] = table[Int(choices[row]) &+ 1] }
      }
    }
    return buffer
  }

  /// The concatenated strings of the rows, and the start of each.
  func textsOf(
    _ choices: ArraySlice<Int32>, _ name: String
  ) throws(ArrowError) -> (offsets: ArrowBuffer, bytes: ArrowBuffer) {
    // SAFETY: Strings are copied in steps of 16 bytes, and both sides have room for the last step.
    // A later row overwrites what goes too far. Tests: FrameOutcomesTests.everyLength, asan.
    let offsets = ArrowBuffer(unwritten: choices.count + 1, of: Int32.self)
    let places = offsets.elements(of: Int32.self)
    let steps = (longest + Self.step - 1) / Self.step
    if steps <= 2, choices.count <= Self.mostUncounted / max(longest, 1) {
      return (offsets, writeUncounted(choices, steps: steps, offsets))
    }
    var total = 0
    spans.withUnsafeBufferPointer { spans in
      choices.withUnsafeBufferPointer { choices in
        places[0] = 0
        for row in 0..<choices.count {
          total &+= Int(spans[Int(choices[row]) &+ 1].count)
          places[row &+ 1] = Int32(truncatingIfNeeded: total)
        }
      }
    }
    guard total <= Int(Int32.max) else {
      throw ArrowError(name, "the outcomes take more than 2 GiB; decide fewer rows at a time")
    }
    // Each string is written in full steps, which may go beyond its end. The next string overwrites
    // the excess.
    let copies = ArrowBuffer(unwritten: total + steps * Self.step, of: UInt8.self)
    let target = UnsafeMutableRawPointer(copies.start)
    spans.withUnsafeBufferPointer { spans in
      choices.withUnsafeBufferPointer { choices in
        let source = UnsafeRawPointer(bytes.start)
        // All strings use the same number of steps, if that is faster than computing it for each.
        switch steps {
        case 0: break
        case 1:
          for row in 0..<choices.count {
            let span = spans[Int(choices[row]) &+ 1]
            Self.copy(source + Int(span.start), target + Int(places[row]))
          }
        case 2:
          for row in 0..<choices.count {
            let from = source + Int(spans[Int(choices[row]) &+ 1].start)
            let to = target + Int(places[row])
            Self.copy(from, to)
            Self.copy(from + Self.step, to + Self.step)
          }
        default:
          for row in 0..<choices.count {
            let span = spans[Int(choices[row]) &+ 1]
            let to = target + Int(places[row])
            var at = 0
            while at < Int(span.count) {
              Self.copy(source + Int(span.start) + at, to + at)
              at &+= Self.step
            }
          }
        }
      }
    }
    return (offsets, copies)
  }

  /// Writes strings of one or two steps into memory for their maximum size.
  private func writeUncounted(
    _ choices: ArraySlice<Int32>, steps: Int, _ offsets: ArrowBuffer
  ) -> ArrowBuffer {
    // SAFETY: The target has room for the longest string in every row, and for the last step.
    // Tests: FrameOutcomesTests.everyLength, asan. A missing string writes a step too.
    let copies = ArrowBuffer(
      unwritten: choices.count * longest + max(steps, 1) * Self.step, of: UInt8.self)
    let source = UnsafeRawPointer(bytes.start)
    let target = UnsafeMutableRawPointer(copies.start)
    let places = offsets.elements(of: Int32.self)
    places[0] = 0
    spans.withUnsafeBufferPointer { spans in
      choices.withUnsafeBufferPointer { choices in
        @inline(__always)
        func write(_ isLong: Bool) {
          var (at, row) = (0, 0)
          while row < choices.count {
            let end = min(row &+ 16, choices.count)
            offsets.writeAhead(row &* 4 &+ Self.ahead, count: 64)
            copies.writeAhead(at &+ Self.ahead, count: 192)
            while row < end {
              let span = spans[Int(choices[row]) &+ 1]
              Self.copy(source + Int(span.start), target + at)
              if isLong {
                Self.copy(source + Int(span.start) + Self.step, target + (at &+ Self.step))
              }
              at &+= Int(span.count)
              row &+= 1
              places[row] = Int32(truncatingIfNeeded: at)
            }
          }
        }
        if steps > 1 { write(true) } else { write(false) }
      }
    }
    return copies
  }

  @inline(__always)
  private static func copy(_ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer) {
    target.storeBytes(of: source.loadUnaligned(as: SIMD16<UInt8>.self), as: SIMD16<UInt8>.self)
  }
}

// SAFETY: A view has 16 bytes: a string of up to 12 bytes behind its length, or four bytes, a
// buffer and an offset. Tests: FrameOutcomesTests.everyLength.
extension OutcomeColumn.View {
  init(_ text: [UInt8], offset: Int32) {
    self.init()
    withUnsafeMutableBytes(of: &self) { memory in
      memory.storeBytes(of: Int32(text.count), as: Int32.self)
      if text.count <= 12 {
        for (i, byte) in text.enumerated() { memory[4 + i] = byte }
      } else {
        for i in 0..<4 { memory[4 + i] = text[i] }
        memory.storeBytes(of: 0, toByteOffset: 8, as: Int32.self)
        memory.storeBytes(of: offset, toByteOffset: 12, as: Int32.self)
      }
    }
  }
}
