/// Something to say about a text or a config, found while reading or compiling it.
///
/// Diagnostics come many at once and never stop the rest of the work; what goes wrong while one
/// user is evaluated is an ``EvaluationError``.
///
/// ```swift
/// let diagnostic = ExpressionEnvironment().compile("user.age >= 18 and user.plan").diagnostics[0]
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

  public var code: Code
  public var severity: Severity
  public var message: String
  /// Where in the text at ``path`` (or in the text that was compiled).
  public var range: SourceRange?
  /// Where in the config, as `trigger_options[2].rules[0].expression_cel`; empty without config.
  public var path: String
  /// What others do about it: the second severity of a finding, beside ours.
  package var peers: [PeerEffect]
  /// Another place that the finding is about.
  package struct Related: Hashable, Sendable {
    /// Where in the config.
    package var path: String
    package var message: String

    package init(path: String, message: String) {
      self.path = path
      self.message = message
    }
  }

  /// Other places that have to do with it.
  package var related: [Related]
  /// Facts that help to understand the message.
  public var notes: [String]
  /// What to write or do instead.
  public var suggestion: String?
  /// A change of the text that does what is suggested.
  package var fix: Fix?
  /// The attribute that it is about, where it is about one.
  package var subject: String?
  /// Further places, in the same text as ``range``, that the same is found in.
  package var elsewhere: [SourceRange] = []
  /// Whether shipped superscript ends the app's process here, where others report an error.
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

  /// A change of the text that a diagnostic is about.
  package struct Fix: Hashable, Sendable {
    package struct Edit: Hashable, Sendable {
      /// Where, in the same text as ``Diagnostic/range``.
      package var range: SourceRange
      /// What stands there afterwards.
      package var text: String

      package init(_ range: SourceRange, _ text: String) {
        self.range = range
        self.text = text
      }
    }

    /// They do not overlap, and stand in the order of the text.
    package var edits: [Edit]
    /// Whether it can be made without asking: nothing else can have been meant, or no answer
    /// changes by it.
    package var isSafe: Bool

    package init(_ edits: [Edit], isSafe: Bool) {
      self.edits = edits
      self.isSafe = isSafe
    }
  }

  /// How much it matters to those who suffer most elsewhere; nil when nobody does.
  public var peerSeverity: Severity? {
    peers.contains { $0.severity == .error } ? .error : peers.isEmpty ? nil : .warning
  }
}
