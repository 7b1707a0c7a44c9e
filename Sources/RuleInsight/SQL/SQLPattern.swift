/// Finds regular expressions that every RE2 implementation reads like the engine.
enum SQLPattern {
  /// Whether a pattern only contains characters, sets of ASCII characters, groups, alternatives, repetitions, anchors
  /// and escaped punctuation. Classes such as `\d` have different meanings.
  static func isPlain(_ pattern: String) -> Bool {
    var isInSet = false
    var isEscaped = false
    var previous: Unicode.Scalar?
    for scalar in pattern.unicodeScalars {
      defer { previous = scalar }
      if isEscaped {
        guard scalar.isASCII, !scalar.properties.isAlphabetic, !("0"..."9" ~= scalar),
          scalar.value > 0x20
        else { return false }
        isEscaped = false
        continue
      }
      switch scalar {
      case "\\": isEscaped = true
      case "[":
        // Classes such as [:alpha:] and nested sets differ.
        if isInSet { return false }
        isInSet = true
      case "]":
        // Some implementations read a bracket at the beginning of a set as a member, others as the end of the set.
        if isInSet, previous == "[" || previous == "^" { return false }
        isInSet = false
      case "?" where previous == "(" && !isInSet: return false
      case "&" where isInSet && previous == "&": return false
      case "-" where isInSet && previous == "-": return false
      case "~" where isInSet && previous == "~": return false
      default:
        // Sets of non-ASCII characters and case-insensitive patterns differ.
        if isInSet, !scalar.isASCII { return false }
        if scalar.value < 0x20 { return false }
      }
    }
    return !isInSet && !isEscaped
  }
}
