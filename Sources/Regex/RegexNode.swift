/// The syntax of a pattern.
package enum RegexFlavor: Hashable, Sendable {
  /// RE2, as CEL requires it.
  case re2
  /// Rust's regex crate: RE2's ideas with other details. The flavor has repeated repetitions, nested classes and class
  /// arithmetic, `\u`, and `(?x)`, but no `\Q..\E`, octal escapes or stray braces.
  case rust

  /// The name in messages.
  var name: String { self == .re2 ? "RE2" : "Rust's regex" }
}

/// A condition on a position. An assertion consumes no characters.
enum RegexAssertion: UInt32, Hashable, Sendable {
  case textStart
  case textEnd
  case lineStart
  case lineEnd
  /// `\b` between ASCII word characters and other characters.
  case wordBoundary
  case notWordBoundary
  /// `\b` with Unicode's definition of a word character.
  case unicodeWordBoundary
  case notUnicodeWordBoundary
}

/// A checked pattern without flags: case folding is written out in the sets, greed in the repetitions, and line mode in
/// the assertions.
indirect enum RegexNode: Sendable {
  case empty
  /// One code point.
  case scalar(UInt32)
  /// One code point of the set with this index in ``ParsedRegex/sets``.
  case set(Int)
  case assertion(RegexAssertion)
  case group(RegexNode, index: Int)
  case concatenation([RegexNode])
  /// Alternatives in order of preference.
  case alternation([RegexNode])
  /// A node that is repeated between `minimum` and `maximum` times (nil means no maximum). Greedy repetitions prefer
  /// more.
  case repetition(RegexNode, minimum: Int, maximum: Int?, greedy: Bool)
}

/// The parser's result: a tree and the data that it refers to.
struct ParsedRegex: Sendable {
  var root: RegexNode
  var sets: [RegexSet]
  /// The names of groups, by group number. Entry 0 is the whole match, which has no name.
  var groupNames: [String?]

  /// The number of groups in parentheses, without the whole match.
  var groupCount: Int { groupNames.count - 1 }
}

/// Facts about a pattern that determine which matcher can run it.
struct RegexAnalysis {
  /// Instructions of the Pike matcher, saturating at `Int.max`.
  private(set) var size = 0
  /// Whether the pattern can match without consuming anything. Assertions are assumed to be true.
  private(set) var isNullable = false
  /// Whether an unlimited loop has a body that can match nothing. Backtracking matchers leave such a loop at the first
  /// empty round, and automata try the other alternatives in the body first. So the extents of matches can differ, and
  /// only the Pike matcher behaves like RE2.
  private(set) var hasNullableLoop = false
  /// Whether there are groups in a part that is repeated zero times.
  private(set) var hasDeadGroup = false
  /// Whether the alternatives of a choice can have different lengths.
  private(set) var hasUnevenChoice = false
  /// Whether a match can only begin at the start of the text.
  private(set) var isAnchored = false
  private var hasGroup = false
  private var isAssertion = false

  /// Computes the properties of a tree.
  init(_ node: RegexNode) {
    switch node {
    case .empty:
      isNullable = true
    case .scalar, .set:
      size = 1
    case .assertion(let assertion):
      size = 1
      isNullable = true
      isAssertion = true
      isAnchored = assertion == .textStart
    case .group(let body, _):
      let facts = RegexAnalysis(body)
      include(facts)
      isNullable = facts.isNullable
      isAnchored = facts.isAnchored
      size = Self.sum(size, 2)
      hasGroup = true
    case .concatenation(let parts):
      isNullable = true
      var isAtStart = true
      for part in parts {
        let facts = RegexAnalysis(part)
        include(facts)
        isNullable = isNullable && facts.isNullable
        isAnchored = isAnchored || (isAtStart && facts.isAnchored)
        isAtStart = isAtStart && facts.isAssertion
      }
    case .alternation(let branches):
      size = branches.count - 1
      isAnchored = true
      for branch in branches {
        let facts = RegexAnalysis(branch)
        include(facts)
        isNullable = isNullable || facts.isNullable
        isAnchored = isAnchored && facts.isAnchored
        hasUnevenChoice = hasUnevenChoice || !branch.isOneCharacter
      }
    case .repetition(let body, let minimum, let maximum, _):
      let facts = RegexAnalysis(body)
      include(facts)
      hasUnevenChoice = hasUnevenChoice || !body.isOneCharacter
      hasDeadGroup = hasDeadGroup || (maximum == 0 && facts.hasGroup)
      hasNullableLoop = hasNullableLoop || (maximum == nil && facts.isNullable)
      isNullable = minimum == 0 || facts.isNullable
      isAnchored = minimum > 0 && facts.isAnchored
      size = Self.size(of: facts, minimum, maximum)
    }
  }

  private mutating func include(_ part: RegexAnalysis) {
    size = Self.sum(size, part.size)
    hasNullableLoop = hasNullableLoop || part.hasNullableLoop
    hasDeadGroup = hasDeadGroup || part.hasDeadGroup
    hasUnevenChoice = hasUnevenChoice || part.hasUnevenChoice
    hasGroup = hasGroup || part.hasGroup
  }

  private static func size(of body: RegexAnalysis, _ minimum: Int, _ maximum: Int?) -> Int {
    guard let maximum else {
      // A loop consists of one copy of the body and a branch. A nullable loop that may be skipped has a second branch.
      let loop = minimum == 0 ? sum(body.size, 2) : 1
      return sum(product(body.size, minimum), loop)
    }
    return sum(
      product(body.size, minimum), product(sum(body.size, 1), maximum - minimum))
  }

  private static func sum(_ a: Int, _ b: Int) -> Int {
    let (value, overflow) = a.addingReportingOverflow(b)
    return overflow ? .max : value
  }

  private static func product(_ a: Int, _ b: Int) -> Int {
    let (value, overflow) = a.multipliedReportingOverflow(by: b)
    return overflow ? .max : value
  }
}

extension RegexNode {
  /// Whether the node always consumes exactly one code point.
  fileprivate var isOneCharacter: Bool {
    switch self {
    case .scalar, .set: true
    default: false
    }
  }
}
