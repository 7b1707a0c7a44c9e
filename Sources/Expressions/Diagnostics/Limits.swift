/// The resources that one expression may use. Every limit is a parameter with a default. Exceeding one is a
/// diagnostic while compiling and ``EvaluationError/Kind/limitExceeded`` while evaluating.
///
/// ```swift
/// let strict = ExpressionEnvironment(limits: Limits(sourceBytes: 1_000, nesting: 20, steps: 3))
/// let program = try strict.compile("user.tags.exists(t, t == 'beta')").get()
/// try program.evaluate(["user": ["tags": ["a", "b", "c"]]])  // false
/// try program.evaluate(["user": ["tags": ["a", "b", "c", "d"]]])  // throws limit-exceeded
/// ```
public struct Limits: Hashable, Sendable {
  /// The length of the source of one expression, in bytes.
  public var sourceBytes: Int
  /// The depth of nested parentheses, calls, literals and operators, and the number of values of `cel.block`
  /// at one place. The default fits into a stack of 512 KiB in an optimised build. The maximum is 500, which
  /// fits into a stack of 8 MiB even in an unoptimised build.
  public var nesting: Int { didSet { nesting = Limits.clamped(nesting) } }
  /// The work of one evaluation. One step is a round of a loop, 16 elements of a list or a map, 64 bytes of a
  /// string, or 16 steps of matching a pattern. Compiling a pattern that is not a constant takes 60 steps or
  /// more. Once any limit of an evaluation is reached, no steps are left.
  public var steps: Int
  /// The number of bytes that one evaluation may allocate for strings, lists and maps, and that one context
  /// may take in a frame. A result that shares parts may take 16 times as much when it is returned as a
  /// ``Value``.
  public var memoryBytes: Int
  /// The depth of nested lists and maps in each root of a context.
  public var dataNesting: Int { didSet { dataNesting = Limits.clamped(dataNesting) } }
  /// Internal steps of one match of a regular expression.
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

  /// The number of bytes that a result may take, counted like ``memoryBytes``. Lists and maps of a program
  /// share their parts, and a value does not.
  var resultBytes: Int {
    let (product, overflow) = memoryBytes.multipliedReportingOverflow(by: 16)
    return overflow ? .max : product
  }

  private static func clamped(_ nesting: Int) -> Int { min(max(nesting, 1), 500) }
}
