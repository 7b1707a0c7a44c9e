import Expressions
import RuleEngine
import RuleInsight
import Testing

@testable import RuleEngine

/// What several find of one place is told once, with what it comes from before what follows.
@Suite struct ConfigCheckTests {
  private static func finding(
    _ code: Diagnostic.Code, _ path: String = "a", _ range: Range<Int>? = nil,
    severity: Diagnostic.Severity = .warning, _ message: String = "m"
  ) -> Diagnostic {
    Diagnostic(
      code, message, severity: severity,
      range: range.map { SourceRange(from: $0.lowerBound, to: $0.upperBound) }, path: path)
  }

  private static func codes(_ diagnostics: Diagnostic...) -> [String] {
    ConfigCheck(diagnostics).diagnostics.map(\.code.rawValue)
  }

  @Test func onceForOnePlace() {
    let type = Self.finding(.typeError, "a", 0..<3)
    #expect(Self.codes(type, type) == ["type-error"])
    #expect(Self.codes(type, Self.finding(.typeError, "a", 0..<4, "n")).count == 2)
    #expect(Self.codes(type, Self.finding(.typeError, "b", 0..<3)).count == 2)
    #expect(Self.codes(type, Self.finding(.badRegex, "a", 0..<3)).count == 2)
    var check = ConfigCheck([type])
    check.add([type, Self.finding(.badRegex, "c"), type])
    #expect(check.diagnostics.map(\.code) == [.typeError, .badRegex])
  }

  /// Of one element decoding may say several things.
  @Test(arguments: [Diagnostic.Code.decodeFailure, .wouldReject, .notAnExport])
  func severalOfAnElement(code: Diagnostic.Code) {
    #expect(Self.codes(Self.finding(code), Self.finding(code)).count == 2)
  }

  /// Differences that are notes are joined with the first of the same message.
  @Test func differences() {
    for code in [Diagnostic.Code.platformDifference, .dialectDifference] {
      func found(_ severity: Diagnostic.Severity, _ message: String) -> [Diagnostic] {
        ConfigCheck([
          Self.finding(code, "a", severity: severity), Self.finding(.typeError, "a"),
          Self.finding(code, "b", severity: severity, message),
          Self.finding(code, "c", severity: severity),
        ]).diagnostics
      }
      let joined = found(.note, "other")
      #expect(joined.map(\.path) == ["a", "a", "b"])
      #expect(joined.map { $0.related.map(\.path) } == [["c"], [], []])
      #expect(joined[0].related[0].message == "here too")
      #expect(found(.note, "m").map { $0.related.map(\.path) } == [["b", "c"], []])
      #expect(found(.warning, "m").count == 4)
    }
  }

  /// A call of a function that there is not is an error whatever the language makes of it.
  @Test func unknownFunctions() {
    let check = ConfigCheck([Self.finding(.unknownFunction)])
    #expect(check.diagnostics.map(\.severity) == [.error])
  }

  /// What is said of a place only because something in it is wrong is left out.
  @Test func consequences() {
    let cause = Self.finding(.typeError, "a", 2..<5, severity: .error)
    for code in [Diagnostic.Code.mayBeMissing, .constantClause, .contradictoryClauses] {
      func isTold(_ path: String, _ range: Range<Int>?, _ cause: Diagnostic) -> Bool {
        Self.codes(Self.finding(code, path, range), cause).contains(code.rawValue)
      }
      #expect(!isTold("a", 2..<5, cause))
      #expect(!isTold("a", 0..<9, cause))
      #expect(isTold("a", 3..<5, cause))
      #expect(isTold("a", 2..<4, cause))
      #expect(isTold("b", 2..<5, cause))
      #expect(isTold("a", nil, cause))
      #expect(isTold("", 2..<5, Self.finding(.typeError, "", 2..<5, severity: .error)))
      #expect(isTold("a", 2..<5, Self.finding(.typeError, "a", severity: .error)))
      #expect(isTold("a", 2..<5, Self.finding(.platformDifference, "a", 2..<5, severity: .error)))
      for other in [Diagnostic.Code.badRegex, .unknownFunction, .valueNotInEnum] {
        #expect(!isTold("a", 2..<5, Self.finding(other, "a", 2..<5, severity: .error)))
      }
      // What is only unusual is still a value, which may be missing.
      let unusual = Self.finding(.typeError, "a", 2..<5)
      #expect(isTold("a", 2..<5, unusual) == (code == .mayBeMissing))
    }
    #expect(Self.codes(Self.finding(.badRegex, "a", 2..<5), cause).count == 2)
  }
}
