/// An error, a warning or a note about a source or a config, found while reading or compiling it.
///
/// One source can have many diagnostics, and they never stop the rest of the work. A failure while a rule is evaluated
/// for one user is an ``EvaluationError``.
///
/// ```swift
/// let diagnostic = ExpressionEnvironment().compile("user.age >= 18 and user.plan").diagnostics[0]
/// diagnostic.code  // .syntaxError
/// diagnostic.message  // "'and' is not an operator"
/// diagnostic.range  // SourceRange(from: 15, to: 18)
/// diagnostic.suggestion  // "write '&&'"
/// ```
public struct Diagnostic: Hashable, Sendable {
  /// How serious the finding is.
  public enum Severity: String, Hashable, Sendable, CaseIterable {
    /// The element cannot be used, but other elements can.
    case error
    /// The element is used, but probably does not do what its author intended.
    case warning
    /// The element is used. The message is only information.
    case note
  }

  public var code: Code
  public var severity: Severity
  public var message: String
  /// The range in the string at ``path``, or in the source that was compiled.
  public var range: SourceRange?
  /// The place in the config, such as `trigger_options[2].rules[0].expression_cel`; empty without a config.
  public var path: String
  /// The reactions of other programs, as a second severity of the finding.
  package var peers: [PeerEffect]
  /// Another place that the finding refers to.
  package struct Related: Hashable, Sendable {
    /// The place in the config.
    package var path: String
    package var message: String

    package init(path: String, message: String) {
      self.path = path
      self.message = message
    }
  }

  /// Other places that are related to the finding.
  package var related: [Related]
  /// Notes that help to understand the message.
  public var notes: [String]
  /// The recommended change.
  public var suggestion: String?
  /// An edit of the source that implements the suggestion.
  package var fix: Fix?
  /// The attribute that the finding is about, if any.
  package var subject: String?
  /// Further places with the same finding, in the same string as ``range``.
  package var elsewhere: [SourceRange] = []
  /// Whether shipped superscript terminates the app's process here, while other evaluators report an error.
  package var abortsApp = false

  package init(
    _ code: Code, _ message: String, severity: Severity = .error, range: SourceRange? = nil,
    path: String = "", related: [Related] = [], notes: [String] = [], suggestion: String? = nil,
    fix: Fix? = nil, subject: String? = nil, peers: [PeerEffect] = []
  ) {
    self.code = code
    self.severity = severity
    self.message = message
    self.range = range
    self.path = path
    self.related = related
    self.notes = notes
    self.suggestion = suggestion
    self.fix = fix
    self.subject = subject
    self.peers = peers
  }

  /// A change of the string that a diagnostic is about.
  package struct Fix: Hashable, Sendable {
    package struct Edit: Hashable, Sendable {
      /// The place, in the same string as ``Diagnostic/range``.
      package var range: SourceRange
      /// The replacement.
      package var text: String

      package init(_ range: SourceRange, _ text: String) {
        self.range = range
        self.text = text
      }
    }

    /// The edits, in the order of the source. Edits do not overlap.
    package var edits: [Edit]
    /// Whether the fix can be applied without asking, because it has no alternative or changes no result.
    package var isSafe: Bool

    package init(_ edits: [Edit], isSafe: Bool) {
      self.edits = edits
      self.isSafe = isSafe
    }
  }

  /// The highest severity among other programs that read the source, or nil if no other program is affected.
  public var peerSeverity: Severity? {
    peers.contains { $0.severity == .error } ? .error : peers.isEmpty ? nil : .warning
  }
}
