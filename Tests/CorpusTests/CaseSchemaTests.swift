import Expressions
import Foundation
import RuleEngine
import RuleInsight
import TestSupport
import Testing

@testable import conformance

/// `corpus/schemas/suites`: every line fits the schema of its suite, and what nobody reads fits none.
/// `make update WHAT=schemas` rewrites the files.
@Suite("Schemas of cases")
struct CaseSchemaTests {
  private static let isWriting =
    ProcessInfo.processInfo.environment["TOLLGATE_UPDATE"] == "schemas"
  private static let folder = Conformance.corpus + "/schemas/suites"
  private static let suites = CaseSuites.runners.keys.sorted()

  private static func path(_ suite: String) -> String { "\(folder)/\(suite).schema.json" }

  /// The schema that is carried, which is what others have.
  private static func validator(_ suite: String) throws -> SchemaValidator {
    try SchemaValidator(try Value.parse(json: try CaseFile.bytes(path(suite))))
  }

  /// The lines of all case files by suite, with the place of each.
  private static let lines: [String: [(place: String, content: Value)]] = {
    let paths = (try? CaseFile.paths(under: Conformance.corpus)) ?? []
    var lines: [String: [(place: String, content: Value)]] = [:]
    for path in paths {
      for testCase in (try? CaseFile.read(path)) ?? [] {
        let place = "\(path.dropFirst(Conformance.corpus.count + 1)):\(testCase.line)"
        lines[testCase.suite, default: []].append((place, testCase.content))
      }
    }
    return lines
  }()

  /// One schema for each suite, and none of another name.
  @Test func carried() throws {
    if Self.isWriting {
      try FileManager.default.createDirectory(
        atPath: Self.folder, withIntermediateDirectories: true)
    }
    for suite in Self.suites {
      let document = try #require(CaseSchemas.document(of: suite))
      let text = document.text + "\n"
      if Self.isWriting {
        try Data(text.utf8).write(to: URL(filePath: Self.path(suite)))
      } else {
        let carried = String(decoding: try CaseFile.bytes(Self.path(suite)), as: UTF8.self)
        #expect(carried == text, "\(suite): run `make update WHAT=schemas`")
      }
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
    #expect(Set(names) == Set(Self.suites.map { "\($0).schema.json" }))
    #expect(CaseSchemas.document(of: "no-suite") == nil)
  }

  @Test(.enabled(if: !isWriting), arguments: suites) func everyLineFits(suite: String) throws {
    let validator = try Self.validator(suite)
    let lines = try #require(Self.lines[suite])
    let misfits = lines.filter { !validator.accepts($0.content) }.map(\.place)
    #expect(misfits.isEmpty, "\(misfits.prefix(20).joined(separator: " ")) of \(misfits.count)")
  }

  /// A name that is misspelt, or another kind of value, at every place that the shapes of lines
  /// name: where `conformance` refuses the line, so does the schema.
  @Test(.enabled(if: !isWriting), arguments: suites) func misspeltLinesFitNot(suite: String) throws
  {
    let validator = try Self.validator(suite)
    let lines = try #require(Self.lines[suite])
    var seen: Set<String> = []
    var refused = 0
    for (place, content) in lines {
      let kind = content["input"]?["op"]?.text ?? content["kind"]?.text ?? ""
      for path in Self.paths(in: content) where seen.insert("\(kind) \(path)").inserted {
        let misspelt = content.renaming(path[...], to: (path.last ?? "") + "z")
        guard CaseShapes.problem(in: misspelt, suite: suite) != nil || path == ["id"] else {
          continue
        }
        #expect(!validator.accepts(misspelt), "\(place): \(path.joined(separator: "."))")
        refused += 1
      }
    }
    #expect(refused > (suite == "sdk-scenarios" ? 0 : 5), "\(refused)")
  }

  /// What stands for every kind of mistake in a value.
  @Test(
    .enabled(if: !isWriting),
    arguments: [
      ("cel", #"["expect"]"#, #"{"value":{"int":"five"}}"#),
      ("cel", #"["expect"]"#, #"{"value":5}"#),
      ("cel", #"["expect"]"#, "{}"), ("cel", #"["basis"]"#, #""hearsay""#),
      ("superscript", #"["expect"]"#, #"{"value":{"$float":"x"},"type":"float"}"#),
      ("superscript", #"["expect"]"#, #"{"value":1.5,"type":"float"}"#),
      ("superscript", #"["matches"]"#, #""true""#),
      ("superwall-rules", #"["input","op"]"#, #""no""#),
      ("pricing", #"["kind"]"#, #""price""#),
      ("pricing", #"["product"]"#, #"{"price_micros":"1"}"#),
      ("currency-format", #"["amount"]"#, "12"), ("liquid", #"["expect_any"]"#, "[1]"),
      ("tollgate-check", #"["expect"]"#, #"{"findings":["fatal x"]}"#),
      ("tollgate-decisions", #"["expect"]"#, #"{"clauses":[["a"]]}"#),
      ("tollgate-decisions", #"["input"]"#, #"{"config":{},"placement":"p"}"#),
      ("tollgate-assignment", #"["expect"]"#, #"{"fraction":0.5,"variant":0}"#),
      ("tollgate-expressions", #"["suite"]"#, #""cel""#), ("sdk-scenarios", #"["steps"]"#, "[]"),
    ])
  func wrongValuesFitNot(suite: String, path: String, value: String) throws {
    let validator = try Self.validator(suite)
    let keys = try #require(try Value.parse(json: path.utf8).elements).compactMap(\.text)
    let fitting = try #require(Self.lines[suite]?.last { $0.content.has(keys) }).content
    #expect(validator.accepts(fitting))
    let changed = fitting.setting(keys[...], to: try Value.parse(json: value.utf8))
    #expect(!validator.accepts(changed), "\(changed.json.prefix(300))")
  }

  /// The paths of members, through objects alone.
  private static func paths(in value: Value, below path: [String] = []) -> [[String]] {
    guard path.count < 4, let members = value.members else { return [] }
    return members.flatMap { name, member -> [[String]] in
      [path + [name]] + paths(in: member, below: path + [name])
    }
  }
}

extension Value {
  fileprivate func has(_ path: some Sequence<String>) -> Bool {
    var value: Value? = self
    for key in path { value = value?[key] }
    return value != nil
  }
}
