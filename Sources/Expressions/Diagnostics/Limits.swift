/// How much one expression may take. Every limit is a parameter with a default; passing one is a
/// diagnostic while compiling and ``EvaluationError/Kind/limitExceeded`` while evaluating.
///
/// ```swift
/// let strict = ExpressionEnvironment(limits: Limits(sourceBytes: 1_000, nesting: 20, steps: 3))
/// let program = try strict.compile("user.tags.exists(t, t == 'beta')").get()
/// try program.evaluate(["user": ["tags": ["a", "b", "c"]]])  // false
/// try program.evaluate(["user": ["tags": ["a", "b", "c", "d"]]])  // throws limit-exceeded
/// ```
public struct Limits: Hashable, Sendable {
  /// Bytes of source text of one expression.
  public var sourceBytes: Int
  /// Depth of nested parentheses, calls, literals and operators, and how many values of `cel.block`
  /// there are at one place. The default fits into a stack of
  /// 512 KiB in an optimised build. At most 500 is honoured, for which a stack of 8 MiB has room
  /// even in an unoptimised one.
  public var nesting: Int { didSet { nesting = Limits.clamped(nesting) } }
  /// Work of one evaluation: a round of a loop takes 1, and so does going through 16 elements of a
  /// list or a map, through 64 bytes of a text, or 16 steps of matching a pattern. Compiling a
  /// pattern that is not a constant takes 60 and more. Once any limit of an evaluation is reached,
  /// no steps are left.
  public var steps: Int
  /// Bytes that one evaluation may allocate for strings, lists and maps it builds, and that one
  /// context may take in a frame. A result that shares parts may take 16 times as much when it is
  /// handed out as a ``Value``.
  public var memoryBytes: Int
  /// Depth of nested lists and maps in each root of a context.
  public var dataNesting: Int { didSet { dataNesting = Limits.clamped(dataNesting) } }
  /// Internal steps of one regular expression match.
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

  /// Bytes that a result may take, counted as ``memoryBytes`` counts them. What a program builds
  /// shares its parts, a value does not.
  var resultBytes: Int {
    let (product, overflow) = memoryBytes.multipliedReportingOverflow(by: 16)
    return overflow ? .max : product
  }

  private static func clamped(_ nesting: Int) -> Int { min(max(nesting, 1), 500) }
}
