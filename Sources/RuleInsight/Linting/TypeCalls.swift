internal import Expressions
internal import RuleEngine

/// Checks the parameters and results of calls, according to the tables of functions.
extension TypeReading {
  mutating func call(_ id: ParsedExpression.ID) -> Kind {
    guard let call = CalledFunction(id, in: expression, language) else { return .any }
    if let unused = call.unused { _ = kind(unused) }
    lackArgument(id, call)
    var kinds: [Kind] = []
    for (place, operand) in call.operands.enumerated() {
      kinds.append(call.isName(place) ? .any : kind(operand))
    }
    for place in kinds.indices { require(place, kinds[place], call) }
    if let target = call.operands.first, let kind = kinds.first, kinds.count > 1 {
      choosePart(target, kind, call.operands[1], call.name)
    }
    let taking = call.signatures.filter { signature in
      kinds.indices.allSatisfy { place in
        guard let part = signature.operand(place) else { return true }
        return fits(kinds[place], part.types, call.operands[place])
      }
    }
    let results = (taking.isEmpty ? call.signatures : taking).map {
      TypeReading.kind(of: $0.result)
    }
    return results.dropFirst().reduce(results.first ?? .any) { $0.joined($1) }
  }

  /// The type of a parameter or result in a signature.
  private static func kind(of part: FunctionSignature.Part) -> Kind {
    let types = part.types.subtracting(TypeSet(.null))
    if types.isEmpty { return .null }
    if TypeSet.number.isSuperset(of: types) { return .number }
    switch types {
    case TypeSet(.bool): return .bool
    case TypeSet(.string): return .anyText
    case TypeSet(.timestamp): return .time
    case TypeSet(.duration): return .span
    case TypeSet(.map): return .map
    case TypeSet(.list): return .list(kind(of: .init(types: part.elements)))
    default: return .any
    }
  }

  /// Reports a call whose receiver superscript uses as the argument: `user.email.size()`.
  private mutating func lackArgument(_ id: ParsedExpression.ID, _ call: CalledFunction) {
    guard isSuperscript, call.operands.isEmpty, call.signatures.isEmpty, let target = call.unused,
      !FunctionPage.signatures(of: call.name, in: .superscript).isEmpty
    else { return }
    report(
      .typeError, id, "\(call.name)() needs an argument: calling it is an error",
      suggestion: "write \(call.name)(\(expression.text(target)))")
  }

  // MARK: Arguments

  /// Whether a value may have one of the types.
  private func fits(_ kind: Kind, _ types: TypeSet, _ id: ParsedExpression.ID) -> Bool {
    switch kind {
    case .any, .null: true
    case .bool: types.contains(TypeSet(.bool))
    case .number: !types.isDisjoint(with: .number)
    // Superscript reads the strings "true" and "false" as bools.
    case .text:
      types.contains(TypeSet(.string)) || isSuperscript && types.contains(TypeSet(.bool))
    case .list: types.contains(TypeSet(.list))
    case .map: types.contains(TypeSet(.map))
    case .time: types.contains(TypeSet(.timestamp)) || isWritten(id, types)
    case .span: types.contains(TypeSet(.duration)) || isWritten(id, types)
    }
  }

  /// Whether a part is an attribute and may be a string. In JSON, times and durations are strings.
  private func isWritten(_ id: ParsedExpression.ID, _ types: TypeSet) -> Bool {
    expression.path(id) != nil && types.contains(TypeSet(.string))
  }

  private mutating func require(_ place: Int, _ kind: Kind, _ call: CalledFunction) {
    let (types, id) = (call.types(place), call.operands[place])
    guard !fits(kind, types, id) else { return }
    // The argument of `or()` only matters if its receiver has no value.
    if place > 0, types == TypeSet(.optional) { return }
    if isSuperscript, call.name == "contains" {
      return report(.typeError, id, "\(kind.name) contains nothing: this is never true")
    }
    report(
      .typeError, id,
      "\(call.name)() needs \(types.words), and this is \(kind.name): calling it is an error",
      suggestion: conversion(of: id, kind, to: types))
  }

  /// The call that converts a string to the required type.
  private func conversion(of id: ParsedExpression.ID, _ kind: Kind, to types: TypeSet) -> String? {
    guard !isSuperscript, kind.isLike(.anyText) else { return nil }
    let makers: [(TypeName, String)] = [
      (.timestamp, "timestamp"), (.duration, "duration"), (.ip, "ip"), (.cidr, "cidr"),
    ]
    let text = expression.text(id)
    guard text.utf8.count <= 40, let maker = makers.first(where: { types == TypeSet($0.0) }) else {
      return nil
    }
    return "write \(maker.1)(\(text))"
  }

  /// Reports a string that none of an attribute's few values contains.
  private mutating func choosePart(
    _ target: ParsedExpression.ID, _ kind: Kind, _ argument: ParsedExpression.ID, _ name: String
  ) {
    guard case .text(let words) = kind, !words.isEmpty, let path = expression.path(target),
      case .string(let part)? = expression.literal(argument)
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
    case "contains":
      verb = "contains"
      fits = { $0.contains(part) }
    default: return
    }
    guard !words.contains(where: fits) else { return }
    report(
      .valueNotInEnum, argument, "'\(path.joined(separator: "."))' never \(verb) \"\(part)\"",
      suggestion: "it is one of \(words.prefix(8).joined(separator: ", "))", subject: target)
  }
}
