internal import Expressions

/// The result of an evaluation, in a form that can be compared.
enum Outcome {
  case value(Value)
  case error(EvaluationError.Kind)

  init(_ evaluate: () throws(EvaluationError) -> Value) {
    do throws(EvaluationError) {
      self = .value(try evaluate())
    } catch {
      self = .error(error.kind)
    }
  }

  var isLimit: Bool {
    if case .error(.limitExceeded) = self { return true }
    return false
  }

  var isTrue: Bool {
    if case .value(.bool(true)) = self { return true }
    return false
  }

  /// The same error, or a value of the same type with the same bits. All NaNs are equal.
  func isSame(as other: Outcome) -> Bool {
    switch (self, other) {
    case (.value(let a), .value(let b)): Outcome.areSame(a, b)
    case (.error(let a), .error(let b)): a == b
    default: false
    }
  }

  private static func areSame(_ a: Value, _ b: Value) -> Bool {
    switch (a, b) {
    case (.double(let a), .double(let b)):
      a.bitPattern == b.bitPattern || a.isNaN && b.isNaN
    case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
    case (.list(let a), .list(let b)):
      a.count == b.count && zip(a, b).allSatisfy { areSame($0, $1) }
    case (.map(let a), .map(let b)):
      a.count == b.count
        && zip(a, b).allSatisfy { areSame($0.key, $1.key) && areSame($0.value, $1.value) }
    case (.optional(let a?), .optional(let b?)): areSame(a, b)
    default: a == b
    }
  }
}
