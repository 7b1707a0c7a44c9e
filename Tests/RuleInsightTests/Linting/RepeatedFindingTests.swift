import Expressions
import Testing

@testable import RuleEngine
@testable import RuleInsight

/// What is found of one attribute in many places of a condition is told once.
@Suite("Repeated findings")
struct RepeatedFindingTests {
  private func found(_ code: Diagnostic.Code, _ rules: String...) -> [Diagnostic] {
    checked(superwall(rules.joined(separator: ","))).filter { $0.code == code }
  }

  @Test func manyCalls() throws {
    let calls = (0..<200).map { #"user.email.startsWith("a\#($0)")"# }.joined(separator: " || ")
    let findings = found(.mayBeMissing, rule(when: calls))
    let finding = try #require(findings.first)
    #expect(findings.count == 1)
    #expect(finding.message.hasSuffix("(and 199 more places)"))
    #expect(finding.range == SourceRange(from: 0, to: 27))
    #expect(finding.elsewhere.count == 199)
    #expect(finding.elsewhere.first?.from == 31)
  }

  @Test func onePlaceIsToldAsItIs() throws {
    let finding = try #require(
      found(.mayBeMissing, rule(when: #"user.email.startsWith("a")"#)).first)
    #expect(!finding.message.contains("more place"))
    #expect(finding.elsewhere.isEmpty)
  }

  /// Attributes, and audiences, are told one by one.
  @Test func apart() {
    let two = #"user.email.startsWith("a") || user.name.endsWith("b") || user.email.endsWith("c")"#
    let findings = found(.mayBeMissing, rule(when: two), rule(when: two, id: "f"))
    #expect(findings.map(\.elsewhere.count) == [1, 1, 0, 0])
    #expect(findings[0].message.contains("(and 1 more place)"))
    #expect(findings[0].notes.contains { $0.contains("endsWith()") })
    #expect(Set(findings.map(\.path)).count == 2)
  }

  @Test(arguments: [
    ("unknown-attribute", #"device.regionCod == "US" || device.regionCod == "DE""#),
    ("value-not-in-enum", #"device.platform == "ANDROID" || device.platform == "IOS""#),
    ("text-order", #"device.appVersion >= "3.10.0" && device.appVersion < "4.10.0""#),
    ("type-error", #"device.daysSinceInstall == "x" || device.daysSinceInstall == "y""#),
    ("never-bool", #"(device.platform && user.a == 1) || (device.platform && user.b == 1)"#),
    ("escape", #"user.a == "\'" || user.b == "\'""#),
  ])
  func everyCode(_ code: String, _ condition: String) throws {
    let findings = found(Diagnostic.Code(rawValue: code), rule(when: condition))
    #expect(findings.count == 1)
    #expect(findings.first?.elsewhere.count == 1)
  }

  /// One fix for all places, of those that are safe; of two that touch, the first.
  @Test func oneFixOfMany() throws {
    func finding(_ from: Int, _ to: Int, isSafe: Bool = true) -> Diagnostic {
      let range = SourceRange(from: from, to: to)
      return Diagnostic(
        .escape, "message \(from)", severity: .warning, range: range, path: "p",
        fix: Diagnostic.Fix([.init(range, "\(from)")], isSafe: isSafe), subject: "s")
    }
    func texts(_ findings: Diagnostic...) -> [String]? {
      let joined = RepeatedFindings.joined(findings)
      #expect(joined.count == 1)
      return joined.first?.fix?.edits.map(\.text)
    }
    #expect(texts(finding(0, 3), finding(3, 5), finding(6, 8)) == ["0", "6"])
    #expect(texts(finding(6, 8), finding(0, 3), finding(4, 7)) == ["0", "4"])
    #expect(texts(finding(0, 3, isSafe: false), finding(4, 5), finding(6, 8)) == ["4", "6"])
    #expect(
      texts(finding(4, 5, isSafe: false), finding(0, 3, isSafe: false)) == ["0", "4"])
  }

  /// Different words have different corrections, and none is lost.
  @Test func otherMessagesAreNotes() throws {
    let condition = #"device.platform == "ANDROID" || device.platform == "IOS""#
    let finding = try #require(found(.valueNotInEnum, rule(when: condition)).first)
    #expect(finding.message.contains(#""ANDROID""#))
    #expect(finding.notes.contains { $0.contains(#""IOS""#) && $0.contains(#""iOS""#) })
    #expect(finding.fix?.edits.map(\.text) == [#""Android""#, #""iOS""#])
    #expect(finding.fix?.isSafe == true)
  }
}
