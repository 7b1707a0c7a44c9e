import Expressions
import Foundation
import RuleEngine
import Testing

@testable import tollgate

/// What check tells services and scripts: places in a repository, files that cannot be read, totals.
@Suite("Reports of check")
struct CheckReportTests {
  /// A config with one audience and this condition, as a JSON text.
  private func config(_ condition: String) -> String {
    """
    {"build_id":"b","log_level":10,"app_session_timeout_ms":1,"toggles":[],"products":[],"postback":{},
    "disable_preload":{"all":false,"triggers":[]},"localization":{"locales":[]},"paywall_responses":[],
    "trigger_options":[{"event_name":"p","rules":[{"experiment_id":"e","experiment_group_id":"g",
      "expression_cel":"\(condition)","preload":{"behavior":"ALWAYS"},
      "variants":[{"variant_id":"v","variant_type":"HOLDOUT","percentage":100}]}]}]}

    """
  }

  private let clean = "device.daysSinceInstall > 3"
  private let misspelt = #"device.regionCod == \"US\""#

  /// A repository with a config in a folder of its own, and a link to it.
  private func repository() throws -> TestFolder {
    let folder = try TestFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("repo/apps/ios"), withIntermediateDirectories: true)
    try folder.write("repo/apps/ios/c.json", config(misspelt))
    return folder
  }

  private func run(_ result: BuiltTool.Result) throws -> [String: Any] {
    let document = try #require(
      JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    return try #require((document["runs"] as? [[String: Any]])?.first)
  }

  private func uri(_ place: Any?) -> String? {
    let physical = (place as? [String: Any])?["physicalLocation"] as? [String: Any]
    return (physical?["artifactLocation"] as? [String: Any])?["uri"] as? String
  }

  private func uri(of result: BuiltTool.Result) throws -> String? {
    let results = try #require(try run(result)["results"] as? [[String: Any]])
    return uri((results.first?["locations"] as? [Any])?.first)
  }

  // MARK: Places

  /// Services know files by their place in the repository, from wherever the check is run.
  @Test(arguments: [
    ("repo/apps", "ios/c.json", "apps/ios/c.json"),
    ("repo/apps", "./ios/../ios/c.json", "apps/ios/c.json"),
    ("repo/apps/ios", "../../apps/ios/c.json", "apps/ios/c.json"),
    (".", "repo/apps/ios/c.json", "apps/ios/c.json"),
    ("repo", "link.json", "link.json"),
    ("repo", "../outside.json", "../outside.json"),
  ])
  func placesInARepository(from place: String, path: String, told: String) throws {
    let folder = try repository()
    try folder.write("outside.json", config(misspelt))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("repo/link.json"), withDestinationPath: folder.path("outside.json"))
    let root = "cd \(place) && GITHUB_WORKSPACE=\(folder.path("repo"))"
    let annotated = try folder.shell(#"\#(root) GITHUB_ACTIONS=true "$TOLLGATE" check \#(path)"#)
    let annotation = annotated.lines.first { $0.hasPrefix("::warning") }
    #expect(annotation?.hasPrefix("::warning file=\(told),line=4,") == true, "\(annotated)")
    let sarif = try folder.shell(#"\#(root) "$TOLLGATE" check --sarif \#(path)"#)
    #expect(try uri(of: sarif) == told)
  }

  /// Without a repository places are from the current folder, and nothing else is a repository.
  @Test(arguments: ["", "GITHUB_WORKSPACE=", "GITHUB_WORKSPACE=/nowhere", "GITHUB_WORKSPACE=apps"])
  func placesFromHere(setting: String) throws {
    let folder = try repository()
    for path in ["apps/ios/c.json", folder.path("repo/apps/ios/c.json")] {
      let sarif = try folder.shell(
        #"cd repo && unset GITHUB_WORKSPACE && \#(setting) "$TOLLGATE" check --sarif "#
          + "'\(path)'")
      #expect(try uri(of: sarif) == "apps/ios/c.json")
    }
    let elsewhere = folder.path("repo/apps/ios/c.json")
    let sarif = try folder.shell(
      #"cd / && unset GITHUB_WORKSPACE && cd /usr && "$TOLLGATE" check --sarif '\#(elsewhere)'"#)
    #expect(try uri(of: sarif) == "file://" + elsewhere)
  }

  // MARK: Files that cannot be read

  /// No findings do not look like a clean file where a file could not be read.
  @Test(arguments: ["nope.json", "nope.json good.json"])
  func unreadableFilesInSARIF(paths: String) throws {
    let folder = try TestFolder()
    try folder.write("good.json", config(clean))
    let result = try folder.shell(#""$TOLLGATE" check --sarif \#(paths)"#)
    #expect(result.code == 2)
    #expect(result.errors == "error: cannot open nope.json: No such file or directory\n")
    let run = try run(result)
    let invocation = try #require((run["invocations"] as? [[String: Any]])?.first)
    #expect(invocation["executionSuccessful"] as? Bool == false)
    let told = try #require(invocation["toolExecutionNotifications"] as? [[String: Any]])
    #expect(told.count == 1)
    #expect(told.first?["level"] as? String == "error")
    #expect(
      (told.first?["message"] as? [String: Any])?["text"] as? String
        == "cannot open nope.json: No such file or directory")
    #expect(uri((told.first?["locations"] as? [Any])?.first) == "nope.json")
    let fine = try self.run(try folder.shell(#""$TOLLGATE" check --sarif good.json"#))
    let invocations = try #require(fine["invocations"] as? [[String: Any]])
    #expect(invocations.map { $0["executionSuccessful"] as? Bool } == [true])
    #expect(invocations.first?["toolExecutionNotifications"] == nil)
  }

  @Test func unreadableFilesAreAnnotated() throws {
    let result = try TestFolder().shell(#"GITHUB_ACTIONS=true "$TOLLGATE" check a,b.json"#)
    #expect(result.code == 2)
    #expect(
      result.output
        == "::error file=a%2Cb.json::cannot open a,b.json: No such file or directory\n")
    #expect(result.errors == "error: cannot open a,b.json: No such file or directory\n")
  }

  // MARK: Totals

  /// Several files have one total; --quiet prints findings alone.
  @Test func totals() throws {
    let folder = try TestFolder()
    try folder.write("a.json", config(clean))
    try folder.write("b.json", config(misspelt))
    try folder.write("c.json", config("user.a =="))
    let all = try folder.shell(#""$TOLLGATE" check a.json b.json c.json nope.json"#)
    #expect(all.code == 2)
    #expect(
      all.lines.last == "4 files: 1 error, 1 warning, 0 notes; 1 clean, 1 unreadable")
    let two = try folder.shell(#""$TOLLGATE" check a.json b.json"#)
    #expect(two.lines.last == "2 files: 0 errors, 1 warning, 0 notes; 1 clean")
    let quiet = try folder.shell(#""$TOLLGATE" check --quiet a.json b.json"#)
    #expect(quiet.lines.first?.hasPrefix("warning[unknown-attribute]") == true)
    #expect(!quiet.output.contains("placement, ") && !quiet.output.contains("files"))
    let none = try folder.shell(#""$TOLLGATE" check --quiet a.json "$CONFIG""#)
    #expect(none.code == 0)
    #expect(none.output == "" && none.errors == "")
    let json = try folder.shell(#""$TOLLGATE" check --json a.json b.json"#)
    #expect(json.lines.count == 1)
  }

  /// Why a check fails is said where its findings alone do not say it.
  @Test func warningsThatFail() throws {
    let folder = try TestFolder()
    try folder.write("a.json", config(misspelt))
    try folder.write("b.json", config("user.a =="))
    let reason = "error: failed because --strict counts warnings, and there is 1\n"
    for form in ["", "--quiet", "--json", "--sarif"] {
      let strict = try folder.shell(#""$TOLLGATE" check --strict \#(form) a.json"#)
      #expect(strict.code == 1)
      #expect(strict.errors == reason)
      #expect(try folder.shell(#""$TOLLGATE" check \#(form) a.json"#).errors == "")
    }
    // An error is reason enough.
    #expect(try folder.shell(#""$TOLLGATE" check --strict a.json b.json"#).errors == "")
    let template = try BuiltTool.run(
      "check-template", "-", "--strict", "--config", TestFolder.config,
      input: "{{ products.tertiary.price }}")
    #expect(template.code == 1)
    #expect(template.errors.contains("failed because --strict counts warnings"))
  }

  /// A file with a warning is not clean; one with notes is.
  @Test func filesThatAreClean() {
    var totals = CheckTotals()
    func diagnostic(_ severity: Diagnostic.Severity) -> Diagnostic {
      Diagnostic(.unknownKey, "m", severity: severity)
    }
    totals.add([])
    totals.add([diagnostic(.note)])
    totals.add([diagnostic(.warning), diagnostic(.note)])
    totals.add([diagnostic(.error)])
    #expect(totals.summary == "4 files: 1 error, 1 warning, 2 notes; 2 clean")
  }
}
