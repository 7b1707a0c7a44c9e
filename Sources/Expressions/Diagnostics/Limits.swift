/// The resources that one expression may use. Every limit has a default. Exceeding a limit is a diagnostic during
/// compilation, and an error of kind ``EvaluationError/Kind/limitExceeded`` during evaluation.
///
/// ```swift
/// let strict = ExpressionEnvironment(limits: Limits(sourceBytes: 1_000, nesting: 20, steps: 3))
/// let program = try strict.compile("user.tags.exists(t, t == 'beta')").get()
/// try program.evaluate(["user": ["tags": ["a", "b", "c"]]])  // false
/// try program.evaluate(["user": ["tags": ["a", "b", "c", "d"]]])  // throws limit-exceeded
/// ```
public struct Limits: Hashable, Sendable {
  /// The maximum length of an expression's source, in bytes.
  public var sourceBytes: Int
  /// The maximum nesting depth of parentheses, calls, literals and operators, and of values in `cel.block`. The default
  /// needs a stack of 512 KiB in an optimised build. The limit can be raised to 500, which needs a stack of 8 MiB in an
  /// unoptimised build.
  public var nesting: Int { didSet { nesting = Limits.clamped(nesting) } }
  /// The maximum work of one evaluation, in steps. One step is a round of a loop, 16 elements of a list or a map, 64
  /// bytes of a string, or 16 steps of matching a pattern. Compiling a pattern that is not a constant takes at least 60
  /// steps. When an evaluation reaches any limit, it has no steps left.
  public var steps: Int
  /// The maximum number of bytes for the strings, lists and maps of one evaluation, and for one context in a frame. A
  /// result with shared parts may need 16 times as many bytes when it is returned as a ``Value``.
  public var memoryBytes: Int
  /// The maximum nesting depth of lists and maps in each root of a context.
  public var dataNesting: Int { didSet { dataNesting = Limits.clamped(dataNesting) } }
  /// The maximum number of internal steps for one match of a regular expression.
  public var regexSteps: Int

  public init(
    sourceBytes: Int = 100_000, nesting: Int = 250, steps: Int = 1_000_000,
    memoryBytes: Int = 4 << 20,
    dataNesting: Int = 64, regexSteps: Int = 1_000_000
  ) {
    self.sourceBytes = sourceBytes
    self.nesting = Limits.clamped(nesting)
    self.steps = max(steps, 0)
    self.memoryBytes = memoryBytes
    self.dataNesting = Limits.clamped(dataNesting)
    self.regexSteps = regexSteps
  }

  /// The number of bytes that a result may take, counted like ``memoryBytes``. Lists and maps of a program can share
  /// parts, but those of a ``Value`` cannot.
  var resultBytes: Int {
    let (product, overflow) = memoryBytes.multipliedReportingOverflow(by: 16)
    return overflow ? .max : product
  }

  private static func clamped(_ nesting: Int) -> Int { min(max(nesting, 1), 500) }
}
