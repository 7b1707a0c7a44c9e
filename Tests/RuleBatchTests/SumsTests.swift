import Expressions
import Testing

@testable import RuleBatch
@testable import RuleEngine

/// Counts of parts of a batch add up to those of all of it.
@Suite struct SumsTests {
  private static let config = Config.decode(
    superwall: #"{"trigger_options":[{"event_name":"p","rules":[]}]}"#.utf8)

  @Test func talliesAddUp() {
    func tally(_ factor: Int) -> Tally {
      var audience = Tally.Audience(index: 0, experimentID: "e", label: "0")
      audience.reached = 7 * factor
      audience.matched = 6 * factor
      audience.taken = 3 * factor
      audience.heldBack = 2 * factor
      audience.owned = factor
      var placement = Tally.Placement(name: "p", audiences: [audience])
      placement.paywall = 2 * factor
      placement.holdout = factor
      placement.noAudienceMatch = 4 * factor
      placement.placementNotFound = 5 * factor
      placement.error = 8 * factor
      var tally = Tally(placements: [placement])
      tally.users = 9 * factor
      tally.rejected = 10 * factor
      return tally
    }
    var sum = tally(1)
    sum.add(tally(4))
    #expect(sum == tally(5))
  }

  /// Cells of CSV are quoted where somebody would read them otherwise.
  @Test(arguments: [
    ("plain", "plain"), ("a b", "a b"), (" a", "\" a\""), ("a ", "\"a \""), ("a,b", "\"a,b\""),
    ("a\nb", "\"a\nb\""), ("a\rb", "\"a\rb\""), ("a\"b", "\"a\"\"b\""), ("", ""),
  ])
  func cellsOfCSV(text: String, expected: String) {
    var bytes: [UInt8] = []
    var text = text
    text.withUTF8 { OutcomeFragments.append(cell: $0, to: &bytes) }
    #expect(String(decoding: bytes, as: UTF8.self) == expected)
  }

  /// Of messages of one error the first in the alphabet is told, however the input was cut.
  @Test func sumsAddUp() throws {
    let rules = RuleSet.compile(try #require(Self.config.output)).output
    let plan = BatchPlan(try #require(rules), now: 0, assigner: .hash(salt: ""))
    func sums(_ message: String, _ users: Int) -> BatchSums {
      var sums = plan.emptySums
      let error = RuleError(audience: 0, clause: "a", code: "c", path: nil, message: message)
      sums.errors[NamedError(placement: "p", error: error)] =
        .init(users: users, example: "\(message)-1")
      sums.users = users
      sums.rejected = users + 1
      sums.lines = 2 * users + 1
      return sums
    }
    for (first, second) in [("x", "y"), ("y", "x")] {
      var sum = sums(first, 2)
      sum.add(sums(second, 3))
      #expect(sum.users == 5 && sum.rejected == 7 && sum.lines == 12)
      #expect(sum.errors.map(\.key.error.message) == ["x"])
      #expect(sum.errors.map(\.value) == [.init(users: 5, example: "\(first)-1")])
    }
  }
}
