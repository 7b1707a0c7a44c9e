/// What an expression may refer to, and how much it may take.
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
  /// Maps that are always there, possibly empty: reading a name that one does not hold is
  /// ``EvaluationError/Kind/noSuchAttribute``, and `has()` of it is false.
  public var roots: [String]
  /// Other names that may be bound before evaluation, to values of any type.
  public var variables: [String]
  /// The name space in which names are looked up first, as `com.example`; empty for none.
  public var container: String
  /// Whether a name or a function that is not known is an error of the evaluation that reads it
  /// and not of the expression. The diagnostic is a warning then.
  public var allowsUnknownNames: Bool
  public var limits: Limits
  /// Functions that expressions can call beside those of the language. Only CEL has them.
  public var functions: [CustomFunction]
  /// The language of the expressions; see ``superscript(roots:variables:limits:)``.
  package internal(set) var dialect = Dialect.cel
  /// The generation of the evaluator that is followed; CEL has only one.
  package internal(set) var behavior = EvaluatorBehavior.text
  /// Whether strings of numbers become numbers where an expression reads them, and not when a frame
  /// is filled.
  package internal(set) var readsNumbersInGraph = false
  /// Functions that the host answers. Only superscript has them.
  package internal(set) var hostFunctions = HostFunctions()
  /// Functions that another dialect has, so that a call of one is told from a misspelt name.
  package var unsupportedFunctions: Set<String> = []
  /// What happens to values on their way into a frame.
  package internal(set) var binding = ValueBinding()
  /// Whether a superscript expression comes to true when its value counts as true in JavaScript,
  /// and else to false: what is matched is that, and not the value.
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

  /// What can stand before a name: the container and the name spaces around it, the innermost
  /// first, and nothing.
  func spaces(isAbsolute: Bool) -> [String] {
    var spaces = [""]
    if isAbsolute || container.isEmpty { return spaces }
    for part in container.split(separator: ".") { spaces.insert(spaces[0] + part + ".", at: 0) }
    return spaces
  }

  /// The declared variable that the longest beginning of a path names, tried in the container and
  /// in the name spaces around it, and the number of names that it takes.
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
  /// The root first.
  public var names: [String]

  public init(_ names: [String]) { self.names = names }

  public var description: String { names.joined(separator: ".") }
}
