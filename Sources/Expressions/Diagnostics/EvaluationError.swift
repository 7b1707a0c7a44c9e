/// Why one evaluation gave no value.
///
/// The set is closed. An error carries what a machine needs; where it happened in the source is
/// worked out only when somebody looks (``Program/range(of:in:)``).
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
    /// An attribute, a map key or a field is not there.
    case noSuchAttribute = 1
    /// An operator or a function does not take values of these types.
    case noSuchOverload
    /// An integer result does not fit into 64 bits.
    case overflow
    /// Integer division by zero.
    case divisionByZero
    /// Integer remainder by zero.
    case moduloByZero
    /// A list index outside the list.
    case indexOutOfRange
    /// A value that cannot be converted to the wanted type.
    case conversion
    /// A map literal with the same key twice, or with one that is not a bool, int, uint or string.
    case badMapKey
    /// A regular expression that is not RE2 syntax.
    case badRegex
    /// One of ``Limits`` was reached.
    case limitExceeded
    /// The expression depends on an attribute that is declared unknown.
    case unknownValue
    /// A variable that nobody bound, or a function that does not exist. In superscript the whole
    /// expression is null then.
    case undeclaredName
    /// Something is compared with a null before it. In superscript the whole expression is null
    /// then.
    case nullComparison
    /// A call without an argument that it needs, or with one that is not a value.
    case badArgument
    /// An argument that superscript breaks off at. Unlike ``badArgument`` nothing recovers from it.
    case fatalArgument

    /// Whether superscript before 1.0.15 ends the app's process where this happens. What an
    /// expression fails by can depend on the ``EvaluatorBehavior``: the string "0" is a divisor in
    /// some.
    package var abortsApp: Bool {
      switch self {
      case .divisionByZero, .moduloByZero, .overflow, .fatalArgument: true
      case .noSuchAttribute, .noSuchOverload, .indexOutOfRange, .conversion, .badMapKey, .badRegex,
        .limitExceeded, .unknownValue, .undeclaredName, .nullComparison, .badArgument:
        false
      }
    }

    /// A stable slug, as diagnostics have it.
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
  /// The instruction that failed; a key to the source range.
  package var instruction: UInt32
  /// Tags of the operands, where they explain the failure, or 0.
  private var firstTag: UInt8
  private var secondTag: UInt8

  /// Names of the operand types, where they explain the failure.
  public var operandTypes: [String] {
    [firstTag, secondTag].filter { $0 != 0 }.map(Tag.typeName)
  }

  /// What a ``CustomFunction`` throws.
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
