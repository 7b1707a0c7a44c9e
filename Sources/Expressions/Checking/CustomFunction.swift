/// A function that an app brings for its expressions.
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
/// It is called with values only: a call fails where an argument is missing or fails. Its result has
/// to follow from its arguments alone, because it is not promised how often, in which order, and by
/// how many threads at a time it is called. The time that it takes counts against no limit; what it
/// gives counts as ``Limits/memoryBytes``.
///
/// Superscript has no such functions.
public struct CustomFunction: Sendable {
  /// What it is called; `geo.distance` is in the name space `geo`.
  public let name: String
  /// How many arguments it takes, the receiver among them; at most ``mostArguments``.
  public let arguments: ClosedRange<Int>
  /// Whether it is called as `a.name(b)`, and not as `name(a, b)`.
  public let isMethod: Bool
  let body: @Sendable ([Value]) throws(EvaluationError) -> Value

  /// The most arguments that a function can take.
  public static let mostArguments = 250

  /// It takes the place of a function of the language that is called in the same way.
  ///
  /// - Parameters:
  ///   - name: what it is called; `geo.distance` is in the name space `geo`.
  ///   - arguments: how many it takes, the receiver among them; at most ``mostArguments``.
  ///   - isMethod: whether it is called as `a.name(b)`, and not as `name(a, b)`.
  ///   - body: what it makes of the values of its arguments, the receiver first.
  public init(
    _ name: String, arguments: ClosedRange<Int>, isMethod: Bool = false,
    _ body: @escaping @Sendable ([Value]) throws(EvaluationError) -> Value
  ) {
    self.name = name
    self.arguments = arguments.clamped(to: (isMethod ? 1 : 0)...CustomFunction.mostArguments)
    self.isMethod = isMethod
    self.body = body
  }

  /// A function that always takes so many arguments.
  public init(
    _ name: String, arguments: Int, isMethod: Bool = false,
    _ body: @escaping @Sendable ([Value]) throws(EvaluationError) -> Value
  ) {
    self.init(name, arguments: arguments...arguments, isMethod: isMethod, body)
  }

  func isNamed(_ name: String) -> Bool { self.name.utf8.elementsEqual(name.utf8) }

  /// A call with these arguments, as an expression writes it.
  func call(_ arguments: [String]) -> String {
    guard isMethod, let receiver = arguments.first else {
      return "\(name)(\(arguments.joined(separator: ", ")))"
    }
    return "\(receiver).\(name)(\(arguments.dropFirst().joined(separator: ", ")))"
  }

  /// How to call it, for messages.
  var usage: String { call(["a", "b", "c", "d"].prefix(arguments.lowerBound).map { $0 }) }
}
