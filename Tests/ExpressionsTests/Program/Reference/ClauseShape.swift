import Expressions

/// How a condition connects its clauses, which go by their numbers in the order of the text.
indirect enum ClauseShape {
  case clause(Int)
  /// The sign is `!`, or `!!` in superscript.
  case not(ClauseShape, sign: String)
  case and(ClauseShape, ClauseShape)
  case or(ClauseShape, ClauseShape)
  case choice(ClauseShape, ClauseShape, ClauseShape)
}

/// What a clause, or what clauses are connected to, comes to.
enum ClauseResult {
  case value(Value)
  /// Whether it makes a whole superscript expression null.
  case error(isNull: Bool)

  /// What a clause of an explanation says.
  init(_ clause: Clause) {
    switch clause.outcome {
    case .true: self = .value(true)
    case .false: self = .value(false)
    case .noBool: self = .value(clause.value ?? "(too large)")
    case .failed(let kind):
      self = .error(isNull: kind == .undeclaredName || kind == .nullComparison)
    }
  }

  var bool: Bool? { if case .value(.bool(let bool)) = self { bool } else { nil } }
}

/// Goes from left to right through connected clauses, as a dialect has it, and notes where it came.
struct ClauseWalk {
  /// What each clause comes to.
  let results: [ClauseResult]
  private(set) var reached: Set<Int> = []

  init(_ results: [ClauseResult]) { self.results = results }

  private mutating func clause(_ number: Int) -> ClauseResult {
    reached.insert(number)
    return results[number]
  }

  /// CEL: what decides ends it, and an error or a value that is not a bool does not decide.
  mutating func cel(_ shape: ClauseShape) -> ClauseResult {
    switch shape {
    case .clause(let number): return clause(number)
    case .not(let inner, _):
      return cel(inner).bool.map { .value(.bool(!$0)) } ?? .error(isNull: false)
    case .and(let a, let b): return chain(a, b, deciding: false)
    case .or(let a, let b): return chain(a, b, deciding: true)
    case .choice(let test, let yes, let no):
      guard let holds = cel(test).bool else { return .error(isNull: false) }
      return cel(holds ? yes : no)
    }
  }

  private mutating func chain(_ a: ClauseShape, _ b: ClauseShape, deciding: Bool) -> ClauseResult {
    let first = cel(a).bool
    if first == deciding { return .value(.bool(deciding)) }
    let second = cel(b).bool
    if second == deciding { return .value(.bool(deciding)) }
    return first == nil || second == nil ? .error(isNull: false) : .value(.bool(!deciding))
  }

  /// superscript: an error ends it, `&&` looks at both sides, `||` gives what it found.
  mutating func superscript(_ shape: ClauseShape) -> ClauseResult {
    switch shape {
    case .clause(let number): return clause(number)
    case .not(let inner, let sign):
      guard case .value(let value) = superscript(inner) else { return superscriptError(inner) }
      return .value(.bool(SuperscriptOperations.isTrue(value) == (sign == "!!")))
    case .and(let a, let b):
      guard case .value(let first) = superscript(a) else { return superscriptError(a) }
      guard case .value(let second) = superscript(b) else { return superscriptError(b) }
      return .value(
        .bool(SuperscriptOperations.isTrue(first) && SuperscriptOperations.isTrue(second)))
    case .or(let a, let b):
      guard case .value(let first) = superscript(a) else { return superscriptError(a) }
      return SuperscriptOperations.isTrue(first) ? .value(first) : superscript(b)
    case .choice(let test, let yes, let no):
      guard case .value(let value) = superscript(test) else { return superscriptError(test) }
      return superscript(SuperscriptOperations.isTrue(value) ? yes : no)
    }
  }

  /// The error again: walking the same way notes nothing new.
  private mutating func superscriptError(_ shape: ClauseShape) -> ClauseResult {
    superscript(shape)
  }
}
