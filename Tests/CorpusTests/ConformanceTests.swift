import Foundation
import Testing

@testable import conformance

/// The command `conformance`: exit codes, results, counts.
@Suite struct ConformanceTests {
  private func line(_ expected: String, id: String = "x", suite: String = "tollgate-expressions")
    -> String
  {
    #"{"suite":"\#(suite)","id":"\#(id)","expression":"1 + 1","context":{},"expect":{"value":\#(expected)}}"#
      + "\n"
  }

  @Test func failuresAreToldFromFilesThatCannotRun() throws {
    let folder = try CaseFolder()
    let right = try folder.write("right.jsonl", line("2"))
    let wrong = try folder.write("wrong.jsonl", line("3"))
    let typed = try folder.write("typed.jsonl", line(#"{"$float":2.0}"#))
    let broken = try folder.write("broken.jsonl", "{\"id\":1}\n")
    #expect(Conformance.run(right).code == 0)
    let failed = Conformance.run(wrong)
    #expect(failed.code == 1)
    #expect(
      failed.output == """
        FAILED tollgate-expressions x (\(wrong):1)
          expected {"value":3}
          got      {"value":2}
        0 passed, 1 failed, 0 skipped

        """)
    #expect(Conformance.run(typed).code == 1)
    #expect(Conformance.run(broken).code == 2)
    #expect(Conformance.run(folder.path + "/nothing").code == 2)
    let whole = Conformance.run(folder.path)
    #expect(whole.code == 2)
    #expect(whole.lines.last == "1 passed, 2 failed, 0 skipped")
  }

  @Test func wrongUse() throws {
    for arguments in [[], ["--cuonts", "x"], ["--counts"], ["x.jsonl", "--update-counts"]] {
      let result = Conformance.run(arguments)
      #expect(result.code == 2 && result.output == "", "\(arguments)")
      #expect(result.errors.lowercased().contains("usage: conformance"), "\(result.errors)")
    }
    for command in ["--help", "help"] { #expect(Conformance.run(command).code == 0) }
    #expect(Conformance.run("--help").output.contains("serve"))
  }

  // MARK: Results

  private let result =
    #"{"suite":"tollgate-expressions","id":"x","verdict":"failed","expected":{"value":3},"got":{"value":2}}"#
    + "\n"

  /// Wherever `--json` stands, results are all that standard output gets.
  @Test func resultsArePrinted() throws {
    let folder = try CaseFolder()
    let cases = try folder.write("cases.jsonl", line("3"))
    let more = try folder.write("more.jsonl", line("2"))
    let printed = Conformance.run(cases, "--json")
    #expect(printed.code == 1)
    #expect(printed.output == result)
    #expect(printed.errors == "0 passed, 1 failed, 0 skipped\n")
    let first = Conformance.run("--json", cases, more)
    #expect(first.code == 1)
    #expect(first.output.hasPrefix(result) && first.output.split(separator: "\n").count == 2)
    #expect(folder.text("more.jsonl") == line("2"))
  }

  // MARK: Counts

  private let skipped =
    #"{"suite":"cel","id":"s","expr":"1","skip":"why","expect":{"value":{"int":"1"}}}"# + "\n"

  /// Each suite has exactly the recorded counts, whatever the sum is.
  @Test func countsAreCompared() throws {
    let folder = try CaseFolder()
    let counts = folder.path("counts.json")
    let cases = try folder.write("cases.jsonl", line("2") + skipped)
    func run(_ arguments: String...) -> Conformance.Result {
      arguments.isEmpty
        ? Conformance.run(cases, "--counts", counts)
        : Conformance.run(cases, "--counts", counts, arguments[0])
    }
    let missing = run()
    #expect(missing.code == 2 && missing.errors.contains("counts.json"))
    #expect(run("--update-counts").code == 0)
    #expect(
      folder.text("counts.json") == """
        {
          "cel": {"passed": 0, "skipped": 1},
          "tollgate-expressions": {"passed": 1, "skipped": 0}
        }

        """)
    let same = run()
    #expect(same.code == 0 && same.errors == "")
    try folder.write("cases.jsonl", line("2") + line("2", id: "y"))
    let other = run()
    #expect(other.code == 1)
    #expect(other.errors.contains("cel: no cases, where 0 passed and 1 skipped are recorded"))
    #expect(
      other.errors.contains(
        "tollgate-expressions: 2 passed and 0 skipped, where 1 passed and 0 skipped are recorded"))
    #expect(other.lines.last == "2 passed, 0 failed, 0 skipped")
    // What fails is never recorded.
    let recorded = folder.text("counts.json")
    try folder.write("cases.jsonl", line("2") + line("3"))
    let failing = run("--update-counts")
    #expect(failing.code == 2 && failing.errors.contains("is unchanged"))
    #expect(folder.text("counts.json") == recorded)
    for text in ["", "{", #"{"cel":{"passed":1}}"#, #"{"cel":{"passed":1,"skipped":"2"}}"#] {
      try folder.write("counts.json", text)
      #expect(run().code == 2, "\(text)")
    }
  }

  // MARK: The table

  /// A line for each suite, also for one that has no cases any more, and what is recorded beside it.
  @Test func tableOfSuites() throws {
    let folder = try CaseFolder()
    let counts = folder.path("counts.json")
    let cases = try folder.write("cases.jsonl", line("2") + line("3", id: "y") + skipped)
    try folder.write(
      "counts.json",
      #"{"cel":{"passed":0,"skipped":1},"liquid":{"passed":7,"skipped":0}}"#)
    let alone = Conformance.run(cases, "--table", "--quiet")
    #expect(alone.code == 1)
    #expect(
      alone.output.hasSuffix(
        """
        suite                 passed  failed  skipped
        cel                        0       0        1
        tollgate-expressions       1       1        0
        all                        1       1        1
        1 passed, 1 failed, 1 skipped

        """))
    let compared = Conformance.run(cases, "--table", "--quiet", "--counts", counts)
    #expect(compared.code == 1)
    #expect(
      compared.output.hasSuffix(
        """
        suite                 passed  failed  skipped  recorded: passed  skipped
        cel                        0       0        1                 0        1
        liquid                     0       0        0                 7        0  <- differs
        tollgate-expressions       1       1        0                 0        0  <- differs
        all                        1       1        1                 7        1  <- differs
        1 passed, 1 failed, 1 skipped

        """))
    // Where results are printed, they are all of standard output.
    let results = Conformance.run(cases, "--json", "--table")
    #expect(results.lines.allSatisfy { $0.hasPrefix("{") })
    #expect(results.errors.contains("suite  ") && results.errors.contains("all  "))
    // A suite with fewer cases than recorded fails, though no case does.
    try folder.write("cases.jsonl", line("2"))
    try folder.write("counts.json", #"{"tollgate-expressions":{"passed":2,"skipped":0}}"#)
    let fewer = Conformance.run(cases, "--table", "--counts", counts)
    #expect(fewer.code == 1 && fewer.output.contains("<- differs"))
  }
}
