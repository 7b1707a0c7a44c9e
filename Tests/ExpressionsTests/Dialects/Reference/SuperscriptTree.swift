import Expressions

/// A superscript expression as the reference sees it, independent of the engine's syntax tree.
indirect enum SuperscriptTree {
  case literal(Value)
  case name(String)
  case member(SuperscriptTree, String)
  case index(SuperscriptTree, SuperscriptTree)
  case list([SuperscriptTree])
  case map([(key: SuperscriptTree, value: SuperscriptTree)])
  /// `!`, `!!`, `-` or `--` before an operand.
  case unary(String, SuperscriptTree)
  case arithmetic(SuperscriptTree, String, SuperscriptTree)
  case relation(SuperscriptTree, String, SuperscriptTree)
  case and(SuperscriptTree, SuperscriptTree)
  case or(SuperscriptTree, SuperscriptTree)
  case choice(SuperscriptTree, SuperscriptTree, SuperscriptTree)
  case call(String, receiver: SuperscriptTree?, [SuperscriptTree])

  // What rewriting adds.

  /// Null where a member is missing.
  case nullIfMissing(SuperscriptTree)
  case orDefault(SuperscriptTree, Value)
  /// False where the first is missing.
  case ifThere(SuperscriptTree, SuperscriptTree)
}

extension SuperscriptTree {
  /// The expression as text. Whatever is not an atom stands in parentheses.
  var source: String {
    switch self {
    case .literal(let value): return SuperscriptTree.text(value)
    case .name(let name): return name
    case .member(let value, let name): return "\(value.receiver).\(name)"
    case .index(let value, let key): return "\(value.receiver)[\(key.source)]"
    case .list(let elements): return "[" + elements.map(\.source).joined(separator: ", ") + "]"
    case .map(let entries):
      return "{"
        + entries.map { "\($0.key.source): \($0.value.source)" }.joined(separator: ", ") + "}"
    case .unary(let sign, let value): return "\(sign)(\(value.source))"
    case .arithmetic(let a, let sign, let b), .relation(let a, let sign, let b):
      return "\(a.operand) \(sign) \(b.operand)"
    case .and(let a, let b): return "\(a.operand) && \(b.operand)"
    case .or(let a, let b): return "\(a.operand) || \(b.operand)"
    case .choice(let test, let yes, let no):
      return "\(test.operand) ? \(yes.operand) : \(no.operand)"
    case .call(let name, let receiver, let arguments):
      return (receiver.map { $0.receiver + "." } ?? "") + name + "("
        + arguments.map(\.source).joined(separator: ", ") + ")"
    case .nullIfMissing, .orDefault, .ifThere: return "?"
    }
  }

  private var operand: String {
    switch self {
    case .literal, .name, .member, .index, .list, .map, .call: source
    default: "(\(source))"
    }
  }

  /// Numbers take a point for a part of themselves, so they too stand in parentheses.
  private var receiver: String {
    switch self {
    case .literal(.int), .literal(.double): "(\(source))"
    default: operand
    }
  }

  private static func text(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .int(let number): "\(number)"
    case .double(let number): real(number)
    case .string(let text): quoted(text)
    case .bytes(let bytes): "b" + quoted(String(decoding: bytes, as: UTF8.self))
    default: fatalError("\(value.typeName) has no literal")
    }
  }

  /// There is neither infinity nor an exponent without digits before it.
  private static func real(_ number: Double) -> String {
    number == .infinity ? "1e400" : number.description
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for character in text.unicodeScalars {
      switch character {
      case "\"", "\\": result += "\\\(character)"
      case "\n": result += "\\n"
      default: result.unicodeScalars.append(character)
      }
    }
    return result + "\""
  }

  /// In the behavior `skip`, the paths whose strings stay strings: those beside a string in a relation.
  /// Arguments of calls and keys of indexes are not looked into.
  var keptPaths: Set<String> {
    var paths: Set<String> = []
    switch self {
    case .relation(let a, _, let b):
      if case .literal(.string) = b, let path = a.dotted { paths.insert(path) }
      if case .literal(.string) = a, let path = b.dotted { paths.insert(path) }
      return paths.union(a.keptPaths).union(b.keptPaths)
    case .call(_, let receiver, _): return receiver?.keptPaths ?? []
    case .index(let value, _): return value.keptPaths
    default: return children.reduce(into: []) { $0.formUnion($1.keptPaths) }
    }
  }

  private var dotted: String? {
    switch self {
    case .name(let name): name
    case .member(let value, let name): value.dotted.map { "\($0).\(name)" }
    case .index(let value, .literal(.string(let key))): value.dotted.map { "\($0).\(key)" }
    default: nil
    }
  }

  var children: [SuperscriptTree] {
    switch self {
    case .literal, .name: []
    case .member(let value, _), .unary(_, let value), .nullIfMissing(let value),
      .orDefault(let value, _):
      [value]
    case .index(let a, let b), .arithmetic(let a, _, let b), .relation(let a, _, let b),
      .and(let a, let b), .or(let a, let b), .ifThere(let a, let b):
      [a, b]
    case .list(let elements): elements
    case .map(let entries): entries.flatMap { [$0.key, $0.value] }
    case .choice(let a, let b, let c): [a, b, c]
    case .call(_, let receiver, let arguments): (receiver.map { [$0] } ?? []) + arguments
    }
  }
}

/// The rewriting that superscript does before it evaluates: truth words become bools, members get
/// something in their place where they are missing, numbers in quotes are tried as numbers too or, in
/// some behaviors, are numbers.
struct SuperscriptRewriting {
  var functions: HostFunctions
  var behavior = EvaluatorBehavior.text
  /// Whether a call of `has` or `hasFn` is around it, in which members may be missing.
  var isAsked = false

  func rewrite(_ tree: SuperscriptTree) -> SuperscriptTree {
    if behavior == .raw { return tree }
    switch tree {
    case .literal("true"): return .literal(true)
    case .literal("false"): return .literal(false)
    case .literal(.string(let text)) where behavior.readsNumbers:
      return .literal(SuperscriptNumbers.normalized(text) ?? .string(text))
    case .literal, .name: return tree
    case .member(let value, let name): return guarded(.member(rewrite(value), name))
    // Keys stay as they are.
    case .index(let value, let key): return guarded(.index(rewrite(value), key))
    case .list(let elements): return .list(elements.map(rewrite))
    case .map(let entries): return .map(entries.map { (rewrite($0.key), rewrite($0.value)) })
    case .unary(let sign, let value): return .unary(sign, rewrite(value))
    case .arithmetic(let a, let sign, let b): return .arithmetic(rewrite(a), sign, rewrite(b))
    case .and(let a, let b): return .and(rewrite(a), rewrite(b))
    case .or(let a, let b): return .or(rewrite(a), rewrite(b))
    case .choice(let a, let b, let c): return .choice(rewrite(a), rewrite(b), rewrite(c))
    case .relation(let a, let sign, let b): return relation(a, sign, rewrite(b))
    case .call(let name, let receiver, let arguments):
      var inner = self
      if name == "has" || name == "hasFn" { inner.isAsked = true }
      return .call(name, receiver: receiver.map(rewrite), arguments.map(inner.rewrite))
    case .nullIfMissing, .orDefault, .ifThere: return tree
    }
  }

  private func guarded(_ member: SuperscriptTree) -> SuperscriptTree {
    isAsked ? member : .nullIfMissing(member)
  }

  private func relation(_ left: SuperscriptTree, _ sign: String, _ right: SuperscriptTree)
    -> SuperscriptTree
  {
    switch left {
    case .member, .index:
      if let zero = zero(right) { return numeric(.orDefault(left, zero), sign, right) }
      return .ifThere(left, numeric(left, sign, right))
    case .call(let name, .name("device"), _)
    where !functions.device.contains(name) && !SuperscriptInterpreter.own.contains(name),
      .call(let name, .name("computed"), _)
    where !functions.computed.contains(name) && !SuperscriptInterpreter.own.contains(name):
      // The original asks while it evaluates whether there is such a function: what is left is false,
      // but no literal.
      let none = SuperscriptTree.choice(.literal(false), .literal(false), .literal(false))
      return zero(right).map { numeric(.literal($0), sign, right) } ?? none
    default: return numeric(rewrite(left), sign, right)
    }
  }

  private func zero(_ tree: SuperscriptTree) -> Value? {
    guard case .literal(let value) = tree else { return nil }
    switch value {
    case .bool: return false
    case .int: return 0
    case .uint: return .uint(0)
    case .double: return .double(0)
    case .string: return ""
    default: return .null
    }
  }

  private func numeric(_ left: SuperscriptTree, _ sign: String, _ right: SuperscriptTree)
    -> SuperscriptTree
  {
    let plain = SuperscriptTree.relation(left, sign, right)
    guard behavior == .text, sign == "==" || sign == "!=" else { return plain }
    var other: SuperscriptTree?
    if case .literal(.string(let text)) = right, let number = SuperscriptNumbers.parse(text) {
      other = .relation(left, sign, .literal(number))
    } else if case .literal(.string(let text)) = left, let number = SuperscriptNumbers.parse(text) {
      other = .relation(.literal(number), sign, right)
    }
    return other.map { sign == "==" ? .or(plain, $0) : .and(plain, $0) } ?? plain
  }
}
