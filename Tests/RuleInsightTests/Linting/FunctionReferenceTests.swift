import CivilTime
import Expressions
import Foundation
import Testing

@testable import RuleEngine
@testable import RuleInsight

/// What the reference says of functions.
@Suite struct FunctionReferenceTests {
  private static let now = try! WireTime.instant("2026-03-31T12:00:00Z")

  /// The events that examples are about: by name, how many minutes ago.
  private static let events: [(name: String, minutes: [Int64])] = [
    ("app_open", [45, 600, 3 * 1_440, 20 * 1_440, 200 * 1_440]),
    ("session_start", [5 * 60 + 10]), ("paywall_open", [2 * 1_440 + 30]),
    ("first_launch", [100 * 1_440]),
    ("review_requested", [90, 20 * 1_440, 200 * 1_440, 500 * 1_440]),
  ]

  /// The example of every function of the SDKs, on every platform that remembers events by name.
  @Test(arguments: HostFunction.allCases)
  func examplesOfHostFunctions(function: HostFunction) throws {
    var history = EventHistory()
    for (name, minutes) in Self.events {
      history.record(name, at: minutes.map { Self.now - $0 * 60_000 })
    }
    let example = function.page.example
    for platform in function.platforms where platform != .web {
      let audience = Audience(index: 0, experimentID: "e", expression: example)
      let config = Config(placements: [Placement(name: "p", audiences: [audience])])
      let rules = try RuleSet.compile(config, language: .superscript(SDKProfile(platform))).get()
      var frame = Frame(for: rules.program)
      try frame.fill(["user": [:], "device": [:]])
      try rules.answer(history, at: HistoryClock(now: Self.now), in: &frame)
      let state = DecisionState(subjectID: "u1", now: Self.now)
      let reason = rules.steps("p", frame: &frame, state: state)[0].reason
      #expect(reason == .matched, "\(platform): \(example)")
    }
  }

  @Test func functionsOfLanguages() throws {
    func names(_ language: RuleLanguage) -> Set<String> {
      Set(FunctionReference.entries.filter { $0.isKnown(in: language) }.flatMap(\.page.names))
    }
    #expect(names(.cel).contains("charAt") && !names(.cel).contains("hasFn"))
    let (ios, android) = (names(.superscript(.ios)), names(.superscript(.android)))
    #expect(ios.isSuperset(of: ["startsWith", "hasFn", "device.yearsSince", "exists_one"]))
    #expect(!ios.contains("charAt") && !ios.contains("device.requestReview"))
    #expect(android.contains("device.requestReview") && !android.contains("device.yearsSince"))
    // Each row is one of those that its language evaluates.
    for entry in FunctionReference.entries {
      let platforms: Set<Platform> = Set(entry.platforms)
      #expect(entry.page.dialects.contains(.superscript) == !platforms.isEmpty, "\(entry.name)")
    }
  }

  @Test func namesWithoutTheirSpace() {
    #expect(FunctionReference.entries(named: "abs").map(\.name) == ["math.abs"])
    #expect(FunctionReference.entries(named: "daysSince").map(\.name) == ["device.daysSince"])
    // A name of its own comes first.
    #expect(FunctionReference.entries(named: "contains").map(\.name) == ["contains", "contains"])
    #expect(FunctionReference.entries(named: "exists_one").count == 2)
    #expect(FunctionReference.entries(named: "ab").isEmpty)
  }

  // MARK: docs/functions.md

  private static let guide = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "docs/functions.md")
  private static let isWriting =
    ProcessInfo.processInfo.environment["TOLLGATE_UPDATE"] == "functions"

  private static func row(_ entry: FunctionReference.Entry) -> String {
    func code(_ text: String) -> String { "`\(text.replacing("|", with: "\\|"))`" }
    let isKnownToAll = entry.platforms.isEmpty || entry.platforms.count == 3
    let language =
      entry.page.dialects.count > 1 ? "both" : entry.page.dialects.first?.rawValue ?? ""
    let platforms =
      isKnownToAll ? "" : " (\(entry.platforms.map(\.rawValue).joined(separator: ", ")))"
    let cells = [
      entry.page.signatures.map { code($0.text) }.joined(separator: "<br>"), entry.page.summary,
      code(entry.page.example), code(language) + platforms,
    ]
    return "| \(cells.joined(separator: " | ")) |"
  }

  /// The tables of the guide: one for each family.
  private static var tables: String {
    FunctionFamily.allCases.compactMap { family in
      let entries = FunctionReference.entries.filter { $0.page.family == family }
      guard !entries.isEmpty else { return nil }
      let head = "\n## \(family.title)\n\n| function | | example | in |\n|---|---|---|---|\n"
      return head + entries.map { row($0) + "\n" }.joined()
    }.joined()
  }

  /// `make update WHAT=functions` rewrites the tables.
  @Test func theGuideIsThatOfTheTables() throws {
    let text = try String(contentsOf: Self.guide, encoding: .utf8)
    let marker = "<!-- Generated: make update WHAT=functions -->\n"
    let head = try #require(text.firstRange(of: marker))
    let wanted = text[..<head.upperBound] + Self.tables
    if Self.isWriting { return try Data(wanted.utf8).write(to: Self.guide) }
    #expect(text == wanted, "docs/functions.md is stale: make update WHAT=functions")
  }
}
