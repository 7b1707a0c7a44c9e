extension EvaluationError: CustomStringConvertible {
  /// A description of the error.
  public var description: String {
    switch kind {
    case .noSuchAttribute: "an attribute, a key or a field is missing"
    case .noSuchOverload:
      operandTypes.isEmpty
        ? "an operator or a function does not take values of these types"
        : "an operator or a function does not take \(operandTypes.joined(separator: " and "))"
    case .overflow: "the number does not fit into 64 bits"
    case .divisionByZero: "division by zero"
    case .moduloByZero: "remainder of a division by zero"
    case .indexOutOfRange: "the list has no element at this index"
    case .conversion: "the value cannot be converted"
    case .badMapKey: "a map has a repeated key, or a key that is not a bool, int, uint or string"
    case .badRegex: "the pattern is not a regular expression"
    case .limitExceeded: "the evaluation exceeds its limit of time or memory"
    case .unknownValue: "the value depends on an attribute that is not known"
    case .undeclaredName: "a variable has no value, or a function does not exist"
    case .nullComparison: "a value is compared with null"
    case .badArgument: "an argument is missing or has no value"
    case .fatalArgument: "an argument cannot be evaluated"
    }
  }
}
