package import Expressions
internal import SDK

/// Describes the run of a scenario in readable text: each step with its time and its consequences.
package enum ScenarioText {
  package static func text(_ scenario: Value, _ run: ScenarioRun) -> String {
    var lines = ["\(scenario["id"]?.text ?? "")  \(scenario["title"]?.text ?? "")"]
    for step in run.steps {
      lines.append("  \(time(step.time))  \(action(step.step))")
      let requests = step.reply.requests.enumerated().map { number, sent in
        "sends    \(request(sent))"
          + (step.reply.unanswered.contains(number) ? "  (404: no backend rule answers it)" : "")
      }
      let entries = step.reply.entries.map { entry(ScenarioRun.normalized($0)) }
      for line in requests + entries { lines.append("               \(line)") }
      if let result = result(step.reply.result) { lines.append("               \(result)") }
    }
    lines.append("  " + (run.failure.map { "FAILED: \($0)" } ?? "as expected"))
    return lines.joined(separator: "\n")
  }

  /// Formats a time as days, hours, minutes, seconds and milliseconds.
  private static func time(_ milliseconds: Int64) -> String {
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (days, rest) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
    let clock = "\(two(rest / 60_000 % 60)):\(two(rest / 1_000 % 60))"
    let thousandths = "\(rest % 1_000 + 1_000)".dropFirst()
    let hours = days > 0 || rest >= 3_600_000 ? "\(days)d \(two(rest / 3_600_000)):" : ""
    return "\(hours)\(clock).\(thousandths)"
  }

  private static func action(_ step: Value) -> String {
    switch step["do"]?.text {
    case "call":
      let name = step["as"]?.text.map { " as \($0)" } ?? ""
      return "the app calls \(step["method"]?.text ?? "")\(arguments(step["args"]))\(name)"
    case "result": return "the app looks at \(step["of"]?.text ?? "")"
    case "advance": return "\(step["ms"]?.json ?? "0") ms pass"
    case "presenter": return "the paywall: \(step["action"]?.text ?? "")\(arguments(step["with"]))"
    case "app": return "the app: \(step["action"]?.text ?? "")\(arguments(step["with"]))"
    case let other: return "\(other ?? "")\(arguments(step["with"]))"
    }
  }

  private static func arguments(_ value: Value?) -> String {
    guard let value, value.members?.isEmpty == false else { return "" }
    return " " + value.json
  }

  private static func request(_ request: Value) -> String {
    let body = request["body"].map { " " + short($0) } ?? ""
    return "\(request["method"]?.text ?? "") \(request["path"]?.text ?? "")\(body)"
  }

  private static func entry(_ entry: Value) -> String {
    let payload = entry["p"].map { detail($0) } ?? ""
    if let name = entry["sw"]?.text { return "tracks   \(name)\(payload)" }
    if let command = entry["host"]?.text { return "asks     \(command)\(payload)" }
    if let subscriber = entry["to"]?.text {
      return "calls    \(subscriber) \(entry["cb"]?.text ?? "")\(payload)"
    }
    return "reports  \(entry["ev"]?.text ?? "")\(payload)"
  }

  /// The most informative members in a few words, with paywalls and products by name.
  private static func detail(_ payload: Value) -> String {
    let parts = (payload.members ?? []).map { member -> String in
      let value = member.value
      if let name = value["identifier"]?.text, value["closeReason"] != nil {
        let reason = value["closeReason"]?.text ?? "none"
        return reason == "none" ? name : "\(name) (\(reason))"
      }
      if let product = value["productIdentifier"]?.text { return product }
      if let text = value.text { return "\(member.key)=\(text)" }
      return "\(member.key)=\(short(value))"
    }
    return parts.isEmpty ? "" : " " + parts.joined(separator: ", ")
  }

  private static func short(_ value: Value) -> String {
    let text = value.json
    return text.count <= 120 ? text : text.prefix(117) + "..."
  }

  private static func result(_ result: Value) -> String? {
    if let value = result["value"] { return value == .null ? nil : "returns  \(short(value))" }
    if let error = result["error"] { return "fails    \(short(error))" }
    return result["pending"] == nil ? nil : "waits"
  }
}

extension ScenarioRun {
  /// The run as JSON: `{"id","title","passed","failure"?,"steps":[{"at","step","events",..}]}`, with `at` in
  /// milliseconds since the beginning.
  package func value(of scenario: Value) -> Value {
    .members([
      "id": scenario["id"], "title": scenario["title"], "passed": .bool(failure == nil),
      "failure": failure.map { .string($0) },
      "steps": .list(
        steps.map { step in
          [
            "at": .int(step.time), "step": step.step, "events": .list(step.reply.entries),
            "requests": .list(step.reply.requests), "result": step.reply.result,
          ]
        }),
    ])
  }
}
