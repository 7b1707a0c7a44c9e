import TestSupport
import Testing

@testable import Expressions

/// Limits on size and nesting: a diagnostic, whatever the text, and no overflow of a small stack.
@Suite struct SyntaxLimitTests {
  @Test func sizeOfTheSource() throws {
    var limits = Limits()
    limits.sourceBytes = 10
    #expect(ExpressionEnvironment(limits: limits).compile("true &&  1").diagnostics == [])
    let compiled = ExpressionEnvironment(limits: limits).compile("true && é1")
    #expect(compiled.output == nil)
    #expect(compiled.diagnostics.map(\.code) == [.limitExceeded])
  }

  @Test(arguments: [
    ("(", "1", ")"), ("!", "true", ""), ("[", "1", "]"), ("{1: ", "1", "}"), ("size(", "'a'", ")"),
    ("true ? 1 : ", "1", ""), ("user[", "1", "]"),
  ])
  func nesting(open: String, middle: String, close: String) throws {
    var limits = Limits()
    limits.nesting = 20
    func compile(_ depth: Int) -> Compilation<Program> {
      let text =
        String(repeating: open, count: depth) + middle + String(repeating: close, count: depth)
      return ExpressionEnvironment(limits: limits).compile(text)
    }
    #expect(compile(9).diagnostics == [])
    let tooDeep = compile(21)
    #expect(tooDeep.output == nil)
    #expect(tooDeep.diagnostics.map(\.code) == [.limitExceeded])
    let range = try #require(tooDeep.diagnostics.first?.range)
    #expect(range.from > 0 || range.to > 20 * open.utf8.count)
  }

  /// What is too deep for superscript is a limit, however it gets deep.
  @Test(arguments: [("(", "1", ")"), ("", "user", ".b"), ("", "user", "[0]"), ("!(", "true", ")")])
  func nestingOfSuperscript(open: String, middle: String, close: String) {
    var limits = Limits()
    limits.nesting = 20
    var environment = ExpressionEnvironment.superscript()
    environment.limits = limits
    for (depth, codes) in [(9, []), (30, [.limitExceeded])] as [(Int, [Diagnostic.Code])] {
      let text =
        String(repeating: open, count: depth) + middle + String(repeating: close, count: depth)
      #expect(environment.compile(text).diagnostics.map(\.code) == codes, "\(text)")
    }
  }

  /// Chains are flat: their length is not a nesting.
  @Test(arguments: ["&&", "||"])
  func longChains(operation: String) throws {
    var limits = Limits()
    limits.sourceBytes = 1 << 20
    let text = Array(repeating: "user.b", count: 50_000).joined(separator: operation)
    let program = try #require(ExpressionEnvironment(limits: limits).compile(text).output)
    let value = operation == "&&"
    #expect(try program.evaluate(["user": ["b": .bool(value)]]) == .bool(value))
    #expect(try program.evaluate(["user": ["b": .bool(!value)]]) == .bool(!value))
  }

  /// A long list is not a nesting either, nor are many keys or arguments.
  @Test func longLists() throws {
    let numbers = (0..<10_000).map { "\($0)" }.joined(separator: ",")
    let program = try #require(ExpressionEnvironment().compile("user.i in [\(numbers)]").output)
    #expect(try program.evaluate(["user": ["i": 9_999]]) == true)
    #expect(try program.evaluate(["user": ["i": 10_000]]) == false)
    let entries = (0..<5_000).map { "\($0):0" }.joined(separator: ",")
    let map = try #require(ExpressionEnvironment().compile("{\(entries)}[user.i]").output)
    #expect(try map.evaluate(["user": ["i": 4_999]]) == 0)
  }

  /// What is set higher than 500 counts as 500, however it is set.
  @Test func nestingHasAnEnd() {
    #expect(Limits(nesting: 1_000_000).nesting == 500)
    #expect(Limits(dataNesting: 1_000_000).dataNesting == 500)
    var limits = Limits()
    limits.nesting = 1_000_000
    limits.dataNesting = 1_000_000
    #expect(limits.nesting == 500)
    #expect(limits.dataNesting == 500)
  }

  #if compiler(>=6.2)
    /// Every shape, deeper than any limit, and about as deep as the limit allows.
    private static func compileAll(nesting: Int, depths: [Int]) {
      let environment = ExpressionEnvironment(
        limits: Limits(sourceBytes: 4 << 20, nesting: nesting))
      for depth in depths {
        for text in NestingShapes.texts(depth) {
          guard let program = environment.compile(text).output else { continue }
          _ = try? program.evaluate(["user": ["a": 1, "b": true, "i": 1]])
        }
      }
    }

    @Test func noShapeOverflowsAnOrdinaryStack() async {
      await #expect(processExitsWith: .success) {
        onStack(of: 4 << 20) {
          SyntaxLimitTests.compileAll(
            nesting: 250, depths: [60, 80, 120, 124, 240, 249, 250, 251, 10_000])
          for piece in ["(", "!", "-", "[", "not ", "@", "a."] {
            _ = ExpressionEnvironment().compile(
              String(repeating: piece, count: 100_000 / piece.utf8.count))
          }
        }
      }
    }

    #if !DEBUG
      /// Secondary threads on Apple's platforms have 512 KiB. Unoptimised code takes several times
      /// what optimised code takes, so this holds for the latter.
      @Test func noShapeOverflowsASmallStack() async {
        await #expect(processExitsWith: .success) {
          onStack(of: 512 << 10) {
            SyntaxLimitTests.compileAll(nesting: 250, depths: [80, 124, 249, 250, 10_000])
          }
        }
      }
    #endif

    /// The highest limit that is honoured suits a main thread.
    @Test func theHighestLimitSuitsALargeStack() async {
      await #expect(processExitsWith: .success) {
        onStack(of: 8 << 20) {
          SyntaxLimitTests.compileAll(nesting: .max, depths: [300, 490, 499, 500, 501])
        }
      }
    }
  #endif
}
