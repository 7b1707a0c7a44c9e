internal import Expressions
internal import RuleEngine

/// A part of an expression, compiled in every language.
final class PartRunner {
  fileprivate enum Compiled {
    case program(Runnable)
    case broken(String)
  }

  /// A program with its questions, and the frame that is used for all samples.
  fileprivate final class Runnable {
    let program: Program
    let questions: [HostQuestion]
    var frame: Frame
    /// The slot of each attribute, if all attributes are members of the samples' roots.
    let slots: [AttributePath: Int]?

    init(_ program: Program) {
      self.program = program
      questions = program.questions
      frame = Frame(for: program)
      var slots: [AttributePath: Int] = [:]
      for (slot, content) in program.storage.graph.slots.contents.enumerated() {
        switch content {
        case .question: continue
        case .attribute(let path):
          if path.names.count == 2, Sample.roots.contains(path.names[0]), frame.canChange(slot) {
            slots[path] = slot
            continue
          }
        case .everything: break
        }
        self.slots = nil
        return
      }
      self.slots = slots
    }

    var outcome: DialectReport.Outcome { PartRunner.outcome(program, &frame) }
  }

  fileprivate let compiled: [Compiled]
  /// The attributes that the part reads in any of the languages.
  let attributes: [AttributePath]
  /// The part's questions about events.
  let questions: [HostQuestion]
  /// The results for a clause, which are the same in all expressions with this clause.
  var clause: ClauseResults?

  /// The fixed work of compiling a part, in addition to the work for each byte.
  static let compilingWork = 1_000

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

  /// The languages in which the part compiles.
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

  /// Prepares the results for samples that differ from a sample in one attribute.
  func trial(of sample: Sample) -> PartTrial { PartTrial(self, sample) }

  fileprivate func run(
    _ runnable: Runnable, _ attributes: Value, _ sample: Sample, _ language: RuleLanguage
  ) -> DialectReport.Outcome {
    do throws(EvaluationError) {
      try fill(runnable, attributes, sample, language)
      return runnable.outcome
    } catch {
      return .error(error.kind)
    }
  }

  fileprivate func fill(
    _ runnable: Runnable, _ attributes: Value, _ sample: Sample, _ language: RuleLanguage
  ) throws(EvaluationError) {
    try runnable.frame.fill(attributes)
    guard let platform = language.platform else { return }
    for (number, question) in runnable.questions.enumerated() {
      let answer = sample.history.answer(to: question, at: Sample.clock, on: platform)
      try runnable.frame.answer(number, with: answer)
    }
  }

  fileprivate static func outcome(_ program: Program, _ frame: inout Frame)
    -> DialectReport.Outcome
  {
    do throws(EvaluationError) {
      switch try program.evaluate(in: &frame) {
      case .bool(true): return .true
      case .bool(false): return .false
      case let value: return .value(value)
      }
    } catch {
      return .error(error.kind)
    }
  }
}

/// The results of a part for samples that differ from a sample in one attribute. The frames are filled once, so the
/// trial is valid until the part runs on another sample.
final class PartTrial {
  private let runner: PartRunner
  private let sample: Sample
  /// The result for the sample itself in each language; nil if a changed sample must be run as a whole.
  private var own: [DialectReport.Outcome]?
  private var path: AttributePath?
  /// The slot of ``path`` in each language.
  private var slots: [Int?] = []

  fileprivate init(_ runner: PartRunner, _ sample: Sample) {
    self.runner = runner
    self.sample = sample
    let areSimple = runner.compiled.allSatisfy { compiled in
      if case .program(let runnable) = compiled { runnable.slots != nil } else { true }
    }
    guard areSimple else { return }
    let attributes = sample.attributes
    var outcomes: [DialectReport.Outcome] = []
    for (language, compiled) in zip(RuleLanguage.compared, runner.compiled) {
      switch compiled {
      case .broken(let message): outcomes.append(.broken(message))
      case .program(let runnable):
        // A sample that does not fit into a frame cannot be changed.
        guard (try? runner.fill(runnable, attributes, sample, language)) != nil else { return }
        outcomes.append(runnable.outcome)
      }
    }
    own = outcomes
  }

  func outcomes(changing path: AttributePath, to value: Value) -> [DialectReport.Outcome] {
    guard let own else { return runner.outcomes(of: sample.changed(path, to: value)) }
    if self.path != path {
      self.path = path
      slots = runner.compiled.map { compiled in
        if case .program(let runnable) = compiled { runnable.slots?[path] } else { nil }
      }
    }
    var outcomes = own
    for (number, compiled) in runner.compiled.enumerated() {
      guard case .program(let runnable) = compiled, let slot = slots[number] else { continue }
      do throws(EvaluationError) {
        outcomes[number] = try runnable.frame.changing(slot, to: value) { frame in
          PartRunner.outcome(runnable.program, &frame)
        }
      } catch {
        outcomes[number] = .error(error.kind)
      }
    }
    return outcomes
  }
}
