/// Regular expressions that every RE2 reads as the engine does.
enum SQLPattern {
  /// Whether a pattern has nothing but characters, sets of ASCII characters, groups, alternatives, repetitions,
  /// anchors and escaped punctuation. The meaning of letters such as `\d` differs.
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
        // Classes such as [:alpha:], and sets of sets.
        if isInSet { return false }
        isInSet = true
      case "]":
        // A bracket that begins a set is a member for some and the end for others.
        if isInSet, previous == "[" || previous == "^" { return false }
        isInSet = false
      case "?" where previous == "(" && !isInSet: return false
      case "&" where isInSet && previous == "&": return false
      case "-" where isInSet && previous == "-": return false
      case "~" where isInSet && previous == "~": return false
      default:
        // Sets of other characters, and what ignores case, differ.
        if isInSet, !scalar.isASCII { return false }
        if scalar.value < 0x20 { return false }
      }
    }
    return !isInSet && !isEscaped
  }
}
