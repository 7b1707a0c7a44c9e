package import Expressions

/// The keys and words that an object of a case or scenario may have. Without a check of keys, unknown keys would be
/// ignored silently, and a misspelled expectation would match any result.
///
/// A shape is written as a string of names, separated by spaces. A name can be followed by a description of its value.
/// Without a description, any value is allowed.
///
/// | shape | value |
/// |---|---|
/// | `name` | anything |
/// | `name{a b}` | an object with these keys |
/// | `name[a b]` | a list of objects with these keys |
/// | `name<{a b}>`, `name<[a b]>` | an object with any keys, whose values are such objects or lists |
/// | `name=(x y)` | one of these words |
/// | `name=[x y]` | a list of these words |
/// | `name=$rule` | defined by the part `rule` |
/// | `name~{a b}` | an object with these keys, or any value of another type |
///
/// An object with a single key that begins with `$` is an encoded value, such as `{"$float": 1}`, or a matcher. Encoded
/// values and matchers have no shape.
package indirect enum KeyShape: Sendable {
  case anything
  case words([String])
  case object([String: KeyShape])
  case list(KeyShape)
  case map(KeyShape)
  /// A shape that only applies to objects. Other values are allowed.
  case lenient(KeyShape)

  /// A problem with a word or value of a case.
  package struct Problem: Error, Equatable {
    /// The path of the object or list that contains the problem, such as `steps[2].args`. The path is empty for the
    /// line itself.
    package var path: String
    package var message: String
    /// The word that was probably intended.
    package var suggestion: String?

    package init(path: String, message: String, suggestion: String? = nil) {
      self.path = path
      self.message = message
      self.suggestion = suggestion
    }

    /// The problem in one line.
    package var text: String {
      (path.isEmpty ? "" : "\(path): ") + message
        + (suggestion.map { "; did you mean '\($0)'?" } ?? "")
    }
  }

  /// - Parameter parts: shapes that are used more than once, by name.
  package init(_ text: String, parts: [String: String] = [:]) {
    var reader = ShapeReader(text, parts)
    self = .object(reader.members())
  }

  /// The shape with the additional keys of another shape.
  package func with(_ other: KeyShape) -> KeyShape {
    guard case .object(let mine) = self, case .object(let others) = other else { return self }
    return .object(mine.merging(others) { $1 })
  }

  /// The first problem of a value: a word that the shape does not allow.
  package func problem(in value: Value, at path: String = "") -> Problem? {
    if case .map(let entries) = value, entries.count == 1, let key = entries[0].key.text,
      key.hasPrefix("$")
    {
      return nil
    }
    switch (self, value) {
    case (.anything, _), (_, .null): return nil
    case (.lenient(let shape), .map): return shape.problem(in: value, at: path)
    case (.lenient, _): return nil
    case (.words(let known), .string(let word)):
      if known.contains(word) { return nil }
      let close = Suggestion.closest(to: word, among: known)
      var message = "there is no '\(word)'"
      if close == nil, known.count <= 6 {
        message += "; there \(known.count == 1 ? "is" : "are") "
        message += known.sorted().joined(separator: ", ")
      }
      return Problem(path: path, message: message, suggestion: close)
    case (.object(let known), .map(let entries)):
      for entry in entries {
        guard let key = entry.key.text else { continue }
        let place = path.isEmpty ? key : "\(path).\(key)"
        guard let shape = known[key] else {
          return Problem(
            path: path, message: "'\(key)' is not a key here",
            suggestion: Suggestion.closest(to: key, among: known.keys.sorted()))
        }
        if let problem = shape.problem(in: entry.value, at: place) { return problem }
      }
      return nil
    case (.map(let shape), .map(let entries)):
      for entry in entries {
        guard let key = entry.key.text else { continue }
        if let problem = shape.problem(in: entry.value, at: "\(path).\(key)") { return problem }
      }
      return nil
    case (.list(let shape), .list(let values)):
      for (index, value) in values.enumerated() {
        if let problem = shape.problem(in: value, at: "\(path)[\(index)]") { return problem }
      }
      return nil
    case (.words, _): return Problem(path: path, message: "this must be a string")
    case (.object, _), (.map, _): return Problem(path: path, message: "this must be an object")
    case (.list, _): return Problem(path: path, message: "this must be a list")
    }
  }
}

/// Parses the string of a shape. All shapes are constants, and a test parses every shape.
private struct ShapeReader {
  private var rest: Substring
  private let parts: [String: String]

  init(_ text: String, _ parts: [String: String]) {
    rest = text[...]
    self.parts = parts
  }

  /// Reads members up to the end or a closing bracket.
  mutating func members() -> [String: KeyShape] {
    var members: [String: KeyShape] = [:]
    while let name = word() { members[name] = suffix() }
    return members
  }

  private mutating func suffix() -> KeyShape {
    switch rest.first {
    case "{": return enclosed { .object($0.members()) }
    case "[": return enclosed { .list(.object($0.members())) }
    case "<": return enclosed { .map($0.suffix()) }
    case "~":
      rest.removeFirst()
      return .lenient(suffix())
    case "=":
      rest.removeFirst()
      switch rest.first {
      case "(": return enclosed { .words($0.words()) }
      case "[": return enclosed { .list(.words($0.words())) }
      default:
        let name = word().map { String($0.dropFirst()) } ?? ""
        var reader = ShapeReader(parts[name] ?? "", parts)
        return reader.suffix()
      }
    default: return .anything
    }
  }

  private mutating func enclosed(_ body: (inout ShapeReader) -> KeyShape) -> KeyShape {
    rest.removeFirst()
    let shape = body(&self)
    rest = rest.drop(while: \.isWhitespace).dropFirst()
    return shape
  }

  private mutating func words() -> [String] {
    var words: [String] = []
    while let word = word() { words.append(word) }
    return words
  }

  private mutating func word() -> String? {
    rest = rest.drop(while: \.isWhitespace)
    let word = rest.prefix { !$0.isWhitespace && !"{}[]()<>=~".contains($0) }
    rest = rest.dropFirst(word.count)
    return word.isEmpty ? nil : String(word)
  }
}
