import Expressions

/// What the CEL specification says an expression comes to, written for clarity: a walk over the
/// tree that copies values and knows no slots, cells, constants or instructions.
struct ReferenceInterpreter {
  /// When several operands err, the specification does not say which error is reported: any of
  /// theirs will do.
  enum Result {
    case value(Value)
    case errors(Set<EvaluationError.Kind>)
    /// The specification leaves this open.
    case unspecified
  }

  /// The roots that the context holds. A root that it does not hold is an empty map.
  var context: Value
  /// The variables of the macros around the expression. One whose value errs is an error where it
  /// is read.
  var locals: [String: Result] = [:]

  func evaluate(_ expression: ReferenceExpression) -> Result {
    switch expression {
    case .literal(let value): return .value(value)
    case .name(let name):
      return locals[name] ?? .value(lookUp(.string(name), in: context) ?? .map([]))
    case .select(let operand, let name):
      return unary(operand) { map in
        guard case .map = map else { return .error(.noSuchOverload) }
        return lookUp(.string(name), in: map).map { .value($0) } ?? .error(.noSuchAttribute)
      }
    case .has(let operand, let name):
      return unary(operand) { map in
        guard case .map = map else { return .error(.noSuchOverload) }
        return .value(.bool(lookUp(.string(name), in: map) != nil))
      }
    case .index(let operand, let key): return binary(operand, key, index)
    case .not(let operand):
      return unary(operand) { value in
        if case .bool(let bool) = value { .value(.bool(!bool)) } else { .error(.noSuchOverload) }
      }
    case .negate(let operand): return unary(operand, ReferenceArithmetic.negate)
    case .binary(.and, let left, let right): return logic(left, right, deciding: false)
    case .binary(.or, let left, let right): return logic(left, right, deciding: true)
    case .binary(let operation, let left, let right):
      return binary(left, right) { apply(operation, $0, $1) }
    case .conditional(let condition, let yes, let no):
      return unary(condition) { value in
        guard case .bool(let holds) = value else { return .error(.noSuchOverload) }
        return evaluate(holds ? yes : no)
      }
    case .list(let elements):
      return all(elements) { .value(.list($0)) }
    case .map(let entries):
      return all(entries.flatMap { [$0.key, $0.value] }, makeMap)
    case .size(let operand, _): return unary(operand, size)
    case .text(let test, let receiver, let argument):
      return binary(receiver, argument) { text(test, $0, $1) }
    case .macro(let macro, let range, let variable, let bodies):
      return unary(range) { loop(macro, over: $0, variable, bodies) }
    case .bind(let variable, let value, let body):
      var inner = self
      inner.locals[variable] = evaluate(value)
      return inner.evaluate(body)
    case .orValue(let operand, let name, let other):
      return unary(operand) { map in
        guard case .map = map else { return .error(.noSuchOverload) }
        return lookUp(.string(name), in: map).map { .value($0) } ?? evaluate(other)
      }
    }
  }

  // MARK: Operands

  private func unary(_ operand: ReferenceExpression, _ body: (Value) -> Result) -> Result {
    all([operand]) { body($0[0]) }
  }

  private func binary(
    _ left: ReferenceExpression, _ right: ReferenceExpression, _ body: (Value, Value) -> Result
  ) -> Result {
    all([left, right]) { body($0[0], $0[1]) }
  }

  /// Strict operators: an operand's error is the result.
  private func all(_ operands: [ReferenceExpression], _ body: ([Value]) -> Result) -> Result {
    allOf(operands.map(evaluate), body)
  }

  private func allOf(_ results: [Result], _ body: ([Value]) -> Result) -> Result {
    var values: [Value] = []
    var errors: Set<EvaluationError.Kind> = []
    for result in results {
      switch result {
      case .value(let value): values.append(value)
      case .errors(let kinds): errors.formUnion(kinds)
      case .unspecified: return .unspecified
      }
    }
    return errors.isEmpty ? body(values) : .errors(errors)
  }

  /// `&&` and `||`: a deciding operand wins over everything, errors included, wherever it stands.
  private func logic(
    _ left: ReferenceExpression, _ right: ReferenceExpression, deciding: Bool
  ) -> Result {
    absorb([evaluate(left), evaluate(right)], deciding: deciding)
  }

  private func absorb(_ results: [Result], deciding: Bool) -> Result {
    var errors: Set<EvaluationError.Kind> = []
    for result in results {
      switch result {
      case .value(.bool(let value)):
        if value == deciding { return .value(.bool(deciding)) }
      case .value: errors.insert(.noSuchOverload)
      case .errors(let kinds): errors.formUnion(kinds)
      case .unspecified: return .unspecified
      }
    }
    return errors.isEmpty ? .value(.bool(!deciding)) : .errors(errors)
  }

  // MARK: Macros

  private func with(_ variable: String, _ value: Value) -> ReferenceInterpreter {
    var inner = self
    inner.locals[variable] = .value(value)
    return inner
  }

  private func loop(
    _ macro: ReferenceMacro, over range: Value, _ variable: String, _ bodies: [ReferenceExpression]
  ) -> Result {
    let elements: [Value]
    switch range {
    case .list(let values): elements = values
    case .map(let entries): elements = entries.map(\.key)
    default: return .error(.noSuchOverload)
    }
    let rounds = elements.map { with(variable, $0) }
    switch macro {
    case .all: return absorb(rounds.map { $0.evaluate(bodies[0]) }, deciding: false)
    case .exists: return absorb(rounds.map { $0.evaluate(bodies[0]) }, deciding: true)
    case .existsOne:
      return choose(rounds, bodies[0], .name(variable)) { .value(.bool($0.count == 1)) }
    case .filter:
      return choose(rounds, bodies[0], .name(variable)) { .value(.list($0)) }
    case .map where bodies.count == 1:
      return allOf(rounds.map { $0.evaluate(bodies[0]) }) { .value(.list($0)) }
    case .map: return choose(rounds, bodies[0], bodies[1]) { .value(.list($0)) }
    }
  }

  /// What `value` is in the rounds in which a condition holds. Nothing is absorbed: an error in
  /// one round is the result.
  private func choose(
    _ rounds: [ReferenceInterpreter], _ condition: ReferenceExpression,
    _ value: ReferenceExpression, _ body: ([Value]) -> Result
  ) -> Result {
    let parts = rounds.map { round in
      round.unary(condition) { holds -> Result in
        guard case .bool(let holds) = holds else { return .error(.noSuchOverload) }
        return holds ? round.unary(value) { .value(.list([$0])) } : .value(.list([]))
      }
    }
    return allOf(parts) { parts in
      var values: [Value] = []
      for case .list(let part) in parts { values += part }
      return body(values)
    }
  }

  // MARK: Operators

  private func apply(_ operation: ReferenceOperator, _ left: Value, _ right: Value) -> Result {
    switch operation {
    case .equal: .value(.bool(ReferenceEquality.areEqual(left, right)))
    case .notEqual: .value(.bool(!ReferenceEquality.areEqual(left, right)))
    case .less: ordered(left, right) { $0 < 0 }
    case .lessOrEqual: ordered(left, right) { $0 <= 0 }
    case .greater: ordered(left, right) { $0 > 0 }
    case .greaterOrEqual: ordered(left, right) { $0 >= 0 }
    case .isIn: isIn(left, right)
    default: ReferenceArithmetic.apply(operation, left, right)
    }
  }

  private func ordered(_ left: Value, _ right: Value, _ holds: (Int) -> Bool) -> Result {
    switch (left, right) {
    case (.string(let a), .string(let b)):
      return .value(.bool(holds(ReferenceEquality.order(Array(a.utf8), Array(b.utf8)))))
    case (.bool(let a), .bool(let b)):
      return .value(.bool(holds((a ? 1 : 0) - (b ? 1 : 0))))
    case (_, _) where left.isNumber && right.isNumber:
      // Nothing is less than, equal to or greater than NaN.
      return .value(.bool(NumberOrder.compare(left, right).map(holds) ?? false))
    default: return .error(.noSuchOverload)
    }
  }

  private func isIn(_ element: Value, _ collection: Value) -> Result {
    switch collection {
    case .list(let elements):
      return .value(.bool(elements.contains { ReferenceEquality.areEqual($0, element) }))
    case .map:
      return element.isMapKey || element.isNumber
        ? .value(.bool(lookUp(element, in: collection) != nil)) : .unspecified
    default: return .error(.noSuchOverload)
    }
  }

  private func index(_ collection: Value, _ key: Value) -> Result {
    switch collection {
    case .list(let elements):
      guard key.isNumber else { return .error(.noSuchOverload) }
      for (i, element) in elements.enumerated()
      where ReferenceEquality.areEqual(.int(Int64(i)), key) {
        return .value(element)
      }
      // A number with a fraction is not an index of any list.
      return .errors([.indexOutOfRange, .noSuchOverload])
    case .map:
      if let value = lookUp(key, in: collection) { return .value(value) }
      return key.isMapKey ? .error(.noSuchAttribute) : .errors([.noSuchAttribute, .noSuchOverload])
    default: return .error(.noSuchOverload)
    }
  }

  private func lookUp(_ key: Value, in map: Value) -> Value? {
    guard case .map(let entries) = map else { return nil }
    return entries.first { ReferenceEquality.areEqual($0.key, key) }?.value
  }

  private func makeMap(_ values: [Value]) -> Result {
    var entries: [Value.Entry] = []
    for i in stride(from: 0, to: values.count, by: 2) {
      let isRepeated = entries.contains { ReferenceEquality.areEqual($0.key, values[i]) }
      guard values[i].isMapKey, !isRepeated else { return .error(.badMapKey) }
      entries.append(Value.Entry(key: values[i], value: values[i + 1]))
    }
    return .value(.map(entries))
  }

  private func size(_ value: Value) -> Result {
    switch value {
    case .string(let text): .value(.int(Int64(text.unicodeScalars.count)))
    case .list(let elements): .value(.int(Int64(elements.count)))
    case .map(let entries): .value(.int(Int64(entries.count)))
    default: .error(.noSuchOverload)
    }
  }

  private func text(_ test: ReferenceTextTest, _ left: Value, _ right: Value) -> Result {
    guard case .string(let text) = left, case .string(let part) = right else {
      return .error(.noSuchOverload)
    }
    let (bytes, wanted) = (Array(text.utf8), Array(part.utf8))
    guard wanted.count <= bytes.count else { return .value(.bool(false)) }
    let starts: [Int] =
      switch test {
      case .contains: Array(0...(bytes.count - wanted.count))
      case .startsWith: [0]
      case .endsWith: [bytes.count - wanted.count]
      }
    return .value(.bool(starts.contains { bytes[$0...].starts(with: wanted) }))
  }
}

extension ReferenceInterpreter.Result {
  static func error(_ kind: EvaluationError.Kind) -> Self { .errors([kind]) }
}

extension Value {
  var isNumber: Bool {
    switch self {
    case .int, .uint, .double: true
    default: false
    }
  }

  /// Whether a map may have this key.
  var isMapKey: Bool {
    switch self {
    case .bool, .int, .uint, .string: true
    default: false
    }
  }
}
