import Testing

@testable import Expressions

@Suite("Several expressions in one program")
struct ProgramBuilderTests {
  /// A mistake is told for every expression that makes it, at its place there.
  @Test func theSamePatternMistakeTwice() {
    var builder = ProgramBuilder(ExpressionEnvironment())
    let ranges = ["user.a.matches('[')", "user.b == 1 || user.a.matches('[')"].map {
      builder.add($0).map { [$0.range?.from ?? -1, $0.range?.to ?? -1] }
    }
    #expect(ranges == [[[16, 17]], [[31, 32]]])
    let program = builder.build()
    #expect(program.entries.count == 2)
  }

  @Test func sharedPartsKeepTheirPlaces() throws {
    var builder = ProgramBuilder(ExpressionEnvironment())
    #expect(builder.add("user.a == 1 + 1").isEmpty)
    #expect(builder.add("user.b == 2 || user.a == 1 + 1").isEmpty)
    let program = builder.build()
    var frame = Frame(for: program)
    try frame.fill(["user": ["b": 3]])
    let error = #expect(throws: EvaluationError.self) {
      try program.evaluate(program.entries[1], in: &frame)
    }
    let range = program.range(of: try #require(error), in: program.entries[1])
    #expect(range == SourceRange(from: 15, to: 30))
    let clauses = program.clauses(of: program.entries[1], in: &frame)
    #expect(clauses.map(\.text) == ["user.b == 2", "user.a == 1 + 1"])
    #expect(clauses.map(\.outcome) == [.false, .failed(.noSuchAttribute)])
    #expect(clauses[1].attributes.map(\.value) == [nil])
  }

  /// Whatever number somebody keeps of an instruction: what is not in the code has no place.
  @Test func instructionsThatAreNotThere() throws {
    var builder = ProgramBuilder(ExpressionEnvironment())
    builder.add("user.a == 1 && user.b.startsWith('x')")
    let program = builder.build()
    let places = (0..<64).map { program.range(ofInstruction: $0, in: program.entries[0]) }
    #expect(places.contains { $0 != nil })
    #expect(places.last == .some(nil))
    #expect(program.range(ofInstruction: .max, in: program.entries[0]) == nil)
  }

  @Test func equalMeaningsShareTheirCode() {
    var builder = ProgramBuilder(ExpressionEnvironment())
    for source in ["user.a > 1", "1 < user.a", "(user.a>1)", "user.a >= 1"] {
      #expect(builder.add(source).isEmpty)
    }
    let starts = builder.build().entries.map(\.start)
    #expect(Set(starts[0...2]).count == 1)
    #expect(starts[3] != starts[0])
  }
}

/// The constants of programs of any size.
@Suite struct LargeProgramTests {
  /// Every text that does not fit into a cell is the pool's own, however many there are.
  @Test func constantsAreOwned() {
    var pool = ConstantPool()
    let size = 1 << 20
    var bytes = [UInt8](repeating: 0x61, count: size)
    var places: [Int] = []
    for number in 0..<70 {
      bytes[0] = UInt8(number)
      bytes.withUnsafeBufferPointer { text in
        let place = pool.intern(text: text)
        places.append(place)
        #expect(pool.cells[place].address != UnsafeRawPointer(text.baseAddress))
        let list = pool.intern(Tag.list, count: 1, of: [pool.cells[place]])
        #expect(pool.cells[list].tag == Tag.list)
      }
    }
    #expect(Set(places).count == 70)
    for (number, place) in places.enumerated() {
      withUnsafePointer(to: pool.cells[place]) { cell in
        #expect(cell.textBytes.count == size && cell.textBytes[0] == UInt8(number))
      }
    }
  }

  /// What stands in no source takes no more than so much, whatever many expressions ask for.
  @Test func foldingHasALimit() {
    var builder = ProgramBuilder(ExpressionEnvironment())
    let folding = ConstantFolding.roomPerProgram
    builder.folding = ConstantFolding(roomInAll: 1 << 18)
    #expect(folding >= 1 << 18)
    for number in 0..<40 { builder.add("lists.range(\(3_000 + number)).size() > user.n") }
    let program = builder.build()
    #expect(program.storage.graph.constants.cells.filter { $0.tag == Tag.list }.count < 10)
    var frame = Frame(for: program)
    try? frame.fill(json: #"{"user":{"n":3020}}"#.utf8)
    let results = program.entries.map { try? program.evaluate($0, in: &frame) }
    #expect(results.map { $0 == .bool(true) } == (0..<40).map { $0 > 20 })
  }
}
