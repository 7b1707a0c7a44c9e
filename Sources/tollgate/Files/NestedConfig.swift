internal import Expressions
internal import RuleEngine

/// A config inside other JSON, as in replies of servers.
enum NestedConfig {
  /// Reports the place of the config, or that there are several configs; nil for a text without a nested config.
  static func diagnostic(_ json: [UInt8], _ path: String) -> Diagnostic? {
    guard let value = try? Value.parse(json: json) else { return nil }
    let file = path == "-" ? "" : " " + ShellWord.quoted(path)
    if let elements = value.elements {
      let count = elements.count(where: isConfig)
      if count == 0 { return nil }
      return Diagnostic(
        .decodeFailure,
        count == 1
          ? "the config is one level deeper, in a list"
          : "this is a list of \(count) configs; a file must contain only one",
        suggestion: "jq '.[0]'\(file) > one-config.json")
    }
    guard case .map(let entries) = value, !isConfig(value),
      let key = entries.first(where: { isConfig($0.value) })?.key.text
    else { return nil }
    let isPlain = key.utf8.allSatisfy {
      $0 == UInt8(ascii: "_") || UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20
    }
    let filter = isPlain ? "." + key : ShellWord.quoted(".[\(Value.string(key).json)]")
    return Diagnostic(
      .decodeFailure, "the config is one level deeper, in '\(key)'",
      suggestion: "jq \(filter)\(file) > one-config.json")
  }

  private static func isConfig(_ value: Value) -> Bool {
    value["trigger_options"]?.elements != nil || value["campaigns"]?.elements != nil
  }
}
