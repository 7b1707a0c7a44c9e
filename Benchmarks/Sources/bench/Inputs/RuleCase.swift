internal import Expressions

/// A rule to measure, and its expected result.
struct RuleCase: Sendable {
  /// The empty rule. Its cost is that of an evaluation alone.
  static let floorID = "r00"

  var id: String
  var expression: String
  /// Results by the name of the context, in the order of the names.
  var expected: [(context: String, holds: Bool)]

  /// Parses rules, one JSON object per line: `{"id", "expr", "expect": {"A": true, ...}}`.
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

/// The contexts for evaluating rules, by name.
struct Contexts: Sendable {
  private(set) var all: [(name: String, value: Value)] = []

  /// Parses one JSON object of contexts.
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

/// JSON from a hand-written file, or from a file on the command line.
enum JSONInput {
  static func parse(_ bytes: some Sequence<UInt8>, place: String) throws(InputError) -> Value {
    do throws(JSONFault) {
      return try Value.parse(json: bytes)
    } catch {
      throw InputError(place, "\(error.message) (at byte \(error.offset))")
    }
  }
  /// One value per line. Blank lines are skipped.
  static func parseLines(_ bytes: [UInt8], path: String) throws(InputError) -> [Value] {
    var values: [Value] = []
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (number, line) in lines.enumerated() where line.contains(where: { $0 > 0x20 }) {
      values.append(try parse(line, place: "\(path):\(number + 1)"))
    }
    return values
  }
}
