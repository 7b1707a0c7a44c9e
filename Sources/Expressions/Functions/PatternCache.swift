package import Regex

/// Compiles patterns that are only known during an evaluation, each once. Every frame has a cache of limited size.
struct PatternCache {
  /// The result of compiling a string.
  enum Entry {
    case pattern(RegexPattern)
    /// The string is not a valid pattern, or the pattern is too large.
    case none(EvaluationError.Kind)
  }

  private var entries: [[UInt8]: Entry] = [:]
  private static let capacity = 64

  /// The compiled pattern of a string. Compiling a new pattern adds to `work`.
  mutating func pattern(
    _ text: ByteView, _ syntax: PatternSyntax, _ limits: RegexLimits, _ work: inout Int
  ) -> Entry {
    // SAFETY: The text is copied before anything is stored. Tests: RegexMatchingTests.
    let key = Array(text)
    if let known = entries[key] { return known }
    let entry = PatternCache.compile(key, syntax, limits, &work)
    // Clearing the cache bounds it without bookkeeping on the hot path.
    if entries.count >= PatternCache.capacity { entries.removeAll(keepingCapacity: true) }
    entries[key] = entry
    return entry
  }

  private static func compile(
    _ text: [UInt8], _ syntax: PatternSyntax, _ limits: RegexLimits, _ work: inout Int
  ) -> Entry {
    // Some microseconds, plus some nanoseconds per byte or instruction, in sixteenths of a step.
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

/// The syntax of a language's patterns.
package enum PatternSyntax: Sendable {
  /// RE2's syntax with ASCII classes, as in CEL.
  case re2
  /// The syntax of Rust's regex crate with Unicode classes, as in superscript's original.
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
  /// The part of an expression's limits that applies to a regular expression.
  package init(_ limits: Limits) {
    self.init(matchLimit: limits.regexSteps)
  }
}

extension RegexSyntaxError.Code {
  /// Whether the pattern is valid but too large.
  var isLimit: Bool {
    switch self {
    case .patternTooLong, .nestingTooDeep, .programTooLarge: true
    default: false
    }
  }
}
