import Foundation
import Testing

/// The steps of a workflow or an action for GitHub Actions, of the shape that ours have: keys of a step
/// on lines of their own, and scripts as blocks.
struct WorkflowSteps {
  struct Step {
    var name: String
    /// What stands behind `id:`, `if:`, `shell:` and so on.
    var keys: [String: String] = [:]
    var environment: [String: String] = [:]
    var script = ""
  }

  let steps: [Step]

  init(_ text: String) {
    steps = text.components(separatedBy: "- name: ").dropFirst().map(Self.step)
  }

  private static func step(_ text: String) -> Step {
    var lines = text.components(separatedBy: "\n")
    var step = Step(name: lines.removeFirst())
    let margin = indentation(lines.first ?? "")
    var block = ""
    for line in lines {
      let depth = indentation(line)
      if line.isEmpty {
        if block == "run" { step.script += "\n" }
      } else if depth < margin {
        break
      } else if depth == margin {
        let (key, value) = pair(line)
        block = key
        if key == "run", value != "|" { step.script = value } else { step.keys[key] = value }
      } else if block == "run" {
        step.script += line.dropFirst(margin + 2) + "\n"
      } else if block == "env" {
        let (key, value) = pair(line)
        step.environment[key] = value
      }
    }
    step.script = step.script.trimmingCharacters(in: .newlines)
    return step
  }

  private static func indentation(_ line: String) -> Int { line.prefix { $0 == " " }.count }

  private static func pair(_ line: String) -> (String, String) {
    let text = line.trimmingCharacters(in: .whitespaces)
    guard let colon = text.firstIndex(of: ":") else { return ("", text) }
    let value = text[text.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    let isQuoted = value.hasPrefix("\"") && value.hasSuffix("\"")
    return (String(text[..<colon]), isQuoted ? String(value.dropFirst().dropLast()) : value)
  }

  subscript(name: String) -> Step {
    get throws { try #require(steps.first { $0.name == name }, "no step is called \(name)") }
  }
}

/// A stand-in for `gh` in the folder that a runner has beside a repository.
enum StandInForGitHub {
  /// A `gh` that writes down what it is asked for and what it is to post, and has these comments.
  static func write(in runner: TestFolder, ids: String, code: Int = 0) throws {
    try runner.writeProgram(
      "bin/gh",
      """
      #!/bin/bash
      echo "$*" >> "$RUNNER_TEMP/asked"
      for word; do case "$word" in body=@*) cp "${word#body=@}" "$RUNNER_TEMP/posted";; esac; done
      if [[ "$*" == *--jq* ]]; then printf '\(ids)'; fi
      exit \(code)

      """)
    try? FileManager.default.removeItem(atPath: runner.path("asked"))
  }
}
