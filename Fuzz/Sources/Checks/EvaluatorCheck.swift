@testable import Expressions

/// An expression, a zero byte, a context in JSON, and more expressions after further zero bytes.
///
/// Nothing traps, and all ways of compiling and evaluating the expression have the same result: twice, on a reused frame,
/// alone or among others, folded or not, as written or as printed. Only limits may be reached in one way and not in another.
public enum EvaluatorCheck {
  static let environment = ExpressionEnvironment(
    limits: Limits(
      sourceBytes: 4_000, nesting: 60, steps: 20_000, memoryBytes: 1 << 18, dataNesting: 32,
      regexSteps: 20_000))

  public static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    let input = FuzzInput(bytes, parts: 6)
    let source = input[0]
    let compiled = environment.compile(source)
    let isRefused = compiled.diagnostics.contains { $0.severity == .error }
    require(isRefused == (compiled.output == nil), "a result and errors, or neither")
    for diagnostic in compiled.diagnostics { ParserCheck.check(diagnostic, source) }
    guard let program = compiled.output else { return }
    let context = Context(input[1])
    var frame = Frame(for: program)
    context.fill(&frame)
    let outcome = Outcome { () throws(EvaluationError) in try program.evaluate(in: &frame) }
    checkAgain(program, context, outcome, &frame)
    checkTrace(program, outcome, &frame)
    checkColumns(program, outcome, &frame)
    checkCost(program)
    checkSpecialized(program, context, outcome)
    checkUnknownNames(source, context, outcome)
    checkPrint(source, context, outcome)
    checkFolding(source, context, outcome)
    checkSharing(source, Array(input.parts.dropFirst(2)), context, outcome)
  }

  // MARK: The same program

  private static func checkAgain(
    _ program: Program, _ context: Context, _ outcome: Outcome, _ frame: inout Frame
  ) {
    for _ in 0..<2 {
      let again = Outcome { () throws(EvaluationError) in try program.evaluate(in: &frame) }
      require(again.isSame(as: outcome), "\(outcome), then \(again)")
    }
    require(program.isTrue(in: &frame) == outcome.isTrue, "isTrue differs from \(outcome)")
    Context.other.fill(&frame)
    _ = Outcome { () throws(EvaluationError) in try program.evaluate(in: &frame) }
    context.fill(&frame)
    let refilled = Outcome { () throws(EvaluationError) in try program.evaluate(in: &frame) }
    require(refilled.isSame(as: outcome), "\(outcome), and when filled again \(refilled)")
    guard let value = context.value else { return }
    let fromValue = Outcome { () throws(EvaluationError) in try program.evaluate(value) }
    require(
      fromValue.isSame(as: outcome) || fromValue.isLimit || outcome.isLimit,
      "\(outcome) from JSON, \(fromValue) from a value")
  }

  private static func checkTrace(_ program: Program, _ outcome: Outcome, _ frame: inout Frame) {
    var trace = PathTrace()
    let result = Machine.run(program.storage, from: program.entries[0].start, in: &frame, &trace)
    let isFault = result.tag == Tag.fault
    switch outcome {
    case .value: require(!isFault, "a fault where tracing, else \(outcome)")
    case .error(let kind):
      require(isFault && EvaluationError(fault: result).kind == kind, "tracing changes \(outcome)")
    }
    let source = Array(program.sources[0].utf8)
    let length = source.count
    let clauses = program.clauses(of: program.entries[0], in: &frame)
    require(!clauses.isEmpty, "no clause of an expression that compiles")
    for clause in clauses {
      require(clause.range.to <= length, "a clause lies behind the text")
      let place = source[clause.range.from..<clause.range.to]
      require(place.elementsEqual(clause.text.utf8), "a clause stands elsewhere: \(clause.text)")
    }
    // The only clause is the whole expression.
    if clauses.count == 1, let clause = clauses.first {
      require(clause.wasReached, "the only clause was not reached")
      let isLimit = outcome.isLimit || clause.outcome == .failed(.limitExceeded)
      let isSame = (clause.outcome == .true) == outcome.isTrue
      require(isSame || isLimit, "\(clause.outcome), but \(outcome)")
    }
    do throws(EvaluationError) {
      _ = try program.evaluate(in: &frame)
    } catch {
      let range = program.range(of: error, in: program.entries[0])
      require((range?.to ?? 0) <= length, "an error lies behind the text")
      _ = program.attribute(ofInstruction: error.instruction, in: frame)
    }
  }

  // MARK: Other programs that mean the same

  static func outcome(_ program: Program, _ context: Context) -> Outcome {
    var frame = Frame(for: program)
    context.fill(&frame)
    return Outcome { () throws(EvaluationError) in try program.evaluate(in: &frame) }
  }

  static func compare(_ got: Outcome, _ wanted: Outcome, _ what: String) {
    if got.isLimit || wanted.isLimit { return }
    require(got.isSame(as: wanted), "\(wanted), but \(what) \(got)")
  }

  /// The error that is reported among several depends on constant folding.
  static func compareRoughly(_ got: Outcome, _ wanted: Outcome, _ what: String) {
    if case .error = got, case .error = wanted { return }
    compare(got, wanted, what)
  }

  private static func checkUnknownNames(
    _ source: String, _ context: Context, _ wanted: Outcome
  ) {
    var lenient = environment
    lenient.allowsUnknownNames = true
    guard let program = lenient.compile(source).output else {
      fatalError("broken promise: refused because more is allowed")
    }
    compare(outcome(program, context), wanted, "with unknown names allowed")
  }

  private static func checkPrint(_ source: String, _ context: Context, _ wanted: Outcome) {
    let (tree, diagnostics) = ParserCheck.parse(source)
    require(diagnostics.isEmpty, "compiles and does not parse")
    let printed = Printer.print(tree)
    let compiled = environment.compile(printed)
    if compiled.diagnostics.contains(where: { $0.code == .limitExceeded }) { return }
    guard let program = compiled.output else {
      fatalError("broken promise: the print does not compile: \(printed)")
    }
    compare(outcome(program, context), wanted, "as '\(printed)'")
  }

  private static func checkFolding(_ source: String, _ context: Context, _ wanted: Outcome) {
    var builder = ProgramBuilder(environment)
    builder.folds = false
    let diagnostics = builder.add(source)
    // A pattern that folding removes is not checked.
    if diagnostics.contains(where: { $0.code == .badRegex }) { return }
    require(!diagnostics.contains { $0.severity == .error }, "refused unfolded")
    compareRoughly(outcome(builder.build(), context), wanted, "unfolded")
  }

  /// The expression among others. Some of them contain it.
  private static func checkSharing(
    _ source: String, _ others: [String], _ context: Context, _ wanted: Outcome
  ) {
    let like = [
      source, "(\(source)\n)", "true ? (\(source)\n) : null", "[\(source)\n][0]",
      "[0].map(x__, \(source)\n)[0]", "(false || user.nope__) ? 1 : (\(source)\n)",
    ]
    let neighbours =
      others + [
        "!(\(source)\n)", "(\(source)\n) == (\(source)\n)", "(\(source)\n) || user.b",
        "user.b && (\(source)\n)", "user.l.exists(x, (\(source)\n) == x)", "user.b",
      ]
    let alone = neighbours.map { other in
      environment.compile(other).output.map { outcome($0, context) }
    }
    var builder = ProgramBuilder(environment)
    let refused = (neighbours + like).map { text in
      builder.add(text).contains { $0.severity == .error }
    }
    let program = builder.build()
    var frame = Frame(for: program)
    context.fill(&frame)
    for (i, entry) in program.entries.enumerated().reversed() where !refused[i] {
      let got = Outcome { () throws(EvaluationError) in try program.evaluate(entry, in: &frame) }
      if i < neighbours.count {
        guard let alone = alone[i] else { fatalError("broken promise: compiles only in company") }
        compare(got, alone, "in company '\(neighbours[i])' is")
      } else if i != neighbours.count + 5 {
        // The last expression of `like` may fail before it reaches the expression.
        compareRoughly(got, wanted, "'\(like[i - neighbours.count])' is")
      }
    }
  }
}

/// The content of frames: the JSON of an input, or nothing if it is invalid.
struct Context {
  private let json: [UInt8]
  /// The same as a value.
  let value: Value?

  /// Another context, to fill a frame with.
  static let other = Context(
    #"{"user":{"a":[1,{"b":"a text of more than fifteen bytes"}],"b":true,"l":[1,2,3]}}"#)

  init(_ text: String) {
    let parsed = try? Value.parse(json: text.utf8, nesting: 32)
    guard case .map? = parsed else {
      json = Array("{}".utf8)
      value = .map([])
      return
    }
    json = Array(text.utf8)
    value = parsed
  }

  func fill(_ frame: inout Frame) {
    do throws(JSONFault) {
      try frame.fill(json: json)
    } catch {
      require(error.kind == .tooLarge, "read as a value, not into a frame: \(error)")
    }
  }
}
