import Expressions
import Testing

@testable import conformance

/// What ends an app's process in one generation of Superwall's evaluator, against what was recorded.
@Suite struct AbortingTests {
  @Test(arguments: SuperscriptVersionCases.behaviors.map(\.key))
  func abortsWhereTheOriginalDoes(version: String) throws {
    let behavior = try #require(
      SuperscriptVersionCases.behaviors.first { $0.key == version }?.value)
    let cases = try CaseFile.read("\(Conformance.corpus)/cases/superscript-versions.jsonl.gz")
    var aborts = 0
    for testCase in cases {
      let outcome = testCase.content["outcomes"]?[version]
      guard let outcome, outcome["hang"] == nil else { continue }
      let name = try #require(testCase.content["context"]?.text)
      let context = try SuperscriptVersionCases.context(name, testCase)
      let source = try #require(testCase.content["expression"]?.text)
      let isAbort = SuperscriptContext(context, behavior: behavior).abortsApp(source)
      #expect(isAbort == (outcome["panic"] == .bool(true)), "\(version) \(testCase.id): \(source)")
      if isAbort { aborts += 1 }
    }
    #expect(aborts > 40)
  }
}
