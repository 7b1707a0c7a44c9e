import Foundation
import Testing

/// What `decide` prints on a terminal, and elsewhere.
@Suite struct DecideInWordsTests {
  private static let arguments = [
    "decide", TestFolder.config, "--user", TestFolder.demo + "/user.json", "--now",
    "2026-03-01T12:00:00Z", "--seed", "demo",
  ]
  private static let basis =
    "decided for u-mara as of 2026-03-01T12:00:00Z, assigner hash, seed 'demo'\n"

  private func onTerminal(_ placement: String, _ more: String...) throws -> BuiltTool.Result {
    try Pseudoterminal.runApart(Self.arguments + ["--placement", placement] + more)
  }

  @Test func wordsOnATerminal() throws {
    let shown = try onTerminal("export_report")
    #expect(shown.code == 0 && shown.errors == "")
    #expect(
      shown.output == "export_report: paywall export-trial (variant export-settled-trial of "
        + "export-settled, assigned now), audience 2 (export-settled)\n" + Self.basis)
    let none = try onTerminal("onboarding_done")
    #expect(
      none.output == "onboarding_done: no audience matches, no paywall; none of 3 audiences "
        + "matches\n"
        + Self.basis)
    let quiet = try onTerminal("onboarding_done", "--quiet")
    #expect(quiet.output + Self.basis == none.output)
    let unknown = try onTerminal("export_reprot")
    #expect(unknown.code == 2)
    #expect(unknown.output == "")
    #expect(unknown.errors.contains("did you mean 'export_report'?"))
  }

  @Test func jsonElsewhereAndOnRequest() throws {
    let piped = try BuiltTool.run(Self.arguments + ["--placement", "export_report"])
    #expect(piped.lines.count == 1)
    #expect(piped.output.hasPrefix(#"{"userId":"u-mara","placement":"export_report","#))
    #expect(
      piped.errors == "Decided as of 2026-03-01T12:00:00Z, assigner hash, seed 'demo'\n")
    let asked = try onTerminal("export_report", "--json")
    #expect(asked.output == piped.output)
    #expect(asked.errors == piped.errors)
    let quiet = try BuiltTool.run(Self.arguments + ["--placement", "export_report", "--quiet"])
    #expect(quiet.output == piped.output && quiet.errors == "")
  }

  @Test func sharesAsATable() throws {
    let shares = try onTerminal("export_report", "--distribution")
    #expect(
      shares.output == """
        export_report
          export-settled-trial: paywall export-trial        9/20  45 %
          export-settled-annual: paywall onboarding-annual  9/20  45 %
          export-settled-none: holdout                      1/10  10 %

        """ + Self.basis)
    let none = try onTerminal("onboarding_done", "--distribution", "--quiet")
    #expect(none.output == "onboarding_done\n  no audience matches, no paywall  1  100 %\n")
    let json = try onTerminal("export_report", "--distribution", "--json", "--quiet")
    #expect(json.output.hasPrefix(#"{"placement":"export_report","audience":2,"shares":["#))
    let piped = try BuiltTool.run(
      Self.arguments + ["--placement", "export_report", "--distribution"])
    #expect(piped.output == json.output)
  }
}
