import TestSupport
import Testing

@testable import Expressions

/// One reading of a record for several programs.
@Suite struct SharedRowTests {
  private static let sources = [
    #"user.age > 18 && user.plan == "pro" && has(user.tags)"#,
    #"user.age == "25" && user.plan != "" && device.level in ["1"] && params.x == null"#,
  ]

  private static func programs() -> [Program] {
    var programs: [Program] = []
    for behavior in EvaluatorBehavior.allCases {
      for null in [ValueBinding.Null.kept, .emptyMap, .dropped] {
        var binding = ValueBinding()
        binding.null = null
        binding.longsAreUnsigned = null == .emptyMap && behavior == .text
        binding.dropsDollarSigns = null == .dropped && behavior == .raw
        let environment = ExpressionEnvironment.superscript(
          hostFunctions: HostFunctions(), binding: binding, behavior: behavior)
        for source in sources { programs.append(environment.compile(source).output!) }
      }
    }
    return programs
  }

  private static let records = [
    #"{"userId":"a","user":{"age":25,"plan":"pro","tags":["x","1"]},"device":{"level":1}}"#,
    #"{"userId":"b","user":{"age":"25","plan":"true","tags":null},"device":{"level":"1"},"params":{"x":null}}"#,
    #"{"userId":"c","user":{"age":30000000000,"plan":"a $ string of more than 15 bytes"},"device":{}}"#,
    #"{"userId":"d","user":{"age":2.5,"plan":"$7","tags":[null,{"a":null,"b":"12"}]},"device":{"level":"nan"}}"#,
    #"{"userId":"e","user":{"plan":"a\u00e9\n"},"device":{"level":false}}"#,
  ]

  private func describe(_ cell: Cell) -> String {
    cell.isValue ? "\(Value(cell))" : "no value \(cell.tag)"
  }

  /// The cells are those of the general reader, for each program.
  @Test func rowsAreThoseOfEachProgram() throws {
    let programs = Self.programs()
    var shared = SharedRow(
      programs[0].storage.environment, paths: [AttributePath(["device", "platform"])],
      captures: ["userId"], objects: ["user", "device", "params"])
    for program in programs where !shared.includes(program) { shared.include(program) }
    #expect(shared.slot(of: AttributePath(["device", "platform"])) == 0)
    let ending = "\n{\"userId\":\"another one, which is long enough to read on behind the first\"}"
    var filled = 0
    for record in Self.records {
      let bytes = Array(record.utf8) + Array(ending.utf8)
      bytes.withUnsafeBufferPointer { buffer in
        shared.learn(ByteView(rebasing: buffer[..<record.utf8.count]))
        for program in programs {
          // A copy changes the lists of the row, so each program gets its own row.
          guard let row = shared.fill(buffer, slack: 0) else { continue }
          filled += 1
          #expect(row.length == record.utf8.count && row.captures == 1)
          var frame = Frame(for: program)
          #expect(throws: Never.self) { try frame.fill(json: record.utf8) }
          var columns = ColumnFrame(for: program)
          let transfer = shared.transfer(to: program)
          #expect(shared.copy(by: transfer, to: 3, of: &columns))
          for slot in 0..<columns.slotCount {
            #expect(
              describe(columns.cell(slot, row: 3)) == describe(frame.slots[slot]),
              "\(program.sources[0]), \(program.name(ofSlot: slot)): \(record)")
          }
          columns.reset()
        }
      }
    }
    #expect(filled == Self.records.count * programs.count)
    shared.reset()
  }

  /// New attributes take the shapes away.
  @Test func aNewProgramBeginsAgain() {
    let environment = ExpressionEnvironment.superscript(hostFunctions: HostFunctions())
    var shared = SharedRow(environment, paths: [], captures: [], objects: ["user"])
    let first = environment.compile("user.a == 1").output!
    let second = environment.compile("user.b == 1").output!
    shared.include(first)
    #expect(shared.includes(first) && !shared.includes(second))
    let line = Array((#"{"user":{"a":1,"b":2}}"# + String(repeating: "\n", count: 80)).utf8)
    line.withUnsafeBufferPointer { buffer in
      let record = ByteView(rebasing: buffer[..<22])
      shared.learn(record)
      #expect(shared.fill(buffer, slack: 0) != nil)
      shared.include(second)
      #expect(shared.fill(buffer, slack: 0) == nil)
      shared.learn(record)
      #expect(shared.fill(buffer, slack: 0)?.length == 22)
    }
    #expect(
      shared.slot(of: AttributePath(["user", "b"])).map { shared.cell($0) } == Cell(Int64(2)))
  }
}
