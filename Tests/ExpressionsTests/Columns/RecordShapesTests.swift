import TestSupport
import Testing

@testable import Expressions

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Records of known shapes against the general reader.
@Suite struct RecordShapesTests {
  private static let program = ExpressionEnvironment().compile(
    """
    user.b1 && user.i1 > 1 && user.s1 == "a" && user.l1 == [] && has(user.x1) && user.d1 > 0.5
    && device.m1.b == 1 && device.m1.m.zz == 2 && device.i1 == 3 && params == {} && device.s2 == ""
    """
  ).output!

  private func cells(_ frame: borrowing Frame) -> [String] {
    (0..<Self.program.requirements.count).map { describe(frame.slots[$0]) }
  }

  private func describe(_ cell: Cell) -> String {
    cell.isValue ? "\(Value(cell))" : "no value \(cell.tag)"
  }

  /// Fills by shape, and by the general reader; nil where the shape is not known.
  private func fill(
    _ record: String, _ shapes: inout RecordShapes, _ columns: inout ColumnFrame,
    learns: Bool = true
  ) throws -> (quick: [String]?, general: [String]?) {
    var frame = Frame(for: Self.program)
    var general: [String]?
    do throws(JSONFault) {
      try frame.fill(json: record.utf8)
      general = cells(frame)
    } catch {
      general = nil
    }
    let captured = UnsafeMutablePointer<RecordShapes.Captured>.allocate(capacity: 1)
    defer { captured.deallocate() }
    // Another record follows, so that what is quick only inside a text is quick.
    let next = "\n{\"userId\":\"another one, which is long enough to read on behind the first\"}"
    let bytes = Array(record.utf8) + Array(next.utf8)
    let quick = bytes.withUnsafeBufferPointer { buffer -> [String]? in
      let view = ByteView(rebasing: buffer[..<record.utf8.count])
      columns.reset()
      let end = shapes.fill(buffer, row: 5, of: &columns, captured: captured)?.length
      // Alone on its line, with something behind it that may be read and means nothing.
      let alone = shapes.fill(
        view, slack: buffer.count - view.count, row: 6, of: &columns, captured: captured)?.length
      #expect((alone == nil) == (end == nil) || bytes[..<record.utf8.count].contains(0x0A))
      if let alone {
        #expect(alone <= record.utf8.count)
        for slot in 0..<columns.slotCount where end != nil {
          #expect(describe(columns.cell(slot, row: 6)) == describe(columns.cell(slot, row: 5)))
        }
      }
      if end == nil, general != nil, learns { shapes.learn(view) }
      guard let end else { return nil }
      #expect(end == record.utf8.count || bytes[end] == 0x0A)
      return (0..<columns.slotCount).map { describe(columns.cell($0, row: 5)) }
    }
    return (quick, general)
  }

  @Test(arguments: Extent.some(0..<12))
  func agreesWithTheGeneralReader(seed: UInt64) throws {
    var expressions = RandomExpressions(random: SplitMix(seed: seed &+ 90))
    var random = SplitMix(seed: seed &+ 91)
    var shapes = RecordShapes(for: Self.program, captures: ["userId"], objects: [])
    var columns = ColumnFrame(for: Self.program)
    var known = 0
    for _ in 0..<Extent.count(200, or: 100) {
      var record = expressions.context().json
      for _ in 0..<3 {
        let (quick, general) = try fill(record, &shapes, &columns)
        if let quick {
          known += 1
          #expect(quick == general, "\(record)")
        }
        record = changed(record, &random)
      }
    }
    #expect(known > Extent.count(25, or: 10))
  }

  /// The same record, or one in which a byte is another: often no JSON any more.
  private func changed(_ record: String, _ random: inout SplitMix) -> String {
    guard Bool.random(using: &random), !record.isEmpty else { return record }
    var bytes = Array(record.utf8)
    let at = Int.random(in: 0..<bytes.count, using: &random)
    let others = Array("0123456789\"\\{}[],:.-eEtrue \n".utf8)
    bytes[at] = others[Int.random(in: 0..<others.count, using: &random)]
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: [
    #"{"user":{"i1":7,"s1":"fifteen bytes.."},"device":{"i1":-3}}"#,
    #"{"user":{"i1":12345678901234567,"s1":"sixteen bytes..."},"device":{"i1":1.5}}"#,
    #"{"user":{"i1":1e3,"s1":"esc\n"},"device":{"i1":true}}"#,
    #"{"user":{"i1":01,"s1":"x"},"device":{"i1":false}}"#,
    #"{"user":{"i1":1.5.2,"s1":"x"},"device":{"i1":false}}"#,
    #"{"user":{"i1":-1.5.2,"s1":"x"},"device":{"i1":false}}"#,
    #"{"user":{"i1":12e3e4,"s1":"x"},"device":{"i1":12.}}"#,
    #"{"user":{"i1":true.5,"s1":"x"},"device":{"i1":1}}"#,
    #"{"user":{"i1":7,"s1":"x".5},"device":{"i1":1}}"#,
    #"{"user":{"i1":7,"s1":"x"},"device":{"i1":123456789012345}}"#,
    #"{"user":{"i1":12345678,"s1":"x"},"device":{"i1":01234567}}"#,
    #"{"user":{"i1":0,"s1":"x"},"device":{"i1":0.25}}"#,
    #"{"user":{"i1":0,"s1":"x"},"device":{"i1":1"#,
    #"{"user":{"i1":"é","s1":""},"device":{"i1":null}}"#,
    #"{"user":{"i1":[1,2],"s1":{"a":1}},"device":{"i1":0}}  "#,
    #"{"user":{"i1":1,"s1":"12345678"},"device":{"i1":12}}x"#,
    #"{"user":{"i1":tru,"s1":"1234567"},"device":{"i1":1}}"#,
    #"{"user":{"i1": 5,"s1":"\u0061"},"device":{"i1":9}}"#,
    "{\"user\":{\"i1\":5,\"s1\":\"a\tb\"},\"device\":{\"i1\":9}}",
  ])
  func valuesOfEveryKind(record: String) throws {
    var shapes = RecordShapes(for: Self.program, captures: ["userId"], objects: [])
    var columns = ColumnFrame(for: Self.program)
    _ = try fill(#"{"user":{"i1":1,"s1":"a"},"device":{"i1":2}}"#, &shapes, &columns)
    let (quick, general) = try fill(record, &shapes, &columns)
    if let quick { #expect(quick == general) }
    if general == nil { #expect(quick == nil) }
  }

  /// Fractions and exponents do not make another shape, read or not.
  @Test func numbersOfEveryKindHaveOneShape() throws {
    var shapes = RecordShapes(for: Self.program, captures: ["userId"], objects: [])
    var columns = ColumnFrame(for: Self.program)
    func record(_ number: String, _ other: String) -> String {
      #"{"userId":"a","nobodyReadsThis":\#(other),"user":{"i1":\#(number)},"a key of more than thirty-two bytes":\#(number),"device":{"i1":\#(other)}}"#
    }
    _ = try fill(record("1", "2"), &shapes, &columns)
    let numbers = [
      "0", "1.5", "-3", "1e3", "123456789", "12345678.25", "1234567890123456", "0.5E-2",
    ]
    for number in numbers {
      for other in numbers {
        let (quick, general) = try fill(record(number, other), &shapes, &columns)
        #expect(quick != nil && quick == general, "\(number) \(other)")
      }
    }
  }

  /// Where other rows have taken all memory, the general reader reads the row, and no text is lost.
  @Test func rowsWithoutMemoryAreLeftToTheGeneralReader() throws {
    var environment = ExpressionEnvironment()
    environment.binding.dropsDollarSigns = true
    let program = environment.compile("user.s1 == 'costs 5 a month, billed yearly'").output!
    var shapes = RecordShapes(for: program, captures: ["userId"], objects: [])
    var columns = ColumnFrame(for: program)
    let captured = UnsafeMutablePointer<RecordShapes.Captured>.allocate(capacity: 1)
    defer { captured.deallocate() }
    let record = #"{"userId":"u","user":{"s1":"costs $5 a month, billed yearly"}}"#
    let bytes = Array((record + "\n" + record + record).utf8)
    bytes.withUnsafeBufferPointer { buffer in
      shapes.learn(ByteView(rebasing: buffer[..<record.utf8.count]))
      var filled: [Bool] = []
      for limit in [1 << 20, 16, 1 << 20] {
        columns.arena.limit = limit
        columns.reset()
        filled.append(shapes.fill(buffer, row: 0, of: &columns, captured: captured) != nil)
      }
      #expect(filled == [true, false, true])
    }
  }

  /// What lies behind the 32nd byte of a long key is looked at as well.
  @Test func longKeysDiffer() throws {
    var shapes = RecordShapes(for: Self.program, captures: ["userId"], objects: [])
    var columns = ColumnFrame(for: Self.program)
    func record(_ key: String) -> String { #"{"\#(key)":1,"user":{"i1":2}}"# }
    let key = "a key of more than thirty-two bytes, one"
    #expect(try fill(record(key), &shapes, &columns).quick == nil)
    #expect(try fill(record(key), &shapes, &columns).quick != nil)
    for at in 0..<key.utf8.count {
      var other = Array(key.utf8)
      for byte in [UInt8(ascii: "_"), UInt8(ascii: "\"")] {
        other[at] = byte
        var known = RecordShapes(for: Self.program, captures: ["userId"], objects: [])
        _ = try fill(record(key), &known, &columns)
        let text = record(String(decoding: other, as: UTF8.self))
        #expect(try fill(text, &known, &columns).quick == nil, "\(text)")
      }
    }
  }

  /// Nothing is read behind what may be read: there is no memory.
  @Test func nothingIsReadBehindTheSlack() throws {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let memory = try #require(
      mmap(nil, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0))
    defer { munmap(memory, 2 * page) }
    try #require(mprotect(memory + page, page, PROT_NONE) == 0)
    let records = [
      #"{"userId":"fifteen letters","user":{"i1":1234567,"s1":"fifteen letters"},"device":{"i1":12345678,"s2":"a"}}"#,
      #"{"user":{"i1":123456789012345,"b1":true},"a key of more than thirty-two bytes, the last":12345678901}"#,
      #"{"user":{"s1":"x"},"a key of more than thirty-two bytes, the last":"fifteen letters"}"#,
      #"{"user":{"i1":1.25e3}}"#,
    ]
    var shapes = RecordShapes(for: Self.program, captures: ["userId"], objects: [])
    var columns = ColumnFrame(for: Self.program)
    let captured = UnsafeMutablePointer<RecordShapes.Captured>.allocate(capacity: 1)
    defer { captured.deallocate() }
    for record in records { Array(record.utf8).withUnsafeBufferPointer { shapes.learn($0) } }
    var known = 0
    for record in records.map({ Array($0.utf8) }) {
      for count in 0...record.count {
        for slack in [0, 1, 7, 24, 55, 56, 57, 128] {
          let start = memory + (page - count - slack)
          start.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "1"), count: count + slack)
          start.copyMemory(from: record, byteCount: count)
          columns.reset()
          let text = ByteView(start: start.assumingMemoryBound(to: UInt8.self), count: count)
          let filled = shapes.fill(
            text, slack: slack, row: 0, of: &columns, captured: captured)
          #expect(filled == nil || count == record.count)
          if filled != nil { known += 1 }
        }
      }
    }
    #expect(known >= 3 * records.count)
  }

  @Test func plainRecordsAreKnownTheSecondTime() throws {
    var shapes = RecordShapes(for: Self.program, captures: ["userId"], objects: [])
    var columns = ColumnFrame(for: Self.program)
    let first = #"{"userId":"a","user":{"i1":1,"b1":true},"other":[1],"device":{"m1":{"b":1}}}"#
    let second =
      #"{"userId":"bb","user":{"i1":29,"b1":false},"other":{},"device":{"m1":{"b":"x"}}}"#
    let third = #"{"userId":"bb","user":{"i1":29,"b1":false},"device":{"m1":{"b":"x"}}}"#
    #expect(try fill(first, &shapes, &columns).quick == nil)
    #expect(try fill(second, &shapes, &columns).quick != nil)
    #expect(shapes.unknownKeys(ofShape: shapes.lastShape) == ["other"])
    #expect(try fill(third, &shapes, &columns).quick == nil)
    #expect(try fill(third, &shapes, &columns).quick != nil)
    #expect(shapes.unknownKeys(ofShape: shapes.lastShape) == [])
  }

  /// A member that must be an object is one in every record that goes by a shape, also where the
  /// program does not read it.
  @Test(arguments: ["user", "device", "elsewhere"])
  func objectsAreObjects(member: String) throws {
    var shapes = RecordShapes(
      for: Self.program, captures: ["userId"], objects: ["user", "device", "elsewhere"])
    var columns = ColumnFrame(for: Self.program)
    func record(_ value: String) -> String { #"{"userId":"a","\#(member)":\#(value),"last":1}"# }
    for value in [#"{"i1":1}"#, "null"] {
      #expect(try fill(record(value), &shapes, &columns).quick == nil)
      #expect(try fill(record(value), &shapes, &columns).quick != nil)
      for other in [#""x""#, "[]", "5", "true", "-1.5e3", "nul", #""{}""#] {
        #expect(try fill(record(other), &shapes, &columns, learns: false).quick == nil)
      }
    }
  }

  @Test func learningEnds() throws {
    var shapes = RecordShapes(for: Self.program, captures: ["userId"], objects: [])
    var columns = ColumnFrame(for: Self.program)
    for number in 0..<3_000 {
      _ = try fill(#"{"user":{"key\#(number)":1}}"#, &shapes, &columns)
    }
    #expect(shapes.stepCount <= RecordShapes.mostSteps)
    #expect(shapes.lessons <= RecordShapes.mostLessons)
  }
}
