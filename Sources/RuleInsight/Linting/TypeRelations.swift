internal import Expressions
internal import RuleEngine

/// Finds comparisons whose operands have incompatible types, and values that can never be equal.
extension TypeReading {
  mutating func relate(_ relation: Relation) {
    let (left, right) = (kind(relation.left), kind(relation.right))
    switch relation.kind {
    case .equal, .notEqual: equate(relation, left, right)
    case .in: contain(relation, left, right)
    default: order(relation, left, right)
    }
  }

  private mutating func equate(_ relation: Relation, _ left: Kind, _ right: Kind) {
    if compareWithTime(relation, left, right) { return }
    if canBeEqual(left, right) && !isTextWithNumber(relation, left, right)
      && !isCodeWithBool(relation) || isZero(relation.right) || isZero(relation.left)
    {
      return choose(relation, left, right)
    }
    let outcome = relation.kind == .equal ? "never equal" : "always different"
    report(
      .typeError, relation.id,
      "\(described(relation.left, left)) and \(described(relation.right, right)) are \(outcome)",
      suggestion: conversion(relation, left, right))
  }

  /// Reports the comparison of an attribute with a time, because users' values come from JSON,
  /// which has no times.
  private mutating func compareWithTime(_ relation: Relation, _ left: Kind, _ right: Kind) -> Bool {
    let sides = [(relation.left, left, right), (relation.right, right, left)]
    for (id, kind, other) in sides
    where other == .time && expression.path(id) != nil && (kind == .any || kind == .anyText) {
      let text = expression.text(id)
      let effect =
        relation.isOrder ? "comparing them is an error" : "the two are never equal"
      report(
        .typeError, relation.id, "'\(text)' is a string or a number, not a time: \(effect)",
        suggestion: "write timestamp(\(text))")
      return true
    }
    return false
  }

  /// A suggestion to add or remove quotes if a number is compared with a string.
  private func conversion(_ relation: Relation, _ left: Kind, _ right: Kind) -> String? {
    switch (left, right) {
    case (.number, .text(let words)) where words.allSatisfy { Double($0) != nil }:
      "write the number without quotes"
    case (.text, .number) where expression.literal(relation.right) != nil:
      "write \"\(expression.text(relation.right))\""
    default: nil
    }
  }

  private func described(_ id: ParsedExpression.ID, _ kind: Kind) -> String {
    let text = expression.text(id)
    return text.utf8.count > 40 ? kind.name : "\(text) (\(kind.name))"
  }

  /// Whether a value equals the superscript default of a missing attribute, so that comparing with
  /// it tests whether the attribute is missing.
  private func isZero(_ id: ParsedExpression.ID) -> Bool {
    guard isSuperscript, let literal = expression.literal(id) else { return false }
    let zeros: [Value] = [.int(0), .double(0), .string(""), .bool(false), .string("false")]
    return zeros.contains(literal)
  }

  /// Whether a string attribute is compared with a number. Only strings in the expression are also
  /// compared as numbers.
  private func isTextWithNumber(_ relation: Relation, _ left: Kind, _ right: Kind) -> Bool {
    let sides = [(relation.left, left, relation.right), (relation.right, right, relation.left)]
    return sides.contains { attribute, kind, other in
      expression.path(attribute) != nil && kind == .anyText
        && expression.literal(other)?.number != nil
    }
  }

  /// Whether a string that SDKs send, such as a region, is compared with a bool.
  private func isCodeWithBool(_ relation: Relation) -> Bool {
    let sides = [(relation.left, relation.right), (relation.right, relation.left)]
    return sides.contains { attribute, other in
      guard let path = expression.path(attribute), path.count == 2, path[0] == "device" else {
        return false
      }
      return schema.attribute(path)?.kind == .anyText && expression[other].kind == .bool
    }
  }

  private func canBeEqual(_ a: Kind, _ b: Kind) -> Bool {
    if a.isLike(b) { return true }
    guard isSuperscript else { return false }
    switch (a, b) {
    // A numeric string in the expression is also compared as a number.
    case (.number, .text(let words)), (.text(let words), .number):
      return words.isEmpty || words.contains { Double($0) != nil }
    // The strings "true" and "false" are bools.
    case (.bool, .text(let words)), (.text(let words), .bool):
      return words.isEmpty || words.contains("true") || words.contains("false")
    default: return false
    }
  }

  private mutating func order(_ relation: Relation, _ left: Kind, _ right: Kind) {
    for (id, kind) in [(relation.left, left), (relation.right, right)] {
      switch kind {
      case .list, .map:
        return report(.typeError, id, "\(kind.name) has no order: comparing it is an error")
      default: continue
      }
    }
    if compareWithTime(relation, left, right) { return }
    guard !left.isLike(right) else { return }
    report(
      .typeError, relation.id,
      "\(described(relation.left, left)) and \(described(relation.right, right)) have no order: "
        + "comparing them is an error",
      suggestion: conversion(relation, left, right)
        ?? (left == .bool || right == .bool
          ? "join two comparisons with '&&', as in a < b && b < c" : nil))
  }

  private mutating func contain(_ relation: Relation, _ left: Kind, _ right: Kind) {
    switch right {
    case .list(let element):
      // Elements of a list are not converted.
      if !left.isLike(element) {
        report(
          .typeError, relation.id,
          "\(described(relation.left, left)) is never in a list whose elements are \(element.name)")
      } else {
        choose(relation, left, element)
      }
    case .text:
      if isSuperscript, left.isLike(.anyText) { return }
      report(
        .typeError, relation.id,
        isSuperscript
          ? "\(left.name) is never in a string"
          : "'in' takes a list or a map, and this is a string",
        suggestion: isSuperscript ? nil : "write text.contains(part)")
    case .number, .bool, .time, .span:
      report(
        .typeError, relation.right,
        "'in' takes \(isSuperscript ? "a list, a map or a string" : "a list or a map"), and this is "
          + right.name)
    case .any, .null, .map: return
    }
  }

  // MARK: Words

  /// Reports literals that an attribute with few values never has.
  private mutating func choose(_ relation: Relation, _ left: Kind, _ right: Kind) {
    guard let (attribute, literals) = relation.attributeWithLiterals(in: expression),
      let path = expression.path(attribute),
      case .text(let words)? = schema.attribute(path)?.kind, !words.isEmpty
    else { return }
    let isSample = schema.attribute(path)?.isSample ?? false
    for literal in literals {
      guard case .string(let text)? = expression.literal(literal), !words.contains(text),
        !text.isEmpty
      else { continue }
      let meant = words.first { NearNames.isSameWord($0, text) }
      // Few users may not have every possible value.
      if isSample, meant == nil, !words.contains(where: { NearNames.isSlip(text, of: $0) }) {
        continue
      }
      let close = meant ?? Suggestion.closest(to: text, among: words)
      report(
        .valueNotInEnum, literal, "'\(path.joined(separator: "."))' is never \"\(text)\"",
        suggestion: close.map { "did you mean \"\($0)\"?" }
          ?? "it is one of \(words.prefix(8).joined(separator: ", "))",
        fix: meant.map {
          Diagnostic.Fix(
            [Diagnostic.Fix.Edit(expression[literal].range, Value.string($0).json)], isSafe: true)
        }, subject: attribute)
    }
  }
}
