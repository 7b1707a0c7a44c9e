import Testing

@testable import Expressions

/// Every row of the tables of functions, called as it says.
@Suite struct FunctionTableTests {
  private static let functions = Function.allCases.filter { $0.row.family != .superscript }

  /// A call of a function with so many operands, as residues are written; nil for what expressions
  /// cannot call.
  private func call(_ function: Function, operands count: Int) -> String? {
    guard let (name, isMethod) = function.notation else { return nil }
    let operands = ["user.a", "user.b", "user.c", "user.d", "user.e"].prefix(count)
    let arguments = (isMethod ? operands.dropFirst() : operands).joined(separator: ", ")
    return isMethod ? "user.a.\(name)(\(arguments))" : "\(name)(\(arguments))"
  }

  @Test func everyNameCallsItsFunction() throws {
    for function in FunctionTableTests.functions {
      let row = function.row
      for count in [row.operands.lowerBound, min(row.operands.upperBound, 5)] {
        guard let text = call(function, operands: count) else { continue }
        let compilation = ExpressionEnvironment().compile(text)
        let program = try #require(compilation.output, "\(text): \(compilation.diagnostics)")
        #expect(program.residue(of: program.entries[0]) == text)
      }
    }
  }

  @Test func otherNumbersOfOperandsAreRefused() {
    for function in FunctionTableTests.functions {
      let row = function.row
      for count in [row.operands.lowerBound - 1, row.operands.upperBound + 1]
      where count >= (function.notation?.isMethod == true ? 1 : 0) && count <= 5 {
        guard let text = call(function, operands: count) else { continue }
        #expect(ExpressionEnvironment().compile(text).output == nil, "\(text)")
      }
    }
  }

  @Test func bothNamesOfAFunctionCallIt() throws {
    let program = try #require(ExpressionEnvironment().compile("user.a.unwrapOpt()").output)
    #expect(program.residue(of: program.entries[0]) == "optional.unwrap(user.a)")
  }

  @Test func everyNameCallsItsFunctionInSuperscript() throws {
    let environment = ExpressionEnvironment.superscript(roots: ["user"])
    #expect(Superscript.byName.count == 13)
    for name in Superscript.byName.keys {
      let compilation = environment.compile("\(name)(user.a)")
      #expect(compilation.diagnostics.isEmpty, "\(name)")
      let program = try #require(compilation.output)
      #expect(program.residue(of: program.entries[0]) == "\(name)(user.a)")
    }
  }

  @Test func hasFnKnowsWhatTheTableAnnounces() throws {
    let environment = ExpressionEnvironment.superscript(roots: ["user"])
    for (name, function) in Superscript.byName {
      let program = try #require(environment.compile("hasFn('\(name)')").output)
      #expect(try program.evaluate([:]) == .bool(function.row.isAnnounced), "\(name)")
    }
  }

  @Test func everyUsageOfAMacroIsOne() {
    let environment = ExpressionEnvironment(roots: [
      "user", "list", "map", "optional", "key", "value",
    ])
    for usage in Macro.allCases.flatMap({ $0.usages.values }) {
      let text = usage.replacing("condition", with: "true")
      #expect(environment.compile(text).output != nil, "\(text)")
    }
  }

  @Test func everyFilterHasAName() {
    let named = Set(LiquidFilters.all.filters.map(\.function))
    for function in (UInt8.min...UInt8.max).compactMap({ LiquidFunction(rawValue: $0) }) {
      let isForTags =
        switch function.row.family {
        case .member, .tag: true
        default: function == .text
        }
      #expect(isForTags || named.contains(function), "\(function)")
    }
  }
}
