/// How much one expression may take. Every limit is a parameter with a default; passing one is a
/// diagnostic while compiling and ``EvaluationError/Kind/limitExceeded`` while evaluating.
public struct Limits: Hashable, Sendable {
  /// Bytes of source text of one expression.
  public var sourceBytes: Int
  /// Depth of nested parentheses, calls, literals and operators. The default fits into a stack of
  /// 512 KiB in an optimised build. At most 500 is honoured, for which a stack of 8 MiB has room even in an unoptimised one.
  public var nesting: Int { didSet { nesting = Limits.clamped(nesting) } }
  /// Work of one evaluation: a round of a loop takes 1, going through 16 elements of a list or a
  /// map, or through 64 bytes of a text, takes 1.
  public var steps: Int
  /// Bytes that one evaluation may allocate for strings, lists and maps it builds, and that one
  /// context may take in a frame.
  public var memoryBytes: Int
  /// Depth of nested objects and arrays in JSON that fills a frame.
  public var dataNesting: Int { didSet { dataNesting = Limits.clamped(dataNesting) } }
  /// Internal steps of one regular expression match.
  public var regexSteps: Int

  public init(
    sourceBytes: Int = 100_000, nesting: Int = 250, steps: Int = 1_000_000, memoryBytes: Int = 4 << 20,
    dataNesting: Int = 64, regexSteps: Int = 1_000_000
  ) {
    self.sourceBytes = sourceBytes
    self.nesting = Limits.clamped(nesting)
    self.steps = max(steps, 0)
    self.memoryBytes = memoryBytes
    self.dataNesting = Limits.clamped(dataNesting)
    self.regexSteps = regexSteps
  }

  private static func clamped(_ nesting: Int) -> Int { min(max(nesting, 1), 500) }
}
