internal import Expressions
internal import RuleEngine

/// Superscript rules, one context for all of them, and the expected result of each.
struct SuperscriptInput {
  struct Rule {
    var id: String
    var expression: String
    var holds: Bool
  }

  /// The attributes as the JSON that an app passes.
  private(set) var json: [UInt8] = []
  /// Replies to questions, by the function's name.
  private(set) var replies = Value.object([:])
  private(set) var rules: [Rule] = []

  /// Parses one JSON object per line: first `{"kind":"context", "variables", "host"}`, then rules `{"id", "expr", "expect"}`.
  init(_ bytes: [UInt8], path: String) throws(InputError) {
    for value in try JSONInput.parseLines(bytes, path: path) {
      if value["kind"] == "context", let variables = value["variables"] {
        json = Array(SuperscriptInput.plain(variables).json.utf8)
        replies = value["host"] ?? .object([:])
        continue
      }
      guard case .string(let id)? = value["id"], case .string(let text)? = value["expr"],
        case .bool(let holds)? = value["expect"]
      else { throw InputError(path, "a rule has 'id', 'expr' and 'expect'") }
      rules.append(Rule(id: id, expression: text, holds: holds))
    }
    if json.isEmpty { throw InputError(path, "the first line is a context with 'variables'") }
  }

  /// Doubles are written as `{"$float":x}`, even if they are whole.
  private static func plain(_ value: Value) -> Value {
    switch value {
    case .list(let values): return .list(values.map { plain($0) })
    case .map(let entries):
      if entries.count == 1, let number = value["$float"] {
        if case .int(let whole) = number { return .double(Double(whole)) }
        return number
      }
      let plainEntries = entries.map { Value.Entry(key: $0.key, value: plain($0.value)) }
      return .map(plainEntries)
    default: return value
    }
  }
}
