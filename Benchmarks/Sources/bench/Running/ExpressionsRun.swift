internal import Expressions

/// Compiles and evaluates every rule of a file.
struct ExpressionsRun {
  /// The cost of one rule.
  struct Result {
    var id: String
    /// Evaluation, by the name of the context.
    var evaluation: [(context: String, cost: Measurement)]
    /// Evaluation in many contexts.
    var random: Measurement
    var compilation: Measurement
  }

  /// A rule that this version cannot compile yet.
  struct Skipped {
    var id: String
    var diagnostics: [Diagnostic]
    var expression: String
  }

  /// A rule with an unexpected result.
  struct Wrong {
    var id: String
    var context: String
    var expected: Bool
    /// The value or the error.
    var got: String
  }

  private(set) var results: [Result] = []
  private(set) var skipped: [Skipped] = []
  private(set) var wrong: [Wrong] = []

  private let environment = ExpressionEnvironment()
  private let stopwatch: Stopwatch
  private let contexts: [(name: String, json: [UInt8])]
  private let variations: [[UInt8]]

  /// The number of contexts in the second measurement.
  static let variationCount = 64

  init(_ rules: [RuleCase], contexts all: Contexts, stopwatch: Stopwatch) throws {
    self.stopwatch = stopwatch
    let names = Set(rules.flatMap { $0.expected.map(\.context) })
    let used = all.all.filter { names.contains($0.name) }
    if let unknown = names.subtracting(used.map(\.name)).sorted().first {
      throw InputError("the contexts", "there is none named '\(unknown)'")
    }
    contexts = used.map { ($0.name, Array($0.value.json.utf8)) }
    var making = ContextVariations(used.map(\.value))
    variations = making.make(used.isEmpty ? 0 : Self.variationCount).map { Array($0.utf8) }
    for rule in rules { try run(rule) }
  }

  private mutating func run(_ rule: RuleCase) throws {
    let compiled = environment.compile(rule.expression)
    guard let program = compiled.output else {
      skipped.append(
        Skipped(id: rule.id, diagnostics: compiled.diagnostics, expression: rule.expression))
      return
    }
    let before = wrong.count
    try check(rule, program)
    guard wrong.count == before else { return }
    var evaluation: [(context: String, cost: Measurement)] = []
    for (name, _) in rule.expected {
      evaluation.append((name, try evaluate(program, [json(name)])))
    }
    results.append(
      Result(
        id: rule.id, evaluation: evaluation, random: try evaluate(program, variations),
        compilation: compile(rule.expression)))
  }

  private func json(_ context: String) -> [UInt8] {
    contexts.first { $0.name == context }?.json ?? []
  }

  /// Rules with wrong results are not measured.
  private mutating func check(_ rule: RuleCase, _ program: Program) throws {
    var frame = Frame(for: program)
    for (context, expected) in rule.expected {
      try frame.fill(json: json(context))
      var got: String
      do throws(EvaluationError) {
        let value = try program.evaluate(in: &frame)
        if value == .bool(expected) { continue }
        got = value.json
      } catch {
        got = error.kind.slug
      }
      wrong.append(Wrong(id: rule.id, context: context, expected: expected, got: got))
    }
  }

  /// Evaluation on frames that were filled before.
  private func evaluate(_ program: Program, _ contexts: [[UInt8]]) throws(JSONFault)
    -> Measurement
  {
    let frames = try FilledFrames(for: program, contexts: contexts)
    let order = frames.order()
    return stopwatch.measure(operations: order.count) { rounds in
      var held = 0
      for _ in 0..<rounds {
        for i in order where program.isTrue(in: &frames[i]) { held &+= 1 }
      }
      BlackHole.take(held)
    }
  }

  /// From source to program, including the release of the program's memory.
  private func compile(_ expression: String) -> Measurement {
    stopwatch.measure { rounds in
      var diagnostics = 0
      for _ in 0..<rounds {
        diagnostics &+= environment.compile(expression).diagnostics.count
      }
      BlackHole.take(diagnostics)
    }
  }
}
