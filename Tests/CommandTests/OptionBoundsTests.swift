import ArgumentParser
import Testing

@testable import tollgate

/// The least and the greatest values that options take, and their neighbours.
@Suite struct OptionBoundsTests {
  static let traffic = ["simulate-traffic", "c.json", "--users", "u"]
  static let fuzz = ["fuzz", "c.json"]
  static let precompute = ["precompute", "c.json", "--users", "u"]

  @Test(
    arguments: [
      (traffic, "--days", ["1", "3660"], ["0", "-1", "3661"]),
      (traffic, "--rate", ["0.001", "666.6"], ["0", "-1", "1000.1", "nan", "inf"]),
      (traffic + ["--days", "20"], "--rate", ["1000"], ["1001"]),
      (traffic + ["--days", "40"], "--rate", ["500"], ["500.1"]),
      (traffic + ["--rate", "1000"], "--days", ["20"], ["21"]),
      (traffic, "--purchase-rate", ["0", "1"], ["-0.1", "1.1", "nan"]),
      (fuzz, "--time", ["0.001", "1000000"], ["0", "-1", "1000001", "nan"]),
      (fuzz, "--runs", ["1", "1000000000"], ["0", "-1", "1000000001"]),
      (fuzz, "--days", ["1", "366"], ["0", "-1", "367"]),
      (["cover", "c.json"], "--fail-under", ["0", "100"], ["-1", "100.5", "nan"]),
      (["fetch", "--key", "pk"], "--timeout", ["1", "3600"], ["0", "-1", "3601"]),
      (precompute, "--threads", ["1", "64"], ["0", "-1"]),
      (precompute, "--checkpoint-every", ["0", "0.5", "999999999"], ["-1", "1e9", "nan", "inf"]),
    ] as [([String], String, [String], [String])])
  func bounds(command: [String], option: String, good: [String], bad: [String]) {
    func problem(_ value: String) -> String? {
      do {
        _ = try TollgateCommand.parseAsRoot(command + [option + "=" + value])
        return nil
      } catch {
        return TollgateCommand.fullMessage(for: error)
      }
    }
    for value in good { #expect(problem(value) == nil, "\(option) \(value)") }
    for value in bad {
      let told = problem(value)
      #expect(
        told?.contains(String(option.dropFirst(2))) == true, "\(option) \(value): \(told ?? "")")
    }
  }

  /// How long the rest of a run takes.
  @Test(arguments: [
    (0, "0:00 left"), (9, "0:09 left"), (10, "0:10 left"), (60, "1:00 left"),
    (3_599, "59:59 left"), (3_600, "1 h 0 min left"), (7_384, "2 h 3 min left"),
  ])
  func timesLeft(seconds: Int, told: String) { #expect(Progress.left(seconds) == told) }
}
