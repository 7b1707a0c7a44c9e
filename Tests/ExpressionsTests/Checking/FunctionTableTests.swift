import Testing

@testable import Expressions

/// Every row of the tables of functions, called as it says.
@Suite struct FunctionTableTests {
  private static let entries = FunctionEntry.named(in: .cel)

  /// A call of a function with so many operands, as residues are written.
  private func call(_ function: Function, operands count: Int) throws -> String {
    let (name, isMethod) = try #require(function.notation)
    let operands = ["user.a", "user.b", "user.c", "user.d", "user.e"].prefix(count)
    let arguments = (isMethod ? operands.dropFirst() : operands).joined(separator: ", ")
    return isMethod ? "user.a.\(name)(\(arguments))" : "\(name)(\(arguments))"
  }

  @Test func everyNameCallsItsFunction() throws {
    for entry in FunctionTableTests.entries {
      for count in [entry.counts.lowerBound, min(entry.counts.upperBound, 5)] {
        let text = try call(entry.function, operands: count)
        let compilation = ExpressionEnvironment().compile(text)
        let program = try #require(compilation.output, "\(text): \(compilation.diagnostics)")
        #expect(program.residue(of: program.entries[0]) == text)
      }
    }
  }

  @Test func otherNumbersOfOperandsAreRefused() throws {
    for entry in FunctionTableTests.entries {
      for count in [entry.counts.lowerBound - 1, entry.counts.upperBound + 1]
      where count >= (entry.function.notation?.isMethod == true ? 1 : 0) && count <= 5 {
        let text = try call(entry.function, operands: count)
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
    let entries = FunctionEntry.named(in: .superscript)
    #expect(entries.count == 17)
    for entry in entries {
      // Residues have the function, where a function and a method are one.
      let count = max(entry.counts.lowerBound, 1)
      let text =
        entry.dialects == .superscript && entry.name != nil
        ? "\(entry.name ?? "")(user.a)" : try call(entry.function, operands: count)
      let compilation = environment.compile(text)
      #expect(compilation.diagnostics.isEmpty, "\(text)")
      let program = try #require(compilation.output)
      #expect(program.residue(of: program.entries[0]) == text)
    }
  }

  @Test func hasFnKnowsWhatTheTableAnnounces() throws {
    let environment = ExpressionEnvironment.superscript(roots: ["user"])
    for (name, function) in Superscript.byName {
      let program = try #require(environment.compile("hasFn('\(name)')").output)
      #expect(try program.evaluate([:]) == .bool(function.row.isAnnounced), "\(name)")
    }
  }

  // MARK: Texts of rows

  /// A signature that cannot be read would make the function unknown.
  @Test func everySignatureIsRead() throws {
    for function in Function.allCases {
      let text = function.row.signatures.description
      let signatures = try #require(FunctionSignature.all(in: text), "\(function): \(text)")
      // Whatever number of operands lies between the least and the most is taken.
      let counts = function.entry.counts
      for count in counts {
        #expect(signatures.contains { $0.counts.contains(count) }, "\(function): \(count)")
      }
      // A name takes the same numbers of operands as a method and as a function.
      if Set(signatures.map(\.isMethod)).count == 2 {
        for isMethod in [true, false] {
          let own = signatures.filter { $0.isMethod == isMethod }.map(\.counts)
          #expect(own.map(\.lowerBound).min() == counts.lowerBound, "\(function)")
          #expect(own.map(\.upperBound).max() == counts.upperBound, "\(function)")
        }
      }
    }
    for row in Macro.allCases.map(\.row) + Superscript.Form.allCases.map(\.row) {
      let text = row.signatures.description
      #expect(FunctionSignature.all(in: text)?.isEmpty == false, "\(text)")
    }
  }

  @Test(arguments: [
    "string.charAt(int)", "charAt(int) ->", "f(int,int) -> int",
    "f(int, ...", "f(..., int) -> int", "f(list) -> int", "f() -> whatever", "f() -> int ",
    "(string|.f() -> int", "",
  ])
  func whatIsNoSignature(text: String) {
    #expect(FunctionSignature(text) == nil)
  }

  @Test func whatASignatureSays() throws {
    let signature = try #require(FunctionSignature("(list(string)|map).f(number, any, ...) -> T"))
    #expect(signature.name == "f" && signature.isMethod && signature.repeatsLast)
    #expect(signature.counts == 3...255)
    #expect(signature.operands[0].types == [TypeSet(.list), TypeSet(.map)])
    #expect(signature.operands[0].elements == TypeSet(.string))
    #expect(signature.operand(1)?.types == .number && signature.operand(9)?.types == .any)
    let space = try #require(FunctionSignature("optional.none() -> optional(T)"))
    #expect(space.name == "optional.none" && !space.isMethod && space.counts == 0...0)
    #expect(space.result.types == TypeSet(.optional) && space.operand(0) == nil)
  }

  /// The example of every function, macro and form, in every dialect that knows it.
  @Test func everyExampleIsTrue() throws {
    for page in FunctionPage.all {
      let name = try #require(page.names.first)
      #expect(page.example.contains(" == "), "\(name)")
      let isCalled = page.names.contains { page.example.contains("\($0)(") }
      #expect(isCalled, "\(name): \(page.example)")
      #expect(!page.dialects.isEmpty, "\(name)")
      for dialect in page.dialects {
        let environment = dialect == .cel ? ExpressionEnvironment() : .superscript()
        let compilation = environment.compile(page.example)
        let program = try #require(compilation.output, "\(name): \(compilation.diagnostics)")
        #expect(compilation.diagnostics.isEmpty, "\(name)")
        #expect(try program.evaluate(["user": [:]]) == true, "\(dialect): \(page.example)")
      }
    }
  }

  @Test func everySummaryIsASentence() {
    for page in FunctionPage.all {
      let summary = page.summary
      #expect(summary.first?.isUppercase == true && summary.hasSuffix("."), "\(summary)")
      #expect(summary.count <= 90, "\(summary)")
      #expect(summary.prefix { $0 != " " }.hasSuffix("s"), "\(summary)")
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
