/// Why a pattern is invalid: outside RE2's syntax, or above one of ``RegexLimits``.
package struct RegexSyntaxError: Error, Hashable, Sendable {
  /// A stable slug for the kind of failure, for machines and for documentation.
  package enum Code: String, Hashable, Sendable, CaseIterable {
    // Constructs of other languages that no linear-time matcher supports.
    case lookAround = "look-around"
    case backReference = "back-reference"
    case possessiveQuantifier = "possessive-quantifier"
    case atomicGroup = "atomic-group"
    case recursion = "recursion"
    case conditional = "conditional"
    case callout = "callout"
    case verb = "verb"
    case branchReset = "branch-reset"
    case comment = "comment"
    case anyByte = "any-byte"

    // Malformed patterns.
    case invalidUTF8 = "invalid-utf8"
    case missingParenthesis = "missing-parenthesis"
    case unexpectedParenthesis = "unexpected-parenthesis"
    case missingBracket = "missing-bracket"
    case missingRepeatArgument = "missing-repeat-argument"
    case repeatOfRepeat = "repeat-of-repeat"
    case badRepeat = "bad-repeat"
    case trailingBackslash = "trailing-backslash"
    case unknownEscape = "unknown-escape"
    case badCodePoint = "bad-code-point"
    case badClassRange = "bad-class-range"
    case badClassName = "bad-class-name"
    case unknownProperty = "unknown-property"
    case unsupportedProperty = "unsupported-property"
    case badGroupName = "bad-group-name"
    case duplicateGroupName = "duplicate-group-name"
    case unknownFlag = "unknown-flag"

    // Limits.
    case repeatTooLarge = "repeat-too-large"
    case patternTooLong = "pattern-too-long"
    case nestingTooDeep = "nesting-too-deep"
    case programTooLarge = "program-too-large"
  }

  package var code: Code
  /// UTF-8 byte offsets of the invalid part of the pattern.
  package var range: Range<Int>
  /// A description of the error.
  package var message: String
  /// The suggested replacement, if there is one.
  package var suggestion: String?

  package init(
    _ code: Code, at range: Range<Int>, _ message: String, suggestion: String? = nil
  ) {
    self.code = code
    self.range = range
    self.message = message
    self.suggestion = suggestion
  }
}

extension RegexSyntaxError: CustomStringConvertible {
  package var description: String {
    let hint = suggestion.map { "; \($0)" } ?? ""
    return "\(message) (\(code.rawValue) at \(range.lowerBound)..<\(range.upperBound))\(hint)"
  }
}
