extension Diagnostic {
  /// A stable name for a kind of diagnostic, for programs and documentation. The set of codes is open: other modules
  /// add their own codes.
  ///
  /// ```swift
  /// let expired = Diagnostic.Code(rawValue: "rule-expired")
  /// Diagnostic.Code.syntaxError.rawValue  // "syntax-error"
  /// [expired, .syntaxError].map(\.rawValue)  // ["rule-expired", "syntax-error"]
  /// ```
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
  }
}

extension Diagnostic.Code {
  /// The source has a syntax error: a token is missing, misplaced or malformed.
  public static let syntaxError = Self(rawValue: "syntax-error")
  /// A part of the language that this version does not evaluate yet.
  public static let notSupported = Self(rawValue: "not-supported")
  /// A name that is not a declared attribute root or variable.
  public static let unknownAttribute = Self(rawValue: "unknown-attribute")
  /// A name that is not a function, or a function that takes other arguments.
  public static let unknownFunction = Self(rawValue: "unknown-function")
  /// The types of the operands can never be combined.
  public static let typeError = Self(rawValue: "type-error")
  /// A regular expression that is not valid RE2 syntax.
  public static let badRegex = Self(rawValue: "bad-regex")
  /// A limit on size or nesting was exceeded.
  public static let limitExceeded = Self(rawValue: "limit-exceeded")
  /// Code that CEL and superscript interpret differently.
  public static let dialectDifference = Self(rawValue: "dialect-difference")
  /// An expression that the formatter leaves unchanged.
  public static let notFormatted = Self(rawValue: "not-formatted")
  /// A part of a template that renders to nothing.
  public static let renderError = Self(rawValue: "render-error")
}
