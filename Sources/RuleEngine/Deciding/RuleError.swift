public import Expressions

/// A failed rule: an audience that does not match because its condition could not be evaluated.
///
/// ```swift
/// let audience = Audience(index: 0, experimentID: "e", expression: "user.email.endsWith('.org')")
/// let config = Config(placements: [Placement(name: "p", audiences: [audience])])
/// let rules = try RuleSet.compile(config, language: .cel).get()
/// var frame = Frame(for: rules.program)
/// try frame.fill(["user": [:]])
/// let errors = rules.errors("p", frame: &frame, state: DecisionState(subjectID: "u1", now: 0))
/// errors[0].path  // "user.email"
/// errors[0].message  // "user.email is missing, and endsWith needs a string"
/// ```
public struct RuleError: Hashable, Sendable {
  /// The position of the audience in its placement, from 0.
  public var audience: Int
  /// The source of the clause that failed. Long clauses are cut off after 1,000 bytes.
  public var clause: String
  /// The code of the evaluation error. The code is also `no-such-attribute` if superscript replaces a missing attribute
  /// with null and then fails because of that null.
  public var code: String
  /// The attribute that caused the error, such as `user.email`; nil if no attribute did.
  public var path: String?
  /// The error as a readable message: `user.email is missing, and endsWith needs a string`. Comparing errors ignores
  /// the message.
  public var message: String

  public static func == (a: RuleError, b: RuleError) -> Bool {
    a.audience == b.audience && a.clause == b.clause && a.code == b.code && a.path == b.path
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(audience)
    hasher.combine(clause)
    hasher.combine(code)
    hasher.combine(path)
  }

  /// The maximum length of a clause in an error, because the outcomes of all users repeat the clause.
  package static let longestClause = 1_000

  public init(
    audience: Int, clause: String, code: String, path: String? = nil, message: String
  ) {
    self.audience = audience
    self.clause = clause
    self.code = code
    self.path = path
    self.message = message
  }

  /// The error as JSON in outcome lines: `{"audience", "clause", "code", "path"}`.
  public var value: Value {
    .object([
      "audience": .int(Int64(audience)), "clause": .string(clause), "code": .string(code),
      "path": path.map { .string($0) } ?? .null,
    ])
  }
}

extension RuleSet {
  /// The audiences whose rules fail before the decision, in order. These are the audiences with an error in
  /// ``steps(_:frame:state:)``. The errors are the same as in the outcomes of a batch.
  public func errors(_ placement: String, frame: inout Frame, state: DecisionState) -> [RuleError] {
    guard let number = self.placement(named: placement), storage.rejection == nil else { return [] }
    var walk = FailureWalk(storage)
    _ = storage.table.firstMatch(
      of: storage.placements[number].rules, program, in: &frame, state, &walk)
    return errors(walk)
  }

  /// Decides, and reports the rules that failed, in a single walk. The results are equal to
  /// ``decide(_:frame:state:assigner:)`` and ``errors(_:frame:state:)``.
  ///
  /// - Parameter missing: receives the audiences whose conditions were decided by a missing
  ///   attribute; nil if not needed.
  package func decide(
    _ placement: String, frame: inout Frame, state: DecisionState, assigner: Assigner,
    errors: inout [RuleError], missing: ((Decision.MissingAttribute) -> Void)? = nil
  ) -> Decision {
    guard let number = self.placement(named: placement) else {
      return Decision(ruleSet: self, unknownPlacement: placement)
    }
    if storage.rejection != nil {
      return Decision(ruleSet: self, verdict: Verdict(), placement: number, state)
    }
    var walk = FailureWalk(storage)
    if missing != nil { (walk.standIns, walk.rules) = (storage.standIns, rules) }
    let rule = storage.table.firstMatch(
      of: storage.placements[number].rules, program, in: &frame, state, &walk)
    errors += self.errors(walk)
    if let aborted = walk.aborted {
      var verdict = Verdict(rule: Int32(aborted))
      verdict.aborts = true
      return Decision(ruleSet: self, verdict: verdict, placement: number, state)
    }
    if let missing, let standIns = walk.standIns {
      for (rule, holds) in walk.lacking {
        for (clause, _) in self.missing(ofRule: rule, holds: holds, standIns, frame) {
          missing(
            Decision.MissingAttribute(
              audience: rules[rule].audience.index, path: clause.path.description, isMatched: holds)
          )
        }
      }
    }
    let verdict = rule.map { storage.assign($0, state, assigner) } ?? Verdict()
    return Decision(ruleSet: self, verdict: verdict, placement: number, state)
  }

  private func errors(_ walk: FailureWalk) -> [RuleError] {
    // A rule that does not compile is fully reported when it is compiled.
    walk.failures.filter { !rules[$0.rule].isBroken }
      .map { ruleError($0.failure, ofRule: $0.rule) }
  }

  /// Why a rule's condition has no value for a subject, or nil if the condition has a value.
  func error(ofRule number: Int, frame: inout Frame) -> RuleError? {
    guard let entry = rules[number].entry else { return nil }
    let cell = program.condition(at: entry.start, in: &frame)
    var finder = FailureFinder(program)
    return finder.failure(cell, in: frame).map { ruleError($0, ofRule: number) }
  }

  /// Describes a failure of a rule's condition.
  package func ruleError(_ failure: Failure, ofRule number: Int) -> RuleError {
    let rule = rules[number]
    guard let entry = rule.entry else {
      return RuleError(
        audience: rule.audience.index, clause: "", code: failure.error.kind.slug, message: "")
    }
    let details = program.details(of: failure, in: entry)
    let isAbsent = failure.isAbsent && failure.error.kind == .noSuchOverload
    return RuleError(
      audience: rule.audience.index, clause: RuleErrorText.shortened(details.clause),
      code: (isAbsent ? .noSuchAttribute : failure.error.kind).slug, path: details.subject,
      message: RuleErrorText.message(failure, details))
  }
}

extension RuleSet.Storage {
  /// Whether a failure of a rule terminates the app, in the SDK version that decides.
  package func endsApp(_ failure: Failure) -> Bool {
    aborts && failure.error.kind.isPanic
  }

  /// Whether reading the condition of a rule terminates the app.
  package func endsApp(reading rule: Int) -> Bool { aborts && rules[rule].panicsWhenRead }
}

extension EvaluationError.Kind {
  /// Whether superscript panics where this engine reports the error.
  package var isPanic: Bool {
    switch self {
    case .divisionByZero, .moduloByZero, .fatalArgument: true
    case .noSuchAttribute, .noSuchOverload, .overflow, .indexOutOfRange, .conversion, .badMapKey,
      .badRegex, .limitExceeded, .unknownValue, .undeclaredName, .nullComparison, .badArgument:
      false
    }
  }
}

/// Records which rules failed, and why.
private struct FailureWalk: RuleWalk {
  private(set) var failures: [(rule: Int, failure: Failure)] = []
  /// The clauses that replace a missing attribute by another value; nil if the caller does not need the clauses.
  var standIns: StandInProgram?
  var rules: [RuleSet.Rule] = []
  /// Rules whose result depends on a missing attribute, and whether their conditions are true.
  private(set) var lacking: [(rule: Int, holds: Bool)] = []
  /// The rule that terminates the app. No later rule is tried.
  private(set) var aborted: Int?
  private let storage: RuleSet.Storage
  private var finder: FailureFinder

  init(_ storage: RuleSet.Storage) {
    self.storage = storage
    finder = FailureFinder(storage.program)
  }

  mutating func holds(_ rule: Int, at start: UInt32, _ program: Program, in frame: inout Frame)
    -> Bool
  {
    if aborted != nil { return false }
    if storage.endsApp(reading: rule) {
      aborted = rule
      return false
    }
    let cell = program.condition(at: start, in: &frame)
    if let failure = finder.failure(cell, in: frame) {
      failures.append((rule, failure))
      if storage.endsApp(failure) { aborted = rule }
    }
    if let standIns {
      let lacksOne = standIns.ofCondition[Int(rules[rule].condition)].contains {
        !frame.slots[standIns.clauses[$0].slot].isValue
      }
      if lacksOne { lacking.append((rule, cell == .true)) }
    }
    return cell == .true
  }

  mutating func reached(_ rule: Int) {}
  mutating func passedOver(_ rule: Int) {}
  mutating func matched(_ rule: Int) {}
  mutating func heldBack(_ rule: Int, count: Int) {}
}

/// Failures of rules in words.
enum RuleErrorText {
  /// A string shortened enough for outcomes to repeat it.
  static func shortened(_ text: String) -> String {
    guard text.utf8.count > RuleError.longestClause else { return text }
    var end = text.utf8.index(text.startIndex, offsetBy: RuleError.longestClause - 3)
    while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
    return text[..<end] + "..."
  }

  static func message(_ failure: Failure, _ details: Program.FailureDetails) -> String {
    let kind = failure.error.kind
    let text = shortened(details.text)
    switch kind {
    case .noSuchAttribute, .noSuchOverload, .badArgument: return operands(failure, details)
    case .divisionByZero, .moduloByZero: return "\(text) divides by zero"
    case .overflow: return "\(text) is too large for an integer"
    case .indexOutOfRange: return "\(text) reads an element that the list does not have"
    case .limitExceeded: return "\(text) exceeds the time or memory a rule may use"
    case .badRegex: return "\(text) has a pattern that is not a valid regular expression"
    case .conversion: return literalProblem(details) ?? "\(text) cannot convert its value"
    default: return "\(text): \(summary(kind, isAbsent: false) ?? kind.slug)"
    }
  }

  /// Describes a literal that fails for every user; nil if an attribute causes the failure.
  static func literalProblem(_ details: Program.FailureDetails) -> String? {
    guard let literal = details.literal, let operation = details.operation else { return nil }
    if literal.isZone, let problem = WireTime.zoneProblem(literal.value) { return problem }
    return "\(operation)() cannot read \(literal.text)"
  }

  /// The operation of the failed clause, in words. Nil if the attributes that the clause reads explain the failure.
  static func summary(_ kind: EvaluationError.Kind, isAbsent: Bool) -> String? {
    switch kind {
    case .noSuchAttribute: nil
    case .noSuchOverload, .badArgument: isAbsent ? nil : "a type that does not fit"
    case .divisionByZero, .moduloByZero: "divides by zero"
    case .overflow: "too large for an integer"
    case .indexOutOfRange: "the list has no such element"
    case .limitExceeded: "exceeds the time or memory a rule may use"
    case .badRegex: "the pattern is not a valid regular expression"
    case .conversion: "cannot be converted"
    case .undeclaredName: "a name that is not declared"
    case .nullComparison: "null cannot be compared"
    default: kind.slug
    }
  }

  private static func operands(_ failure: Failure, _ details: Program.FailureDetails) -> String {
    guard let subject = details.subject else {
      return "\(details.operation ?? shortened(details.text)) does not take values of these types"
    }
    if let problem = numbers(failure, details, subject) { return problem }
    let needs = operand(of: details)
    if failure.isUnreachable, let dot = subject.lastIndex(of: ".") {
      let inner = subject[..<dot]
      return details.operation == "has"
        ? "\(inner) is missing, and \(shortened(details.text)) tests only the last part of the path"
        : "\(inner) is missing, so there is no \(subject)"
    }
    if failure.isAbsent {
      guard let operation = details.operation else { return "\(subject) is missing" }
      return "\(subject) is missing, and \(operation) needs \(needs ?? "a value")"
    }
    if let operation = details.operation, failure.isNull {
      return
        "\(subject) is null, and \(operation) needs \(needs ?? "a value"); omit missing values"
    }
    if let operation = details.operation, let needs, !failure.isOperand {
      return "\(operation) needs \(needs), and \(subject) has another type"
    }
    if let operation = details.operation, let needs {
      return "\(subject) is not \(needs), and \(operation) needs one"
    }
    switch details.operation {
    case "<", "<=", ">", ">=":
      return "\(subject) has the wrong type for the comparison \(shortened(details.text))"
    case let operation?: return "\(subject) has a type that \(operation) does not take"
    case nil: return "\(shortened(details.text)) does not take a value of the type of \(subject)"
    }
  }

  /// Describes arithmetic of an integer and a double, which CEL does not support; nil for other failures.
  private static func numbers(
    _ failure: Failure, _ details: Program.FailureDetails, _ subject: String
  ) -> String? {
    let types = failure.error.operandTypes
    guard types.count == 2, types.allSatisfy({ ["int", "uint", "double"].contains($0) }),
      let operation = details.operation
    else { return nil }
    if operation == "%" {
      return "\(subject) is not an integer, and % needs one; 1.0 is a double, not an integer"
    }
    return "\(shortened(details.text)) mixes \(types[0]) and \(types[1]); "
      + "convert one of them, as in double(\(subject))"
  }

  /// The type that an operator or a function expects instead of the attribute's type.
  private static func operand(of details: Program.FailureDetails) -> String? {
    let isSuperscript = details.dialect == .superscript
    return switch details.operation {
    // The left operand can be anything.
    case "in" where !details.text.hasSuffix(details.subject ?? ""): nil
    case "in": isSuperscript ? "a list, a map or a string" : "a list or a map"
    case "-", "*", "/", "%": "a number"
    case let name?: operand(ofFunction: name, in: details.dialect)
    case nil: nil
    }
  }

  /// The type that a function expects, if all its operands have the same types.
  private static func operand(ofFunction name: String, in dialect: Dialect) -> String? {
    let parts = FunctionPage.signatures(of: name, in: dialect).map { signature in
      // The operands after the loop variable are evaluated for each element.
      signature.operands.prefix { !$0.isName }
    }
    guard let types = parts.first?.first?.types,
      parts.allSatisfy({ $0.allSatisfy { $0.types == types } })
    else { return nil }
    return types.words
  }
}
