/// The reason why an evaluation has no value.
///
/// The set of errors is closed. ``Program/range(of:in:)`` computes the place of an error in the source.
///
/// ```swift
/// let program = try ExpressionEnvironment().compile("user.credits / user.days > 3").get()
/// do throws(EvaluationError) {
///   _ = try program.evaluate(["user": ["credits": 10, "days": 0]])
/// } catch {
///   error.kind  // .divisionByZero
///   program.range(of: error, in: program.entries[0])  // SourceRange(from: 0, to: 24)
/// }
/// ```
public struct EvaluationError: Error, Hashable, Sendable {
  /// The kinds of failure.
  public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    /// An attribute, a map key or a field is missing.
    case noSuchAttribute = 1
    /// An operator or a function does not take values of these types.
    case noSuchOverload
    /// An integer result does not fit into 64 bits.
    case overflow
    /// An integer is divided by zero.
    case divisionByZero
    /// The remainder of an integer by zero is computed.
    case moduloByZero
    /// A list index is outside the list.
    case indexOutOfRange
    /// A value cannot be converted to the requested type.
    case conversion
    /// A map literal has the same key twice, or a key that is not a bool, int, uint or string.
    case badMapKey
    /// A regular expression that is not RE2 syntax.
    case badRegex
    /// A limit in ``Limits`` was reached.
    case limitExceeded
    /// The expression depends on an attribute that is declared as unknown.
    case unknownValue
    /// A variable is not bound, or a function does not exist. In superscript, this makes the whole expression null.
    case undeclaredName
    /// The left side of a comparison is null. In superscript, this makes the whole expression null.
    case nullComparison
    /// A call is missing a required argument, or an argument is not a value.
    case badArgument
    /// An argument stops superscript. Unlike after ``badArgument``, the expression cannot recover.
    case fatalArgument

    /// Whether superscript before 1.0.15 terminates the app's process for this error. The error of an expression can
    /// depend on the ``EvaluatorBehavior``: in some behaviors, the string "0" becomes zero.
    package var abortsApp: Bool {
      switch self {
      case .divisionByZero, .moduloByZero, .overflow, .fatalArgument: true
      case .noSuchAttribute, .noSuchOverload, .indexOutOfRange, .conversion, .badMapKey, .badRegex,
        .limitExceeded, .unknownValue, .undeclaredName, .nullComparison, .badArgument:
        false
      }
    }

    /// A stable name for the error, in the style of diagnostic codes.
    public var slug: String {
      switch self {
      case .noSuchAttribute: "no-such-attribute"
      case .noSuchOverload: "no-such-overload"
      case .overflow: "overflow"
      case .divisionByZero: "division-by-zero"
      case .moduloByZero: "modulo-by-zero"
      case .indexOutOfRange: "index-out-of-range"
      case .conversion: "conversion"
      case .badMapKey: "bad-map-key"
      case .badRegex: "bad-regex"
      case .limitExceeded: "limit-exceeded"
      case .unknownValue: "unknown-value"
      case .undeclaredName: "undeclared-name"
      case .nullComparison: "null-comparison"
      case .badArgument: "bad-argument"
      case .fatalArgument: "fatal-argument"
      }
    }
  }

  public var kind: Kind
  /// The instruction that failed, which determines the source range.
  package var instruction: UInt32
  /// Tags of the operands if they explain the failure, otherwise 0.
  private var firstTag: UInt8
  private var secondTag: UInt8

  /// The names of the operand types, if they explain the failure.
  public var operandTypes: [String] {
    [firstTag, secondTag].filter { $0 != 0 }.map(Tag.typeName)
  }

  /// Creates an error for a ``CustomFunction`` to throw.
  public init(_ kind: Kind) { self.init(kind, instruction: 0) }

  package init(
    _ kind: Kind, instruction: UInt32, firstTag: UInt8 = 0, secondTag: UInt8 = 0
  ) {
    self.kind = kind
    self.instruction = instruction
    self.firstTag = firstTag
    self.secondTag = secondTag
  }
}
