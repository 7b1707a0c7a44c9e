internal import Expressions
internal import RuleEngine

/// Evaluates superscript rules as Superwall's iOS SDK would, all in one program.
struct SuperscriptRun {
  private(set) var results: [(id: String, cost: Measurement)] = []
  /// From the attributes' JSON to the results of all rules.
  private(set) var whole: Measurement
  /// From the attributes' JSON to a filled frame, including answers to questions.
  private(set) var filling: Measurement
  private(set) var compilation: Measurement
  private(set) var wrong: [String] = []

  init(_ input: SuperscriptInput, stopwatch: Stopwatch) throws {
    let environment = Platform.ios.environment()
    var builder = ProgramBuilder(environment)
    for rule in input.rules { builder.add(rule.expression) }
    let program = builder.build()
    let answers = program.questions.map { input.replies[$0.function] ?? .null }
    var frame = Frame(for: program)
    try Self.fill(&frame, input.json, answers)
    for (rule, entry) in zip(input.rules, program.entries)
    where program.isTrue(entry, in: &frame) != rule.holds {
      wrong.append(rule.id)
    }
    for (rule, entry) in zip(input.rules, program.entries) {
      let cost = stopwatch.measure { rounds in
        var held = 0
        for _ in 0..<rounds where program.isTrue(entry, in: &frame) { held &+= 1 }
        BlackHole.take(held)
      }
      results.append((rule.id, cost))
    }
    whole = stopwatch.measure { rounds in
      var held = 0
      for _ in 0..<rounds {
        do { try Self.fill(&frame, input.json, answers) } catch { continue }
        for entry in program.entries where program.isTrue(entry, in: &frame) { held &+= 1 }
      }
      BlackHole.take(held)
    }
    filling = stopwatch.measure { rounds in
      var failed = 0
      for _ in 0..<rounds {
        do { try Self.fill(&frame, input.json, answers) } catch { failed &+= 1 }
      }
      BlackHole.take(failed)
    }
    compilation = stopwatch.measure(operations: input.rules.count) { rounds in
      var diagnostics = 0
      for _ in 0..<rounds {
        for rule in input.rules {
          diagnostics &+= environment.compile(rule.expression).diagnostics.count
        }
      }
      BlackHole.take(diagnostics)
    }
  }

  private static func fill(_ frame: inout Frame, _ json: [UInt8], _ answers: [Value]) throws {
    try frame.fill(json: json)
    for (number, answer) in answers.enumerated() { try frame.answer(number, with: answer) }
  }
}
