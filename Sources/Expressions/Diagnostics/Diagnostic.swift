/// Something to say about a text or a config, found while reading or compiling it.
///
/// Diagnostics come many at once and never stop the rest of the work; what goes wrong while one
/// user is evaluated is an ``EvaluationError``.
///
/// ```swift
/// let diagnostic = Environment().compile("user.age >= 18 and user.plan").diagnostics[0]
/// diagnostic.code  // .syntaxError
/// diagnostic.message  // "'and' is not an operator"
/// diagnostic.range  // SourceRange(from: 15, to: 18)
/// diagnostic.suggestion  // "write '&&'"
/// ```
public struct Diagnostic: Hashable, Sendable {
  /// How much it matters.
  public enum Severity: String, Hashable, Sendable, CaseIterable {
    /// The element cannot be used; its siblings can.
    case error
    /// The element is used, and probably does not do what was meant.
    case warning
    /// Worth knowing.
    case note
  }

  /// A stable name for the kind of finding, for machines and for documentation.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// The text is not in the language: a token is missing, misplaced or malformed.
    case syntaxError = "syntax-error"
    /// Part of the language that this version does not evaluate yet.
    case notSupported = "not-supported"
    /// A name that is not a declared attribute root or variable.
    case unknownAttribute = "unknown-attribute"
    /// A name that is not a function, or a function that takes other arguments.
    case unknownFunction = "unknown-function"
    /// Operands that can never go together.
    case typeError = "type-error"
    /// A regular expression that is outside RE2's syntax.
    case badRegex = "bad-regex"
    /// A limit on size or nesting was passed.
    case limitExceeded = "limit-exceeded"
    /// A config or data element that does not have the form it must have.
    case decodeFailure = "decode-failure"
    /// A value of which an SDK in the field rejects the whole config: a fraction as a percentage, an
    /// unknown word, another type. Here the element is used, or what its message says.
    case wouldReject = "would-reject"
    /// Keys that SDKs require are not there, as in a config that was written by hand. Nothing here
    /// needs them.
    case notAnExport = "not-an-export"
    /// A key that this version does not know and leaves alone.
    case unknownKey = "unknown-key"
    /// A `subscriptionStatus` of users that no SDK gives.
    case unknownStatus = "unknown-status"
    /// Two triggers with one name.
    case duplicateTrigger = "duplicate-trigger"
    /// A treatment variant names no paywall.
    case variantWithoutPaywall = "variant-without-paywall"
    /// A variant names a paywall that the config does not hold.
    case unknownPaywall = "unknown-paywall"
    /// Every variant of an experiment has weight zero.
    case weightsZero = "weights-zero"
    /// Weights that do not sum to 100. They are weights, so this is only worth knowing.
    case weightsNot100 = "weights-not-100"
    /// One occurrence key with different limits.
    case occurrenceKeyConflict = "occurrence-key-conflict"
    /// A clause that holds always, or never.
    case constantClause = "constant-clause"
    /// An audience behind one that matches everybody.
    case unreachableAudience = "unreachable-audience"
    /// Something that CEL and superscript read differently.
    case dialectDifference = "dialect-difference"
    /// Something that platforms read differently.
    case platformDifference = "platform-difference"
    /// A condition in a form that nothing evaluates any more.
    case legacyExpression = "legacy-expression"
    /// A product that the config does not hold.
    case unknownProduct = "unknown-product"
    /// A part of a template that gave nothing.
    case renderError = "render-error"
    /// A product of a paywall that none of its texts speaks of.
    case unusedProduct = "unused-product"
    /// Experiments that djb2 assigning does not keep apart.
    case djb2Correlated = "djb2-correlated"
    /// A locale that the tables lack; the message says what stands for it.
    case unknownLocale = "unknown-locale"
    /// A derived price is shown higher than it is, because of how its system rounds.
    case priceAboveExact = "price-above-exact"
    /// An expression that formatting leaves as it is.
    case notFormatted = "not-formatted"
    /// Two statements about a product's trial that cannot both be true.
    case trialContradiction = "trial-contradiction"
  }

  /// What other programs that read the same text do because of what was found.
  public struct PeerEffect: Hashable, Sendable {
    /// A program in the field.
    public enum Peer: String, Hashable, Sendable, CaseIterable {
      case ios, android, web
      case agentWallie = "agentwallie"
    }

    public enum Consequence: String, Hashable, Sendable, CaseIterable {
      /// It uses nothing of the whole text.
      case rejectsConfig = "rejects-config"
      /// It goes on without the element.
      case dropsElement = "drops-element"
      /// It uses the element, in another way than is done here.
      case differs
    }

    public var peers: [Peer]
    public var consequence: Consequence
    /// What exactly happens there, where that is not plain.
    public var detail: String?

    public init(_ peers: [Peer], _ consequence: Consequence, _ detail: String? = nil) {
      self.peers = peers
      self.consequence = consequence
      self.detail = detail
    }

    /// How much it matters there.
    public var severity: Severity { consequence == .rejectsConfig ? .error : .warning }
  }

  public var code: Code
  public var severity: Severity
  public var message: String
  /// Where in the text at ``path`` (or in the text that was compiled).
  public var range: SourceRange?
  /// Where in the config, as `trigger_options[2].rules[0].expression_cel`; empty without config.
  public var path: String
  /// What others do about it: the second severity of a finding, beside ours.
  public var peers: [PeerEffect]
  /// Another place that the finding is about.
  public struct Related: Hashable, Sendable {
    /// Where in the config.
    public var path: String
    public var message: String

    public init(path: String, message: String) {
      self.path = path
      self.message = message
    }
  }

  /// Other places that have to do with it.
  public var related: [Related]
  /// Facts that help to understand the message.
  public var notes: [String]
  /// What to write or do instead.
  public var suggestion: String?

  package init(
    _ code: Code, _ message: String, severity: Severity = .error, range: SourceRange? = nil,
    path: String = "", related: [Related] = [], notes: [String] = [], suggestion: String? = nil,
    peers: [PeerEffect] = []
  ) {
    self.code = code
    self.severity = severity
    self.message = message
    self.range = range
    self.path = path
    self.related = related
    self.notes = notes
    self.suggestion = suggestion
    self.peers = peers
  }

  /// How much it matters to those who suffer most elsewhere; nil when nobody does.
  public var peerSeverity: Severity? {
    peers.contains { $0.severity == .error } ? .error : peers.isEmpty ? nil : .warning
  }
}

/// What compiling gives: the result if there is one, and everything there is to say about it.
///
/// ```swift
/// let compiled = Environment().compile("(user.age >= 18")
/// if let program = compiled.output {
///   print(program.requirements)
/// } else {
///   compiled.diagnostics.map(\.message)  // ["expected ')' to close '('"]
/// }
/// ```
public struct Compilation<Output> {
  /// Absent exactly when a diagnostic of severity error says why.
  public var output: Output?
  public var diagnostics: [Diagnostic]

  package init(output: Output?, diagnostics: [Diagnostic]) {
    self.output = output
    self.diagnostics = diagnostics
  }
}

extension Compilation: Sendable where Output: Sendable {}
