import Expressions

/// Equality as the specification has it: total, deep, numbers by value, texts by bytes.
enum ReferenceEquality {
  static func areEqual(_ a: Value, _ b: Value) -> Bool {
    switch (a, b) {
    case (.null, .null): return true
    case (.bool(let x), .bool(let y)): return x == y
    case (.string(let x), .string(let y)): return Array(x.utf8) == Array(y.utf8)
    case (.int(let x), .int(let y)): return x == y
    case (_, _) where a.isNumber && b.isNumber: return NumberOrder.compare(a, b) == 0
    case (.list(let x), .list(let y)):
      return x.count == y.count && zip(x, y).allSatisfy { areEqual($0, $1) }
    case (.map(let x), .map(let y)):
      return x.count == y.count
        && x.allSatisfy { entry in
          y.contains { areEqual($0.key, entry.key) && areEqual($0.value, entry.value) }
        }
    default: return false
    }
  }

  /// -1, 0 or 1.
  static func order(_ a: [UInt8], _ b: [UInt8]) -> Int {
    a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
  }

  /// Whether two values are the same in every respect: type, sign of zero, order of entries.
  static func areIdentical(_ a: Value, _ b: Value) -> Bool {
    switch (a, b) {
    case (.double(let x), .double(let y)):
      return x.bitPattern == y.bitPattern || x.isNaN && y.isNaN
    case (.string(let x), .string(let y)): return Array(x.utf8) == Array(y.utf8)
    case (.list(let x), .list(let y)):
      return x.count == y.count && zip(x, y).allSatisfy { areIdentical($0, $1) }
    case (.map(let x), .map(let y)):
      return x.count == y.count
        && zip(x, y).allSatisfy {
          areIdentical($0.key, $1.key) && areIdentical($0.value, $1.value)
        }
    case (.int, .int), (.uint, .uint), (.bool, .bool), (.null, .null): return a == b
    default: return false
    }
  }
}

/// Arithmetic without mixing of types, overflow being an error.
enum ReferenceArithmetic {
  typealias Result = ReferenceInterpreter.Result

  static func negate(_ value: Value) -> Result {
    switch value {
    case .int(let number): number == .min ? .error(.overflow) : .value(.int(-number))
    case .double(let number): .value(.double(-number))
    default: .error(.noSuchOverload)
    }
  }

  static func apply(_ operation: ReferenceOperator, _ left: Value, _ right: Value) -> Result {
    switch (left, right) {
    case (.int(let a), .int(let b)): return whole(operation, a, b) { .int($0) }
    case (.uint(let a), .uint(let b)): return whole(operation, a, b) { .uint($0) }
    case (.double(let a), .double(let b)): return real(operation, a, b)
    case (.string(let a), .string(let b)) where operation == .add: return .value(.string(a + b))
    case (.list(let a), .list(let b)) where operation == .add: return .value(.list(a + b))
    default: return .error(.noSuchOverload)
    }
  }

  private static func whole<Number: FixedWidthInteger>(
    _ operation: ReferenceOperator, _ a: Number, _ b: Number, _ make: (Number) -> Value
  ) -> Result {
    let result: (partialValue: Number, overflow: Bool)
    switch operation {
    case .add: result = a.addingReportingOverflow(b)
    case .subtract: result = a.subtractingReportingOverflow(b)
    case .multiply: result = a.multipliedReportingOverflow(by: b)
    case .divide where b == 0: return .error(.divisionByZero)
    case .divide: result = a.dividedReportingOverflow(by: b)
    case .modulo where b == 0: return .error(.moduloByZero)
    case .modulo: result = a.remainderReportingOverflow(dividingBy: b)
    default: fatalError("\(operation.rawValue) is no arithmetic")
    }
    return result.overflow ? .error(.overflow) : .value(make(result.partialValue))
  }

  private static func real(_ operation: ReferenceOperator, _ a: Double, _ b: Double) -> Result {
    switch operation {
    case .add: .value(.double(a + b))
    case .subtract: .value(.double(a - b))
    case .multiply: .value(.double(a * b))
    case .divide: .value(.double(a / b))
    default: .error(.noSuchOverload)
    }
  }
}
