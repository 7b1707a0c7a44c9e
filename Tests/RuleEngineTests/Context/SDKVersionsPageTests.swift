import Expressions
import Foundation
import Testing

@testable import RuleEngine

/// The tables of `docs/sdk-versions.md`.
@Suite struct SDKVersionsPageTests {
  private static let guide = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "docs/sdk-versions.md")
  private static let isWriting =
    ProcessInfo.processInfo.environment["TOLLGATE_UPDATE"] == "sdk-versions"

  private static func table(_ title: String, _ columns: [String], _ rows: [[String]]) -> String {
    "\n## \(title)\n\n| \(columns.joined(separator: " | ")) |\n|"
      + String(repeating: "---|", count: columns.count) + "\n"
      + rows.map { "| \($0.joined(separator: " | ")) |\n" }.joined()
  }

  private static func versions(_ since: SDKVersion, _ until: SDKVersion?) -> String {
    guard let until else { return "`≥ \(since)`" }
    return since == SDKVersion(1, 0, 0) ? "`< \(until)`" : "`≥ \(since), < \(until)`"
  }

  private static func code(_ text: String) -> String { text.contains("`") ? text : "`\(text)`" }

  private static func known(_ source: String, _ evidence: SDKFacts.Evidence) -> String {
    code(source) + (evidence == .source ? "" : ", \(evidence.rawValue)")
  }

  private static var evaluators: String {
    let rows = SDKFacts.evaluators.enumerated().map { number, row in
      let next = SDKFacts.evaluators[(number + 1)...].first {
        $0.sdk == row.sdk
          && ($0.packaging == nil || row.packaging == nil || $0.packaging == row.packaging)
      }
      return [
        row.sdk.title + (row.packaging.map { ", \($0.rawValue)" } ?? ""),
        versions(row.since, next?.since), row.behavior?.rawValue ?? "JavaScript",
        row.behavior == nil ? "" : code(row.release), row.aborts ? "yes" : "no",
        code(row.source),
      ]
    }
    return table(
      "Evaluators", ["SDK", "versions", "behavior", "superscript", "panics end the app", "source"],
      rows)
  }

  /// Rows with the same text are one.
  private static func merged(_ rows: [(versions: String, text: String, source: String)])
    -> [[String]]
  {
    var merged: [[String]] = []
    for row in rows {
      if let place = merged.firstIndex(where: { $0[1] == row.text }) {
        merged[place][0] += "<br>" + row.versions
        merged[place][2] += "<br>" + row.source
      } else {
        merged.append([row.versions, row.text, row.source])
      }
    }
    return merged
  }

  private static var switches: String {
    table(
      "Other changes", ["versions", "what they do", "source"],
      merged(
        SDKFacts.ranges.map {
          (
            "\($0.sdk.title) " + versions($0.since, $0.until), $0.text,
            known($0.source, $0.evidence)
          )
        }))
  }

  private static var sent: String {
    func rows(_ all: [SDKFacts.Sent], _ prefix: (SDKFacts.Sent) -> String) -> [[String]] {
      var names: [(key: [String], names: [String])] = []
      for row in all {
        let key = [prefix(row), row.sdk.title, versions(row.since, row.until)]
        if let place = names.firstIndex(where: { $0.key == key }) {
          names[place].names.append(row.name)
        } else {
          names.append((key, [row.name]))
        }
      }
      return names.map { group in
        [
          group.key[1], group.key[2],
          group.key[0] + group.names.map { "`\($0)`" }.joined(separator: ", "),
        ]
      }
    }
    return table(
      "Attributes of the device", ["SDK", "versions", "attributes"],
      rows(SDKFacts.attributes) { _ in "" })
      + table(
        "Parameters of the SDK's own placements", ["SDK", "versions", "parameters"],
        rows(SDKFacts.parameters) { "`\($0.placement ?? "")`: " })
      + table(
        "Functions", ["SDK", "versions", "functions"], rows(SDKFacts.functions) { _ in "" })
  }

  private static var requirements: String {
    table(
      "Rejected configs", ["versions", "reject a config where", "source"],
      merged(
        SDKFacts.requirements.map {
          ("\($0.sdk.title) " + versions($0.since, $0.until), $0.kind.reason, code($0.source))
        }))
  }

  private static var names: String {
    table(
      "Reserved placement names", ["name", "iOS since", "Android since"],
      SDKFacts.reservedNames.map { row in
        [
          "`\(row.name)`", row.ios.map { code("\($0)") } ?? "",
          row.android.map { code("\($0)") } ?? "",
        ]
      })
  }

  private static var prices: String {
    table(
      "Prices per unit of time", ["SDK", "versions", "how they are divided", "source"],
      SDKFacts.pricing.enumerated().map { number, row in
        let next = SDKFacts.pricing[(number + 1)...].first { $0.sdk == row.sdk }
        return [row.sdk.title, versions(row.since, next?.since), row.text, code(row.source)]
      })
  }

  private static var notes: String {
    table(
      "Changes that are not modelled", ["SDK", "since", "what changed", "source"],
      SDKFacts.notes.map {
        [$0.sdk.title, code("\($0.since)"), $0.text, known($0.source, $0.evidence)]
      })
  }

  private static var wrappers: String {
    table(
      "Wrappers", ["wrapper", "version", "iOS SDK", "Android SDK"],
      SDKFacts.wrappers.map { row in
        [
          row.name, code(row.version),
          row.ios.map { version in
            let behavior = SDKProfile(.ios, version, .pods).behavior
            return code("\(version)" + (behavior.map { " (\($0.rawValue))" } ?? ""))
          } ?? "",
          row.android.map { version in
            let behavior = SDKProfile(.android, version).behavior
            return code("\(version)" + (behavior.map { " (\($0.rawValue))" } ?? ""))
          } ?? "",
        ]
      })
  }

  private static var tables: String {
    evaluators + switches + sent + requirements + names + prices + notes + wrappers
  }

  /// `make update WHAT=sdk-versions` rewrites the tables.
  @Test func theGuideIsThatOfTheTables() throws {
    let text = try String(contentsOf: Self.guide, encoding: .utf8)
    let marker = "<!-- Generated: make update WHAT=sdk-versions -->\n"
    let head = try #require(text.firstRange(of: marker))
    let wanted = text[..<head.upperBound] + Self.tables
    if Self.isWriting { return try Data(wanted.utf8).write(to: Self.guide) }
    #expect(text == wanted, "docs/sdk-versions.md is stale: make update WHAT=sdk-versions")
  }
}
