import CArrow
import Expressions
import RuleBatch
import RuleEngine
import TestSupport
import Testing

/// Random tables of which something random is changed that a producer says of them: an error that says why, or
/// outcomes, and never a trap. What no consumer can find out is left as it is: a buffer that is shorter than
/// the counts say.
@Suite struct ChangedFrameTests {
  @Test(arguments: Extent.some(0..<64) + Extent.some(100..<120)) func arrays(seed: UInt64) throws {
    let sample = try BatchDifferentialTests.Sample(seed: seed, lines: 0)
    var random = SplitMix(seed: seed ^ 0xC4A9)
    let made = RandomTable(seed: seed, rows: Int.random(in: 1...150, using: &random))
    let plan = framePlan(sample.rules, now: 1_772_366_400_000, sample.assigner)
    let good = ArrowTable(made.shape, made.rows, seed: seed)
    var options = FrameColumns.Options()
    options.ignoresMissing = true
    options.null = seed % 3 == 0 ? .null : .missing
    let columns = try FrameColumns(good.field, for: sample.rules, options)
    let worker = FrameWorker(plan, columns)
    let sums = try worker.decide(good.array)
    let wanted = worker.choices
    var failures = 0
    for number in 0..<16 {
      let table = ArrowTable(made.shape, made.rows, seed: seed &+ UInt64(number) &* 1_000)
      var change = ArrayChange(random)
      for _ in 0..<Int.random(in: 1...3, using: &random) { change.apply(to: table) }
      random = change.random
      do throws(ArrowError) {
        _ = try worker.decide(table.array)
      } catch {
        failures += 1
        #expect(!error.reason.isEmpty)
        #expect(worker.choices.isEmpty && worker.count == 0)
      }
      // Whatever that was, it has left nothing behind.
      #expect(try worker.decide(good.array) == sums)
      #expect(worker.choices == wanted)
    }
    // One in so many changes is in what nobody reads.
    #expect(failures < 16)
  }

  @Test(arguments: Extent.some(0..<160)) func schemas(seed: UInt64) throws {
    let sample = try BatchDifferentialTests.Sample(seed: seed % 80, lines: 0)
    let made = RandomTable(seed: seed, rows: 3)
    var random = SplitMix(seed: seed ^ 0x5C4E)
    for number in 0..<40 {
      let table = ArrowTable(made.shape, made.rows, seed: UInt64(number))
      var change = SchemaChange(random)
      for _ in 0..<Int.random(in: 1...3, using: &random) { change.apply(to: table.schema) }
      random = change.random
      do throws(ArrowError) {
        let field = try ArrowField(table.schema)
        var options = FrameColumns.Options()
        options.ignoresMissing = true
        options.hasRows = Bool.random(using: &random)
        options.root = [nil, "user", "device"].randomElement(using: &random)!
        _ = try FrameColumns(field, for: sample.rules, options)
      } catch {
        #expect(!error.reason.isEmpty)
      }
    }
  }

  /// One after the other: what comes of every beginning of a format, in every place that it may have.
  @Test func formatsThatAreCutOff() throws {
    let formats = [
      "tsu:UTC", "tss:", "tsn:Europe/Berlin", "d:38,10,256", "w:42", "+w:3", "+w:-1", "+w:",
      "+w:99999999999999999999", "+w: 3", "+ud:0,1", "+us:", "+vl", "+vL", "+r", "+m", "+s", "+l",
      "+L", "tdD", "ttm", "tDs", "tiM", "vu", "vz", "z", "Z", "tsx:UTC", "ts:", "tsuUTC", "é",
      "n",
      String(repeating: "+l", count: 1_000), "\u{1}", "u ", "U\n",
    ]
    let rules = try ruleSet(wireRule(expression: "user.a == user.b"))
    for format in formats {
      for count in 0...min(format.utf8.count, 30) {
        let bytes = Array(format.utf8.prefix(count)).map { CChar(bitPattern: $0) } + [0]
        for place in 0..<4 {
          let table = ArrowTable(
            .structure([
              ("userId", .text("u")), ("user.a", .list("+l", .number("c"))),
              ("user.b", .dictionary("c", .text("u"))),
            ]), [])
          let children = table.schema.pointee.children!
          let node =
            place < 3
            ? children[place]! : children[1]!.pointee.children[0]!
          bytes.withUnsafeBufferPointer { text in
            node.pointee.format = text.baseAddress
            do throws(ArrowError) {
              _ = try FrameColumns(try ArrowField(table.schema), for: rules)
            } catch {
              #expect(!error.reason.isEmpty && error.message.utf8.count < 300)
            }
            // The same on top.
            table.schema.pointee.format = text.baseAddress
            _ = try? ArrowField(table.schema)
          }
        }
      }
    }
  }

  /// Empty arrays need no buffers, and bits and offsets may be anywhere.
  @Test(arguments: [false, true]) func arraysWithoutBuffers(isMoved: Bool) throws {
    for seed in UInt64(0)..<20 {
      let sample = try BatchDifferentialTests.Sample(seed: seed, lines: 0)
      let made = RandomTable(seed: seed, rows: 0)
      let table = ArrowTable(made.shape, [], isPadded: false)
      for place in ArrayChange.all(table) where place.array.pointee.length == 0 {
        for number in 0..<place.buffers { place.array.pointee.buffers[number] = nil }
        if isMoved, place.children == 0 { place.array.pointee.offset = 1 << 20 }
      }
      var options = FrameColumns.Options()
      options.ignoresMissing = true
      let plan = framePlan(sample.rules, now: 0, sample.assigner)
      let worker = FrameWorker(plan, try FrameColumns(table.field, for: sample.rules, options))
      #expect(try worker.decide(table.array).lines == 0)
    }
  }
}
