internal import Expressions
internal import RuleEngine

/// A part of an expression, compiled in every language.
final class PartRunner {
  private enum Compiled {
    case program(Runnable)
    case broken(String)
  }

  /// A program with the frame that all samples run on, and its questions.
  private final class Runnable {
    let program: Program
    let questions: [HostQuestion]
    var frame: Frame

    init(_ program: Program) {
      self.program = program
      questions = program.questions
      frame = Frame(for: program)
    }
  }

  private let compiled: [Compiled]
  /// The attributes that the part reads in any of the languages.
  let attributes: [AttributePath]
  /// Its questions about events.
  let questions: [HostQuestion]

  init(_ text: String, limits: Limits) {
    compiled = RuleLanguage.compared.map { language in
      let compilation = language.environment(limits: limits).compile(text)
      guard let program = compilation.output else {
        let problem = compilation.diagnostics.first { $0.severity == .error }
        return .broken(problem?.message ?? "it does not compile")
      }
      return .program(Runnable(program))
    }
    attributes = PartRunner.once(compiled) { $0.requirements }
    questions = PartRunner.once(compiled) { $0.questions }
  }

  /// The elements of all programs, without duplicates.
  private static func once<Element: Hashable>(
    _ compiled: [Compiled], _ elements: (Program) -> [Element]
  ) -> [Element] {
    var seen: Set<Element> = []
    return compiled.flatMap { compiled -> [Element] in
      guard case .program(let runnable) = compiled else { return [] }
      return elements(runnable.program).filter { seen.insert($0).inserted }
    }
  }

  /// The languages that compile it.
  var languages: [RuleLanguage] {
    zip(RuleLanguage.compared, compiled).compactMap { language, compiled in
      if case .program = compiled { language } else { nil }
    }
  }

  /// The result of the part in each language.
  func outcomes(of sample: Sample) -> [DialectReport.Outcome] {
    let attributes = sample.attributes
    return zip(RuleLanguage.compared, compiled).map { language, compiled in
      switch compiled {
      case .broken(let message): .broken(message)
      case .program(let runnable): run(runnable, attributes, sample, language)
      }
    }
  }

  private func run(
    _ runnable: Runnable, _ attributes: Value, _ sample: Sample, _ language: RuleLanguage
  ) -> DialectReport.Outcome {
    do throws(EvaluationError) {
      try runnable.frame.fill(attributes)
      if let platform = language.platform {
        for (number, question) in runnable.questions.enumerated() {
          let answer = sample.history.answer(to: question, at: Sample.clock, on: platform)
          try runnable.frame.answer(number, with: answer)
        }
      }
      switch try runnable.program.evaluate(in: &runnable.frame) {
      case .bool(true): return .true
      case .bool(false): return .false
      case let value: return .value(value)
      }
    } catch {
      return .error(error.kind)
    }
  }
}
