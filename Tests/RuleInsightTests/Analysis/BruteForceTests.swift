import CivilTime
import Expressions
import Foundation
import RuleEngine
import RuleInsight
import TestSupport
import Testing

/// Answers of the analysis against values that know nothing of classes.
@Suite struct BruteForceTests {
  /// Configs for each language; more at night.
  private static let runs =
    ProcessInfo.processInfo.environment["TOLLGATE_ANALYSIS_RUNS"].flatMap { Int($0) } ?? 6

  @Test(arguments: RuleLanguage.compared)
  func noProofIsRefuted(_ language: RuleLanguage) throws {
    var counts = Counts()
    for seed in 0..<Self.runs {
      var random = SplitMix(seed: UInt64(seed) &* 7_919 &+ 17)
      // A third of them asks one attribute several things.
      let path = seed % 3 == 0 ? ["user.a", "user.o.x", "params.p"][seed / 3 % 3] : nil
      var sources: [String] = []
      while sources.count < 4 {
        let condition = RandomCondition(&random, about: path).text
        if language.environment().compile(condition).output != nil { sources.append(condition) }
      }
      let contexts = (0..<300).map { _ in RandomCondition.context(&random) }
      check(
        sources.map { .expression($0) }, language.environment(), contexts, &counts,
        "\(language.name) \(seed): \(sources)")
    }
    // A good part of the atoms is opaque here.
    #expect(counts.unknown * 2 < counts.answered, "\(language): \(counts)")
    #expect(counts.proofs * 20 > counts.answered, "\(language): \(counts)")
  }

  /// Strings of numbers are numbers in some generations of Superwall's evaluator, and in the oldest a
  /// missing attribute is an error.
  @Test(arguments: EvaluatorBehavior.allCases, Platform.allCases)
  func noProofInABehaviorIsRefuted(_ behavior: EvaluatorBehavior, _ platform: Platform) throws {
    let environment = SDKProfile(platform).environment(behavior: behavior)
    var counts = Counts()
    for seed in 0..<Self.runs {
      var random = SplitMix(seed: UInt64(seed) &* 7_907 &+ 23)
      let path = seed % 2 == 0 ? ["user.a", "user.o.x", "params.p"][seed / 2 % 3] : nil
      var sources: [String] = []
      while sources.count < 4 {
        let condition = RandomCondition(&random, about: path).text
        if environment.compile(condition).output != nil { sources.append(condition) }
      }
      let contexts = (0..<300).map { _ in RandomCondition.context(&random) }
      check(
        sources.map { .expression($0) }, environment, contexts, &counts,
        "\(behavior) \(platform) \(seed): \(sources)")
    }
    #expect(counts.proofs > 0, "\(counts)")
  }

  @Test func noProofAboutFiltersIsRefuted() throws {
    var counts = Counts()
    for seed in 0..<Self.runs * 2 {
      var random = SplitMix(seed: UInt64(seed) &* 6_151 &+ 3)
      let sources = (0..<4).map { _ in RandomCondition.filters(&random) }
      let contexts = (0..<300).map { _ in RandomCondition.context(&random) }
      check(
        sources.map { .filters($0) }, RuleLanguage.standard.environment(), contexts, &counts,
        "filters \(seed): \(sources)")
    }
    #expect(counts.unknown * 10 < counts.answered, "\(counts)")
  }

  @Test(arguments: RuleLanguage.compared)
  func noConstantClauseIsRefuted(_ language: RuleLanguage) throws {
    for seed in 0..<Self.runs {
      var random = SplitMix(seed: UInt64(seed) &* 104_729 &+ 5)
      let (first, second) = (
        RandomCondition.atom(&random), RandomCondition.atom(&random)
      )
      // Of two clauses the second, where the first is true, is asked for as a condition of its own.
      let expressions = ["\(first) && \(second)", first, second]
      guard expressions.allSatisfy({ language.environment().compile($0).output != nil })
      else { continue }
      let model = ConditionModel(
        language.environment(), expressions.map { .expression($0) })
      let space = ConditionSpace(model, roots: model.conditions.map(\.root))
      let contexts = (0..<300).map { _ in RandomCondition.context(&random) }
      for wanted in [OutcomeSet.true, .notTrue] {
        let goals = [
          ConditionSpace.Goal(model.conditions[1].root, .true),
          ConditionSpace.Goal(model.conditions[2].root, wanted),
        ]
        var needed: [Int] = []
        guard space.isProved(ConditionSpace.Question(goals), &needed, budget: 200_000)
        else { continue }
        let refuted = contexts.first { context in
          let held = outcomes(model, expressions.count, context)
          return held[1] && held[2] == (wanted == .true)
        }
        #expect(refuted == nil, "\(language): \(expressions) by \(refuted?.json ?? "")")
      }
    }
  }

  /// What a host answers are variables like attributes.
  @Test(arguments: [0, 1, 2, 3])
  func noProofAboutAnswersIsRefuted(_ part: Int) throws {
    let language = RuleLanguage.compared[part]
    for seed in 0..<Self.runs * 2 {
      var random = SplitMix(seed: UInt64(seed) &* 3_001 &+ UInt64(part))
      let sources = (0..<4).map { _ -> String in
        let question = ["computed.daysSince('x')", "computed.placementsInWeek('y')"].randomElement(
          using: &random)
        let comparison = ["==", "!=", "<", "<=", ">", ">="].randomElement(using: &random) ?? ""
        let constant = ["0", "1", "3", "2.5", "null", "true"].randomElement(using: &random) ?? ""
        let other = RandomCondition.atom(&random, about: "user.a")
        let link = Bool.random(using: &random) ? "&&" : "||"
        return "\(question ?? "") \(comparison) \(constant) \(link) \(other)"
      }
      guard sources.allSatisfy({ language.environment().compile($0).output != nil }) else {
        continue
      }
      let model = ConditionModel(language.environment(), sources.map { .expression($0) })
      let contexts = (0..<150).map { _ -> AnalysisWitness in
        var witness = AnalysisWitness(attributes: RandomCondition.context(&random))
        for question in model.program.questions {
          let values: [Value] = [0, 1, 2, 3, 4, .null, true, false, .int(-1), .int(.max)]
          witness.answers.append((question, values.randomElement(using: &random) ?? 0))
        }
        return witness
      }
      let all = Array(model.conditions.indices)
      let held = contexts.map { model.held(all, for: $0) ?? [] }
      for number in all {
        var needed: [Int] = []
        let question = ConditionSpace.Question(
          [ConditionSpace.Goal(model.conditions[number].root, .true)], sparing: Array(0..<number))
        let space = ConditionSpace(model, roots: model.conditions[0...number].map(\.root))
        guard case .proof = space.answer(question, &needed, budget: 200_000) else { continue }
        let refuted = held.firstIndex { $0.first == number }
        #expect(refuted == nil, "\(language.name): \(sources[...number]) at \(seed)")
      }
    }
  }

  // MARK: Checking

  private struct Counts {
    var answered = 0
    var proofs = 0
    var unknown = 0
  }

  /// Asks for each of some conditions who matches it and none before.
  private func check(
    _ sources: [ConditionModel.Source], _ environment: ExpressionEnvironment, _ contexts: [Value],
    _ counts: inout Counts, _ comment: String
  ) {
    let model = ConditionModel(environment, sources)
    let held = contexts.map { outcomes(model, sources.count, $0) }
    for number in sources.indices {
      let question = ConditionSpace.Question(
        [ConditionSpace.Goal(model.conditions[number].root, .true)], sparing: Array(0..<number))
      let space = ConditionSpace(model, roots: model.conditions[0...number].map(\.root))
      let isMet = { (held: [Bool]) in held[number] && !held[..<number].contains(true) }
      var needed: [Int] = []
      switch space.answer(question, &needed, budget: 200_000) {
      case .proof:
        counts.answered += 1
        counts.proofs += 1
        let refuted = held.firstIndex(where: isMet)
        #expect(
          refuted == nil, "\(comment) \(number) by \(refuted.map { contexts[$0].json } ?? "")")
      case .witness(let witness):
        counts.answered += 1
        #expect(
          isMet(outcomes(model, sources.count, witness.attributes)),
          "\(comment) \(number) with \(witness.attributes.json)")
      case .unknown: counts.unknown += 1
      }
    }
  }

  /// Which conditions hold, each run as a whole by the machine.
  private func outcomes(_ model: ConditionModel, _ count: Int, _ context: Value) -> [Bool] {
    var frame = Frame(for: model.program)
    guard (try? frame.fill(json: context.json.utf8)) != nil else {
      return Array(repeating: false, count: count)
    }
    return (0..<count).map { model.program.isTrue(model.program.entries[$0], in: &frame) }
  }
}
