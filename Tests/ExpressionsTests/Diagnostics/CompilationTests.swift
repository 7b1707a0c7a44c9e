import Expressions
import Testing

@Suite struct CompilationTests {
  @Test func theOutputIsGivenAlsoWithWarnings() throws {
    var environment = ExpressionEnvironment(roots: ["user"])
    environment.allowsUnknownNames = true
    let compiled = environment.compile("usr.plan == 'free' || true")
    #expect(compiled.diagnostics.map(\.severity) == [.warning])
    #expect(try compiled.get().evaluate([:]) == true)
  }

  @Test func theErrorHasEveryDiagnosticInItsOrder() throws {
    let compiled = ExpressionEnvironment().compile("usr.plan == 'free' && devise.os > 3")
    #expect(compiled.diagnostics.count == 2)
    let error = #expect(throws: CompilationError.self) { try compiled.get() }
    #expect(error?.diagnostics == compiled.diagnostics)
  }

  @Test func theErrorShowsEachPlace() throws {
    let error = #expect(throws: CompilationError.self) {
      try ExpressionEnvironment().compile("usr.plan == 'free' && devise.os > 3").get()
    }
    let lines = "\(try #require(error))".split(separator: "\n").map(String.init)
    #expect(lines.filter { $0.hasPrefix("error[unknown-attribute]") }.count == 2)
    #expect(lines.contains("   | ^^^"))
    #expect(lines.contains("   | " + String(repeating: " ", count: 22) + "^^^^^^"))
  }

  @Test func aTemplateIsShownAsWell() throws {
    let error = #expect(throws: CompilationError.self) {
      try TemplateEnvironment().compile("Hi {% if %}").get()
    }
    #expect("\(try #require(error))".contains("   | Hi {% if %}"))
  }
}
