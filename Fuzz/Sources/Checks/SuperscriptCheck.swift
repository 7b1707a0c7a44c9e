internal import RuleEngine

@testable import Expressions

/// An expression, a zero byte, and a context in JSON, evaluated as by the SDKs of each platform. The result is the same twice,
/// on a reused frame, as a row of columns and formatted. The clauses that are reported are inside the source.
public enum SuperscriptCheck {
  private static let limits = Limits(
    sourceBytes: 4_000, nesting: 60, steps: 20_000, memoryBytes: 1 << 18, dataNesting: 32,
    regexSteps: 20_000)

  private static let environments = Platform.allCases.map {
    RuleLanguage.superscript(SDKProfile($0)).environment(limits: limits)
  }

  public static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    let input = FuzzInput(bytes, parts: 2)
    let context = Context(input[1])
    for environment in environments { check(input[0], context, environment) }
  }

  private static func check(
    _ source: String, _ context: Context, _ environment: ExpressionEnvironment
  ) {
    let compiled = environment.compile(source)
    for diagnostic in compiled.diagnostics { ParserCheck.check(diagnostic, source) }
    let isRefused = compiled.diagnostics.contains { $0.severity == .error }
    require(isRefused == (compiled.output == nil), "a result and errors, or neither")
    guard let program = compiled.output else { return }
    var frame = Frame(for: program)
    context.fill(&frame)
    let wanted = Outcome { () throws(EvaluationError) in try program.evaluate(in: &frame) }
    require(program.isTrue(in: &frame) == wanted.isTrue, "isTrue differs from \(wanted)")
    for clause in program.clauses(of: program.entries[0], in: &frame) {
      require(clause.range.to <= source.utf8.count, "a clause lies behind the text")
    }
    Context.other.fill(&frame)
    _ = Outcome { () throws(EvaluationError) in try program.evaluate(in: &frame) }
    context.fill(&frame)
    let again = Outcome { () throws(EvaluationError) in try program.evaluate(in: &frame) }
    require(again.isSame(as: wanted), "\(wanted), and when filled again \(again)")
    EvaluatorCheck.checkColumns(program, wanted, &frame)
    EvaluatorCheck.checkCost(program)
    let formatted = environment.format(source)
    guard formatted.text != source else { return }
    guard let copy = environment.compile(formatted.text).output else {
      fatalError("broken promise: formatted, it does not compile: \(formatted.text)")
    }
    EvaluatorCheck.compare(
      EvaluatorCheck.outcome(copy, context), wanted, "as '\(formatted.text)'")
  }
}
