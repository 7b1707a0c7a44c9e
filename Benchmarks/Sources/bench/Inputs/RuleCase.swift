internal import Expressions

/// A rule to measure, and what it must come to.
struct RuleCase: Sendable {
  /// The rule that does nothing: what it costs is the cost of asking.
  static let floorID = "r00"

  var id: String
  var expression: String
  /// Results by the name of the context, in the order of the names.
  var expected: [(context: String, holds: Bool)]

  /// Reads rules, one JSON object a line: `{"id", "expr", "expect": {"A": true, ...}}`.
  static func parse(_ bytes: [UInt8], path: String) throws(InputError) -> [RuleCase] {
    var rules: [RuleCase] = []
    for value in try JSONInput.parseLines(bytes, path: path) {
      guard case .string(let id)? = value["id"], case .string(let text)? = value["expr"],
        case .map(let entries)? = value["expect"], !entries.isEmpty
      else { throw InputError(path, "a rule has 'id', 'expr' and 'expect'") }
      var rule = RuleCase(id: id, expression: text, expected: [])
      for entry in entries {
        guard case .string(let context) = entry.key, case .bool(let holds) = entry.value else {
          throw InputError("\(path), \(id)", "'expect' holds true or false by context")
        }
        rule.expected.append((context, holds))
      }
      rule.expected.sort { $0.context < $1.context }
      rules.append(rule)
    }
    return rules
  }
}

/// The contexts that rules are evaluated in, by name.
struct Contexts: Sendable {
  private(set) var all: [(name: String, value: Value)] = []

  /// Reads one JSON object of contexts.
  init(_ bytes: [UInt8], path: String) throws(InputError) {
    guard case .map(let entries) = try JSONInput.parse(bytes, place: path) else {
      throw InputError(path, "contexts are one object, by name")
    }
    for entry in entries {
      guard case .string(let name) = entry.key, case .map = entry.value else {
        throw InputError(path, "a context is an object")
      }
      all.append((name, entry.value))
    }
  }

  subscript(name: String) -> Value? { all.first { $0.name == name }?.value }
}

/// JSON that a person wrote or named on the command line.
enum JSONInput {
  static func parse(_ bytes: some Sequence<UInt8>, place: String) throws(InputError) -> Value {
    do throws(JSONFault) {
      return try Value.parse(json: bytes)
    } catch {
      throw InputError(place, "\(error.message) (at byte \(error.offset))")
    }
  }
  /// One value a line; blank lines are passed over.
  static func parseLines(_ bytes: [UInt8], path: String) throws(InputError) -> [Value] {
    var values: [Value] = []
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (number, line) in lines.enumerated() where line.contains(where: { $0 > 0x20 }) {
      values.append(try parse(line, place: "\(path):\(number + 1)"))
    }
    return values
  }
}
