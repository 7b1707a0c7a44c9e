internal import Expressions
internal import RuleEngine

/// Calls: what they take, and what they give.
extension TypeReading {
  mutating func call(_ id: ParsedExpression.ID) -> Kind {
    guard let call = expression.call(id) else { return .any }
    if call.name == "has" { return .bool }
    let isLoop = TypeReading.loops.contains(call.name)
    let target = call.target ?? (isSuperscript ? call.arguments.first : nil)
    let arguments =
      call.target == nil && isSuperscript ? call.arguments.dropFirst() : call.arguments[...]
    // A name space such as `math` is no value.
    let receiver = target.map { isNameSpace($0) ? .any : kind($0) } ?? .any
    var kinds: [Kind] = []
    for argument in isLoop ? arguments.dropFirst() : arguments { kinds.append(kind(argument)) }
    guard let target else { return result(of: call.name, kinds) }
    switch call.name {
    case "startsWith", "endsWith", "matches":
      requireText(target, receiver, call.name)
      if let argument = arguments.first, let kind = kinds.first, !kind.isLike(.anyText) {
        report(.typeError, argument, "\(call.name)() takes a string, and this is \(kind.name)")
      }
      // Patterns are not looked into.
      if call.name != "matches" { choosePart(target, receiver, arguments.first, call.name) }
      return .bool
    case "contains":
      containing(target, receiver)
      choosePart(target, receiver, arguments.first, call.name)
      return .bool
    case "all", "exists", "exists_one", "existsOne", "map", "filter":
      requireElements(target, receiver, call.name)
      return ["map", "filter"].contains(call.name) ? .list(.any) : .bool
    case "size":
      requireSize(target, receiver)
      return .number
    default: return result(of: call.name, [receiver] + kinds)
    }
  }

  private static let loops: Set<String> = [
    "all", "exists", "exists_one", "existsOne", "map", "filter", "sortBy", "transformList",
    "transformMap", "transformMapEntry", "optMap", "optFlatMap",
  ]

  private func isNameSpace(_ id: ParsedExpression.ID) -> Bool {
    let node = expression[id]
    return node.kind == .identifier
      && !["user", "device", "params", "computed"].contains(expression.text(id))
  }

  private func result(of name: String, _ kinds: [Kind]) -> Kind {
    if ComputedProperty.Kind.allCases.contains(where: { $0.functionName == name }) {
      return isSuperscript ? .number : .any
    }
    switch name {
    case "int", "uint", "double": return .number
    case "string": return .anyText
    case "bool", "hasFn": return .bool
    case "timestamp": return .time
    case "duration": return .span
    // A function that CEL does not take as a method is told by compiling it.
    case "size": return .number
    default: return .any
    }
  }

  // MARK: What functions take

  private mutating func requireText(_ target: ParsedExpression.ID, _ kind: Kind, _ name: String) {
    guard !kind.isLike(.anyText) else { return }
    report(
      .typeError, target, "\(name)() is of texts, and this is \(kind.name): calling it is an error")
  }

  private mutating func containing(_ target: ParsedExpression.ID, _ kind: Kind) {
    switch kind {
    case .text, .any, .null, .map, .list: return
    case .bool, .number, .time, .span:
      report(
        .typeError, target, "\(kind.name) contains nothing: this is never true")
    }
  }

  /// A part that none of the few values of an attribute has.
  private mutating func choosePart(
    _ target: ParsedExpression.ID, _ kind: Kind, _ argument: ParsedExpression.ID?, _ name: String
  ) {
    guard case .text(let words) = kind, !words.isEmpty, let path = expression.path(target),
      let argument, case .string(let part)? = expression.literal(argument)
    else { return }
    let verb: String
    let fits: (String) -> Bool
    switch name {
    case "startsWith":
      verb = "starts with"
      fits = { $0.hasPrefix(part) }
    case "endsWith":
      verb = "ends with"
      fits = { $0.hasSuffix(part) }
    default:
      verb = "contains"
      fits = { $0.contains(part) }
    }
    guard !words.contains(where: fits) else { return }
    report(
      .valueNotInEnum, argument, "'\(path.joined(separator: "."))' never \(verb) \"\(part)\"",
      suggestion: "it is one of \(words.prefix(8).joined(separator: ", "))", subject: target)
  }

  private mutating func requireElements(
    _ target: ParsedExpression.ID, _ kind: Kind, _ name: String
  ) {
    switch kind {
    case .any, .null, .list, .map: return
    case .text, .bool, .number, .time, .span:
      report(
        .typeError, target,
        "\(name)() is of lists and maps, and this is \(kind.name): calling it is an error")
    }
  }

  private mutating func requireSize(_ target: ParsedExpression.ID, _ kind: Kind) {
    switch kind {
    case .any, .null, .list, .map, .text: return
    case .bool, .number, .time, .span:
      report(.typeError, target, "\(kind.name) has no size: asking for it is an error")
    }
  }
}
