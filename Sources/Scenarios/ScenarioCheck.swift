package import Expressions
internal import RuleEngine
internal import SDK

/// Finds steps, methods, keys and names in a scenario that do not exist. Without the check, a misspelled step would
/// pass without doing anything.
package struct ScenarioCheck {
  package typealias Problem = KeyShape.Problem

  private let fixtures: Fixtures
  private var products: [String] { fixtures.products.map(\.id) }
  private var calls: Set<String> = []
  private var subscribers: Set<String> = []
  private var captured: Set<String> = []

  init(_ fixtures: Fixtures) { self.fixtures = fixtures }

  /// The first problem of a scenario, including its steps.
  package static func problem(in scenario: Value, fixtures: Fixtures) -> Problem? {
    var check = ScenarioCheck(fixtures)
    do throws(Problem) {
      try check.scenario(scenario)
      guard let steps = scenario["steps"]?.elements, !steps.isEmpty else {
        throw Problem(path: "steps", message: "a scenario needs at least one step")
      }
      for (index, step) in steps.enumerated() { try check.step(step, "steps[\(index)]") }
      return nil
    } catch {
      return error
    }
  }

  /// The first problem of a scenario whose steps are sent one at a time.
  package static func problem(inHead scenario: Value, fixtures: Fixtures) -> Problem? {
    do throws(Problem) {
      try ScenarioCheck(fixtures).scenario(scenario)
    } catch {
      return error
    }
    guard let id = scenario["id"]?.text, !id.isEmpty else {
      return Problem(path: "", message: "the scenario has no 'id'")
    }
    do throws(CaseFileError) {
      _ = try CaseLine.skipReason(of: scenario)
      return nil
    } catch {
      return Problem(path: "", message: error.message)
    }
  }

  /// The reason why a single step cannot be run: its action or method does not exist. Nil if the
  /// step is valid.
  package static func problem(inStep step: Value) -> Problem? {
    do throws(Problem) {
      try words(of: step, "step")
      return nil
    } catch {
      return error
    }
  }

  // MARK: The scenario

  private func scenario(_ scenario: Value) throws(Problem) {
    guard scenario.isObject else {
      throw Problem(path: "", message: "a scenario must be an object")
    }
    try fits(scenario, ScenarioShapes.scenario, "")
    if let config = scenario["config"] { try self.config(config) }
    for key in ["observe", "ignore", "only"] {
      for (index, name) in try texts(scenario[key], key).enumerated() {
        try observed(name, "\(key)[\(index)]")
      }
    }
    let owned = (scenario["store"]?["owned"]?.elements ?? []).map { $0["productId"] ?? $0 }
    for (index, id) in try texts(.list(owned), "store.owned").enumerated() {
      try known(id, products, "product", "store.owned[\(index)]")
    }
    for (index, rule) in (scenario["backend"]?.elements ?? []).enumerated() {
      let path = rule["path"]?.text ?? ""
      guard path.hasPrefix("/") || path.hasPrefix("*") else {
        throw Problem(
          path: "backend[\(index)].path", message: "a path must begin with '/', got '\(path)'")
      }
    }
  }

  private func config(_ config: Value) throws(Problem) {
    if let word = config.text {
      guard word != "std" else { return }
      throw Problem(
        path: "config", message: "there is no config '\(word)'",
        suggestion: Suggestion.closest(to: word, among: ["std"]))
    }
    guard let members = config.members else {
      throw Problem(
        path: "config", message: "expected \"std\", a static config, or {\"patch\": {..}}")
    }
    try keys(of: config)
    guard let patch = config["patch"] else { return }
    if let other = members.first(where: { $0.key != "patch" }) {
      throw Problem(path: "config", message: "'\(other.key)' cannot be combined with 'patch'")
    }
    for member in patch.members ?? [] where member.key.hasPrefix("+") {
      guard member.value.elements != nil else {
        throw Problem(
          path: "config.patch.\(member.key)", message: "the appended value must be a list")
      }
    }
  }

  /// Reports keys of a static config that are probably misspelt.
  private func keys(of config: Value) throws(Problem) {
    guard let whole = try? fixtures.config(config) else { return }
    let found = Config.decode(whole.json.utf8, format: .superwall).diagnostics
    guard let slip = found.first(where: { $0.code == .unknownKey && $0.suggestion != nil }) else {
      return
    }
    let help = slip.suggestion.map { "; \($0)" } ?? ""
    throw Problem(path: "config", message: "\(slip.path): \(slip.message)\(help)")
  }

  // MARK: Steps

  private mutating func step(_ step: Value, _ path: String) throws(Problem) {
    try deed(step, path)
    try names(step, path)
    try expectations(step, path)
  }

  /// Checks the words that name a step's action.
  ///
  /// - Returns: the shape of the action's details, and the key of the details.
  @discardableResult
  private static func words(of step: Value, _ path: String) throws(Problem) -> (
    shape: KeyShape, key: String
  )? {
    guard step.isObject else { throw Problem(path: path, message: "a step must be an object") }
    let kind = step["do"]?.text ?? ""
    guard ScenarioShapes.steps[kind] != nil else {
      let message =
        kind.isEmpty
        ? "the step has no 'do', which names its action" : "there is no step '\(kind)'"
      throw Problem(
        path: "\(path).do", message: message,
        suggestion: Suggestion.closest(to: kind, among: ScenarioShapes.steps.keys.sorted()))
    }
    func shape(
      _ key: String, _ known: [String: KeyShape], _ details: String
    ) throws(Problem) -> (shape: KeyShape, key: String)? {
      let word = step[key]?.text ?? ""
      try Self.known(word, known.keys.sorted(), key, "\(path).\(key)")
      return known[word].map { ($0, details) }
    }
    switch kind {
    case "call":
      if let mark = step["unknownMethod"] {
        try unknownMethod(mark, step["method"]?.text ?? "", path)
        return nil
      }
      return try shape("method", ScenarioShapes.arguments, "args")
    case "presenter": return try shape("action", ScenarioShapes.presenterActions, "with")
    case "app": return try shape("action", ScenarioShapes.appActions, "with")
    case "client": return try shape("endpoint", ScenarioShapes.endpoints, "args")
    default: return nil
    }
  }

  /// Checks a step that calls an unknown method deliberately, to test the error.
  private static func unknownMethod(
    _ mark: Value, _ method: String, _ path: String
  ) throws(Problem) {
    guard mark == true else {
      throw Problem(path: "\(path).unknownMethod", message: "this must be true or omitted")
    }
    guard !method.isEmpty else {
      throw Problem(path: "\(path).method", message: "there is no method ''")
    }
    if Bridge.methods.contains(method) {
      throw Problem(
        path: "\(path).unknownMethod",
        message: "the method '\(method)' exists; omit 'unknownMethod'")
    }
  }

  /// Checks the action of a step, and the action's details.
  private func deed(_ step: Value, _ path: String) throws(Problem) {
    let kind = step["do"]?.text ?? ""
    if let shape = ScenarioShapes.steps[kind] { try fits(step, shape, path) }
    let details = try Self.words(of: step, path)
    if let details, let value = step[details.key] {
      try fits(value, details.shape, "\(path).\(details.key)")
    }
    switch kind {
    case "app":
      if let id = step["with"]?["productId"]?.text {
        try known(id, products, "product", "\(path).with.productId")
      }
    case "advance":
      guard let time = step["ms"]?.wholeNumber, time >= 0 else {
        throw Problem(path: "\(path).ms", message: "a time must be a number of milliseconds")
      }
    case "subscribe":
      for (index, name) in try texts(step["callbacks"], "\(path).callbacks").enumerated() {
        try known(name, ScenarioShapes.events, "event", "\(path).callbacks[\(index)]")
      }
    default: break
    }
  }

  /// Checks names that earlier steps must define.
  private mutating func names(_ step: Value, _ path: String) throws(Problem) {
    if let name = step["as"]?.text { calls.insert(name) }
    switch step["do"]?.text {
    case "result":
      try known(step["of"]?.text ?? "", calls.sorted(), "earlier call", "\(path).of")
    case "subscribe": subscribers.insert(step["id"]?.text ?? "")
    case "unsubscribe":
      try known(step["id"]?.text ?? "", subscribers.sorted(), "subscriber", "\(path).id")
    default: break
    }
    for key in ["args", "with"] {
      if let value = step[key] { try uses(value, "\(path).\(key)") }
    }
  }

  /// Checks that every used name was captured before.
  private func uses(_ value: Value, _ path: String) throws(Problem) {
    switch value {
    case .map:
      if let name = value["$use"]?.text {
        return try known(name, captured.sorted(), "captured value", path)
      }
      for member in value.members ?? [] { try uses(member.value, "\(path).\(member.key)") }
    case .list(let values):
      for (index, value) in values.enumerated() { try uses(value, "\(path)[\(index)]") }
    default: break
    }
  }

  // MARK: Expectations

  private mutating func expectations(_ step: Value, _ path: String) throws(Problem) {
    if let wanted = step["events"] {
      guard let entries = wanted.elements else {
        throw Problem(path: "\(path).events", message: "this must be a list")
      }
      for (index, entry) in entries.enumerated() {
        try self.entry(entry, "\(path).events[\(index)]")
      }
    }
    for (index, beginning) in try texts(step["noRequests"], "\(path).noRequests").enumerated() {
      guard ["GET", "POST"].contains(where: { beginning == $0 || beginning.hasPrefix($0 + " /") })
      else {
        throw Problem(
          path: "\(path).noRequests[\(index)]",
          message: "no request begins with '\(beginning)'; write \"GET /api\", or \"GET\" for all")
      }
    }
    if let wanted = step["expect"] { try answer(wanted, "\(path).expect") }
    for key in ["expect", "events", "requests", "state"] {
      if let value = step[key] { try matchers(value, "\(path).\(key)") }
    }
  }

  /// Checks the expectation of an answer. An empty expectation is an error, because it would match any answer.
  private func answer(_ wanted: Value, _ path: String) throws(Problem) {
    let kinds = ["value", "error", "pending"].filter { wanted[$0] != nil }
    guard kinds.count == 1 else {
      throw Problem(path: path, message: "this needs one of 'value', 'error' and 'pending'")
    }
    if let pending = wanted["pending"], pending != true {
      throw Problem(path: "\(path).pending", message: "this must be true or omitted")
    }
    if let complete = wanted["complete"], complete.truth == nil || kinds != ["value"] {
      throw Problem(
        path: "\(path).complete", message: "this must be true or false, and requires 'value'")
    }
  }

  private func entry(_ entry: Value, _ path: String) throws(Problem) {
    guard entry.isObject else { throw Problem(path: path, message: "an entry must be an object") }
    try fits(entry, ScenarioShapes.entry, path)
    if let name = entry["ev"]?.text {
      try known(name, ScenarioShapes.events, "event", "\(path).ev")
    } else if let name = entry["sw"]?.text {
      try known(name, ScenarioShapes.superwallEvents, "event", "\(path).sw")
    } else if let name = entry["host"]?.text {
      try known(name, ScenarioShapes.hostCommands, "command", "\(path).host")
    } else if entry["to"] != nil {
      if let name = entry["cb"]?.text {
        try known(name, ScenarioShapes.events, "event", "\(path).cb")
      }
    } else if let group = entry["unordered"]?.elements {
      for (index, entry) in group.enumerated() {
        try self.entry(entry, "\(path).unordered[\(index)]")
      }
    } else if let optional = entry["optional"] {
      try self.entry(optional, "\(path).optional")
    } else {
      throw Problem(path: path, message: "an entry must have 'ev', 'sw', 'host' or 'to'")
    }
  }

  private mutating func matchers(_ value: Value, _ path: String) throws(Problem) {
    switch value {
    case .list(let values):
      for (index, value) in values.enumerated() { try matchers(value, "\(path)[\(index)]") }
    case .map(let entries):
      if entries.count == 1, let key = entries[0].key.text, key.hasPrefix("$") {
        try matcher(key, entries[0].value, path)
      }
      for member in value.members ?? [] { try matchers(member.value, "\(path).\(member.key)") }
    default: break
    }
  }

  private mutating func matcher(_ key: String, _ operand: Value, _ path: String) throws(Problem) {
    guard ScenarioShapes.matchers.contains(key) else {
      // Keys of data may also begin with `$`.
      guard let close = Suggestion.closest(to: key, among: ScenarioShapes.matchers) else { return }
      throw Problem(path: path, message: "there is no matcher '\(key)'", suggestion: close)
    }
    switch key {
    case "$capture": captured.insert(operand.text ?? "")
    case "$use": try known(operand.text ?? "", captured.sorted(), "captured value", path)
    case "$any":
      guard operand == true || Expectations.kinds.contains(operand.text ?? "") else {
        throw Problem(
          path: path,
          message: "'$any' is true or one of \(Expectations.kinds.joined(separator: ", "))")
      }
    default: break
    }
  }

  // MARK: Words

  private func fits(_ value: Value, _ shape: KeyShape, _ path: String) throws(Problem) {
    if let problem = shape.problem(in: value, at: path) { throw problem }
  }

  private func known(
    _ name: String, _ names: [String], _ noun: String, _ path: String
  ) throws(Problem) {
    try Self.known(name, names, noun, path)
  }

  private static func known(
    _ name: String, _ names: [String], _ noun: String, _ path: String
  ) throws(Problem) {
    if names.contains(name) { return }
    throw Problem(
      path: path, message: "there is no \(noun) '\(name)'",
      suggestion: Suggestion.closest(to: name, among: names))
  }

  private func texts(_ value: Value?, _ path: String) throws(Problem) -> [String] {
    guard let value, value != .null else { return [] }
    guard let elements = value.elements else {
      throw Problem(path: path, message: "this must be a list of strings")
    }
    var texts: [String] = []
    for (index, element) in elements.enumerated() {
      guard let text = element.text else {
        throw Problem(path: "\(path)[\(index)]", message: "this must be a string")
      }
      texts.append(text)
    }
    return texts
  }

  /// Checks the name of an observed entry: `sw:NAME`, `host:COMMAND`, `to:SUBSCRIBER` or the name of a module event.
  private func observed(_ name: String, _ path: String) throws(Problem) {
    if name.hasPrefix("to:") { return }
    for (prefix, names) in [
      ("sw:", ScenarioShapes.superwallEvents), ("host:", ScenarioShapes.hostCommands),
    ] where name.hasPrefix(prefix) {
      return try known(String(name.dropFirst(prefix.count)), names, "event or command", path)
    }
    try known(name, ScenarioShapes.events, "event", path)
  }
}
