package import Regex

/// Patterns that became known only while evaluating, compiled once: a bounded cache per frame.
struct PatternCache {
  /// What became of a text.
  enum Entry {
    case pattern(RegexPattern)
    /// It is not a pattern, or too large a one.
    case none(EvaluationError.Kind)
  }

  private var entries: [[UInt8]: Entry] = [:]
  private static let capacity = 64

  /// What a text is as a pattern. Compiling one that is new adds to `work`.
  mutating func pattern(
    _ text: ByteView, _ syntax: PatternSyntax, _ limits: RegexLimits, _ work: inout Int
  ) -> Entry {
    // SAFETY: The text is copied before anything is stored. Tests: RegexMatchingTests.
    let key = Array(text)
    if let known = entries[key] { return known }
    let entry = PatternCache.compile(key, syntax, limits, &work)
    // Starting over keeps the cache bounded without bookkeeping on the hot path.
    if entries.count >= PatternCache.capacity { entries.removeAll(keepingCapacity: true) }
    entries[key] = entry
    return entry
  }

  private static func compile(
    _ text: [UInt8], _ syntax: PatternSyntax, _ limits: RegexLimits, _ work: inout Int
  ) -> Entry {
    // Some microseconds, and some nanoseconds for a byte or an instruction, in sixteenths of a
    // step.
    work &+= 1_000 &+ 4 &* text.count
    do throws(RegexSyntaxError) {
      let checked = try syntax.check(text, limits)
      work &+= 2 &* checked.size
      return .pattern(RegexPattern(checked))
    } catch {
      return .none(error.code.isLimit ? .limitExceeded : .badRegex)
    }
  }
}

/// How the patterns of a language are read.
package enum PatternSyntax: Sendable {
  /// RE2's syntax with ASCII classes, as CEL has it.
  case re2
  /// Those of Rust's regex crate with Unicode's classes, as superscript's original has them.
  case rust

  package init(_ dialect: Dialect) {
    self =
      switch dialect {
      case .cel: .re2
      case .superscript: .rust
      }
  }

  package func check(_ text: [UInt8], _ limits: RegexLimits) throws(RegexSyntaxError)
    -> CheckedPattern
  {
    switch self {
    case .re2: try CheckedPattern(text, unicodeClasses: false, flavor: .re2, limits: limits)
    case .rust: try CheckedPattern(text, unicodeClasses: true, flavor: .rust, limits: limits)
    }
  }
}

extension RegexLimits {
  /// The regular expression's share of an expression's limits.
  package init(_ limits: Limits) {
    self.init(matchLimit: limits.regexSteps)
  }
}

extension RegexSyntaxError.Code {
  /// Whether the pattern is right and too large.
  var isLimit: Bool {
    switch self {
    case .patternTooLong, .nestingTooDeep, .programTooLarge: true
    default: false
    }
  }
}
