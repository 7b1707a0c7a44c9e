/// A function that an app adds to the language of its expressions.
///
/// ```swift
/// let discount = CustomFunction("discount", arguments: 2) { arguments throws(EvaluationError) in
///   guard case .double(let price) = arguments[0], case .string(let plan) = arguments[1] else {
///     throw EvaluationError(.noSuchOverload)
///   }
///   return .double(plan == "student" ? price / 2 : price)
/// }
/// let environment = ExpressionEnvironment(functions: [discount])
/// let program = try environment.compile("discount(params.price, user.plan) < 5.0").get()
/// try program.evaluate(["params": ["price": 8.0], "user": ["plan": "student"]])  // true
/// try program.evaluate(["params": ["price": 8], "user": ["plan": "pro"]])  // throws no-such-overload
/// ```
///
/// The function is called only if every argument has a value. If an argument is missing or fails, the call fails. The
/// result must depend only on the arguments, because the number and the order of calls are not defined, and several
/// threads can call the function at the same time. No limit applies to its running time. The size of the result counts
/// towards ``Limits/memoryBytes``.
///
/// Superscript does not support custom functions.
public struct CustomFunction: Sendable {
  /// The name; `geo.distance` is in the name space `geo`.
  public let name: String
  /// The allowed number of arguments, including the receiver; at most ``mostArguments``.
  public let arguments: ClosedRange<Int>
  /// Whether the function is called as `a.name(b)`. Otherwise, the function is called as `name(a, b)`.
  public let isMethod: Bool
  let body: @Sendable ([Value]) throws(EvaluationError) -> Value

  /// The most arguments that a function can take.
  public static let mostArguments = 250

  /// Creates a function. The function replaces a built-in function that is called in the same way.
  ///
  /// - Parameters:
  ///   - name: the name; `geo.distance` is in the name space `geo`.
  ///   - arguments: the allowed number of arguments, including the receiver; at most ``mostArguments``.
  ///   - isMethod: whether the function is called as `a.name(b)`. Otherwise, the function is called as `name(a, b)`.
  ///   - body: computes the result from the arguments. The receiver is the first argument.
  public init(
    _ name: String, arguments: ClosedRange<Int>, isMethod: Bool = false,
    _ body: @escaping @Sendable ([Value]) throws(EvaluationError) -> Value
  ) {
    self.name = name
    self.arguments = arguments.clamped(to: (isMethod ? 1 : 0)...CustomFunction.mostArguments)
    self.isMethod = isMethod
    self.body = body
  }

  /// Creates a function with a fixed number of arguments.
  public init(
    _ name: String, arguments: Int, isMethod: Bool = false,
    _ body: @escaping @Sendable ([Value]) throws(EvaluationError) -> Value
  ) {
    self.init(name, arguments: arguments...arguments, isMethod: isMethod, body)
  }

  func isNamed(_ name: String) -> Bool { self.name.utf8.elementsEqual(name.utf8) }

  /// A call with these arguments, as written in an expression.
  func call(_ arguments: [String]) -> String {
    guard isMethod, let receiver = arguments.first else {
      return "\(name)(\(arguments.joined(separator: ", ")))"
    }
    return "\(receiver).\(name)(\(arguments.dropFirst().joined(separator: ", ")))"
  }

  /// How to call the function, for messages.
  var usage: String { call(["a", "b", "c", "d"].prefix(arguments.lowerBound).map { $0 }) }
}
