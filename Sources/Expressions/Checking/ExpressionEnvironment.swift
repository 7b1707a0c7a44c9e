/// The names that an expression may refer to, and the limits of its evaluation.
///
/// ```swift
/// let environment = ExpressionEnvironment(roots: ["user", "device"], variables: ["now"])
/// let program = try environment.compile("timestamp(now) > timestamp(user.until)").get()
/// try program.evaluate(
///   ["now": "2026-11-21T08:00:00Z", "user": ["until": "2026-11-20T00:00:00Z"]])  // true
///
/// environment.compile("usr.until == now").diagnostics[0].code  // .unknownAttribute
/// ```
public struct ExpressionEnvironment: Sendable {
  /// Maps that always exist, but may be empty. Reading a missing member is an error of kind
  /// ``EvaluationError/Kind/noSuchAttribute``, and `has()` of a missing member is false.
  public var roots: [String]
  /// Variables that may be bound to values of any type before evaluation.
  public var variables: [String]
  /// The name space in which names are looked up first, such as `com.example`; empty if there is no such name space.
  public var container: String
  /// Whether expressions with unknown names or functions compile. If true, the diagnostic is a warning, and only
  /// evaluations that read the name fail.
  public var allowsUnknownNames: Bool
  public var limits: Limits
  /// Custom functions that expressions can call in addition to the built-in functions. Only CEL supports custom
  /// functions.
  public var functions: [CustomFunction]
  /// The language of the expressions; see ``superscript(roots:variables:limits:)``.
  package internal(set) var dialect = Dialect.cel
  /// The generation of the evaluator whose behavior applies. CEL has only one generation.
  package internal(set) var behavior = EvaluatorBehavior.text
  /// Whether numeric strings become numbers where an expression reads them, and not when a frame is
  /// filled.
  package internal(set) var readsNumbersInGraph = false
  /// Functions that the host answers. Only superscript has such functions.
  package internal(set) var hostFunctions = HostFunctions()
  /// The functions of some expressions, by their text, instead of ``hostFunctions``.
  package var hostFunctionsOf: [String: HostFunctions] = [:]
  /// Functions that another dialect has, so that calls of these functions are distinguished from misspelt names.
  package var unsupportedFunctions: Set<String> = []
  /// How values are converted when they are put into a frame.
  package internal(set) var binding = ValueBinding()
  /// Whether a superscript expression evaluates to true if its value is truthy in JavaScript, and
  /// otherwise to false. The result is then a boolean, and not the value.
  package var takesTruthForTrue = false

  public init(
    roots: [String] = ["user", "device", "params"], variables: [String] = [],
    container: String = "", allowsUnknownNames: Bool = false, limits: Limits = Limits(),
    functions: [CustomFunction] = []
  ) {
    self.roots = roots
    self.variables = variables
    self.container = container
    self.allowsUnknownNames = allowsUnknownNames
    self.limits = limits
    self.functions = functions
  }

  /// Whether a path means something only when it begins with a root.
  var hasOnlyRoots: Bool { container.isEmpty && variables.isEmpty }

  func isDeclared(_ name: String) -> Bool {
    roots.contains(name) || variables.contains(name)
  }

  /// The prefixes that a name can have: the container and the name spaces around it, the innermost
  /// first, then no prefix.
  func spaces(isAbsolute: Bool) -> [String] {
    var spaces = [""]
    if isAbsolute || container.isEmpty { return spaces }
    for part in container.split(separator: ".") { spaces.insert(spaces[0] + part + ".", at: 0) }
    return spaces
  }

  /// The declared variable that the longest prefix of a path names, and the number of names that it
  /// takes. The container and the name spaces around it are searched.
  func resolve(_ path: [String], isAbsolute: Bool) -> (variable: String, names: Int)? {
    if hasOnlyRoots { return isDeclared(path[0]) ? (path[0], 1) : nil }
    let spaces = spaces(isAbsolute: isAbsolute)
    for count in stride(from: path.count, through: 1, by: -1) {
      let name = path.prefix(count).joined(separator: ".")
      for space in spaces where isDeclared(space + name) { return (space + name, count) }
    }
    return nil
  }
}

/// A path of names from a root to an attribute, such as `device.country`.
///
/// ```swift
/// let program = try ExpressionEnvironment().compile("user.plan == device.tier || has(user.trial.end)").get()
/// program.requirements[0] == AttributePath(["user", "plan"])  // true
/// program.requirements.map { "\($0)" }  // ["user.plan", "device.tier", "user.trial.end"]
/// ```
public struct AttributePath: Hashable, Sendable, CustomStringConvertible {
  /// The names of the path, beginning with the root.
  public var names: [String]

  public init(_ names: [String]) { self.names = names }

  public var description: String { names.joined(separator: ".") }
}
