internal import Expressions
package import RuleEngine

/// A test and its position in a file.
package struct PlacedTestCase: Sendable {
  package var test: RuleTestCase
  package var file: String
  /// The line number, counted from 1.
  package var line: Int

  /// The source of tests that do not come from a file.
  package static let standardInput = "standard input"

  package init(test: RuleTestCase, file: String, line: Int) {
    self.test = test
    self.file = file
    self.line = line
  }

  package var place: String { "\(file):\(line)" }

  /// The name of the test in reports.
  package var title: String { test.name ?? place }

  /// The reason why the test cannot run: it expects an outcome at a placement that the config does
  /// not have.
  package func placementFault(_ ruleSet: RuleSet) -> String? {
    guard ruleSet.placement(named: test.placement) == nil,
      test.expectation.strings[.result] != "placementNotFound"
    else { return nil }
    let close = Suggestion.closest(to: test.placement, among: ruleSet.placementNames)
    return "\(place): the config has no placement '\(test.placement)'"
      + (close.map { "; did you mean '\($0)'?" } ?? "")
  }
}
