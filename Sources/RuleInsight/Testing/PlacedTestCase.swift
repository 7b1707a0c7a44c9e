internal import Expressions
package import RuleEngine

/// A test with the place that it stands at.
package struct PlacedTestCase: Sendable {
  package var test: RuleTestCase
  package var file: String
  /// Counted from 1.
  package var line: Int

  /// What tests are from that are in no file.
  package static let standardInput = "standard input"

  package init(test: RuleTestCase, file: String, line: Int) {
    self.test = test
    self.file = file
    self.line = line
  }

  package var place: String { "\(file):\(line)" }

  /// What people find the test by.
  package var title: String { test.name ?? place }

  /// Why the test cannot be run, where the config does not have its placement and it expects one.
  package func placementFault(_ ruleSet: RuleSet) -> String? {
    guard ruleSet.placement(named: test.placement) == nil,
      test.expectation.strings[.result] != "placementNotFound"
    else { return nil }
    let close = Suggestion.closest(to: test.placement, among: ruleSet.placementNames)
    return "\(place): the config has no placement '\(test.placement)'"
      + (close.map { "; did you mean '\($0)'?" } ?? "")
  }
}
