import Expressions
import Testing

@testable import RuleEngine
@testable import RuleInsight

/// Which values expressions are tried with: the plain ones first, alone before together.
@Suite struct SampleSetTests {
  private func text(_ combinations: [[Value?]]) -> [String] {
    combinations.map { $0.map { $0.map(\.json) ?? "-" }.joined(separator: " ") }
  }

  @Test func allCombinations() {
    let found = SampleSet.combinations(of: [[1, 2], ["a"]], limit: 100)
    #expect(text(found) == ["- -", "1 -", "- \"a\"", "2 -", "1 \"a\"", "2 \"a\""])
    #expect(text(SampleSet.combinations(of: [[1, 2], ["a"]], limit: 6)).count == 6)
  }

  /// Half of the room is for attributes that have the same value, or all of them but one.
  @Test func moreCombinationsThanAreTried() {
    let numbers: [Value] = [1, 2, 3]
    #expect(
      text(SampleSet.combinations(of: [numbers, numbers], limit: 8))
        == ["- -", "1 -", "- 1", "2 -", "1 1", "1 1", "2 1", "3 1"])
    #expect(
      text(SampleSet.combinations(of: [[1, 2], [3]], limit: 5))
        == ["- -", "1 -", "- 3", "1 1", "2 1"])
  }

  @Test func kindsTakeTurns() {
    let values: [Value] = [1, 2, "a", true, 3, "b", .list([]), .double(1.5), .double(2.5)]
    #expect(
      SampleSet.interleaved(values).map(\.json)
        == ["1", "\"a\"", "true", "[]", "1.5", "2", "\"b\"", "2.5", "3"])
  }

  @Test func pathsThatLeadThroughOthers() {
    let paths = [["user"], ["user", "a"], ["user", "a", "b"], ["user", "c"], ["params"]]
    #expect(
      SampleSet.leaves(of: paths.map { AttributePath($0) }).map(\.names)
        == [["user", "a", "b"], ["user", "c"], ["params"]])
  }

  /// One attribute is not there once, and has each of its values once, in each history.
  @Test func samplesOfOneAttribute() {
    let path = AttributePath(["user", "a"])
    func samples(_ limit: Int) -> [String] {
      SampleSet(
        attributes: [path], histories: [[], [("e", [5])]], limit: limit, values: { _ in [1, 2, 3] }
      ).all.map { sample in
        (sample.values[0].value?.json ?? "-") + sample.events.map(\.name).joined()
      }
    }
    #expect(samples(8) == ["-", "1", "2", "3", "-e", "1e", "2e", "3e"])
    #expect(samples(5) == ["-", "1", "2", "-e", "1e"])
    #expect(samples(1) == ["-"])
  }

  @Test func historiesOfQuestions() {
    let questions = ["seen", "", "seen", "bought"].map {
      HostQuestion(function: "count", argument: .text($0))
    }
    #expect(SampleSet.histories(for: [], [.int(3)]).map(\.count) == [0])
    let histories = SampleSet.histories(for: questions, [.int(0), .int(2), .int(101), .int(100)])
    #expect(
      histories.map { $0.map { "\($0.name) \($0.minutesAgo.count)x\($0.minutesAgo[0])" } }
        == [[]]
        + [5, 125, 1_560, 11_520, 57_600, 576_000].map { ["seen 1x\($0)", "bought 1x\($0)"] }
        + [2, 3, 100, 101].map { ["seen \($0)x5", "bought \($0)x5"] } + [["trigger_fire 1x5"]])
  }
}
