internal import Expressions
internal import RuleEngine
internal import RuleInsight

/// The results of tests as JUnit's XML, which CI systems show: a suite for each file.
struct JUnitReport {
  let run: RuleTestRun

  var text: String {
    var files: [String] = []
    for ran in run.ran where !files.contains(ran.test.file) { files.append(ran.test.file) }
    var lines = [
      #"<?xml version="1.0" encoding="UTF-8"?>"#,
      #"<testsuites tests="\#(run.ran.count + run.faults.count)" failures="\#(run.failed)" errors="\#(run.faults.count)">"#,
    ]
    for file in files {
      let ran = run.ran.filter { $0.test.file == file }
      let failures = ran.count { !$0.result.differences.isEmpty }
      lines.append(
        #"  <testsuite name="\#(Self.escaped(file))" tests="\#(ran.count)" failures="\#(failures)">"#
      )
      lines += ran.flatMap(Self.lines)
      lines.append("  </testsuite>")
    }
    if !run.faults.isEmpty {
      let count = run.faults.count
      lines.append(#"  <testsuite name="not run" tests="\#(count)" errors="\#(count)">"#)
      for fault in run.faults {
        lines += [
          #"    <testcase name="\#(Self.escaped(fault))" classname="not run">"#,
          #"      <error message="\#(Self.escaped(fault))"/>"#, "    </testcase>",
        ]
      }
      lines.append("  </testsuite>")
    }
    return (lines + ["</testsuites>"]).joined(separator: "\n")
  }

  private static func lines(_ ran: RuleTestRun.Ran) -> [String] {
    let head =
      #"    <testcase name="\#(escaped(ran.test.title))" classname="\#(escaped(ran.test.test.placement))" "#
      + #"file="\#(escaped(ran.test.file))" line="\#(ran.test.line)""#
    guard !ran.result.differences.isEmpty else { return [head + "/>"] }
    let message = ran.result.differences.map {
      "\($0.field): expected \($0.expected), got \($0.got)"
    }.joined(separator: "; ")
    return [
      head + ">", #"      <failure message="\#(escaped(message))">\#(escaped(ran.text))</failure>"#,
      "    </testcase>",
    ]
  }

  /// A string for XML 1.0, which allows only three control characters.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\n", "\t", "\r": escaped += "&#\(scalar.value);"
      case "\0"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
