import Expressions
import Foundation
import RuleEngine
import TestSupport
import Testing

/// Answers of the analysis against values that know nothing of classes.
@Suite struct BruteForceTests {
  /// Configs for each language; more at night.
  private static let runs =
    ProcessInfo.processInfo.environment["TOLLGATE_ANALYSIS_RUNS"].flatMap { Int($0) } ?? 60

  @Test(arguments: RuleLanguage.compared)
  func noProofIsRefuted(_ language: RuleLanguage) throws {
    var answered = 0
    var unknown = 0
    for seed in 0..<Self.runs {
      var random = SplitMix(seed: UInt64(seed) &* 7_919 &+ 17)
      let expressions = (0..<4).map { _ in RandomCondition(&random).text }
      let model = ConditionModel(
        language.environment(), expressions.map { .expression($0) })
      let contexts = (0..<400).map { _ in RandomCondition.context(&random) }
      let held = contexts.map { outcomes(model, expressions.count, $0) }
      for number in expressions.indices {
        var goals = [ConditionSpace.Goal(model.conditions[number].root, .true)]
        for earlier in 0..<number {
          goals.append(ConditionSpace.Goal(model.conditions[earlier].root, .notTrue))
        }
        let space = ConditionSpace(
          model, roots: model.conditions[0...number].map(\.root))
        let isMet = { (held: [Bool]) in held[number] && !held[..<number].contains(true) }
        switch space.answer(goals, budget: 200_000) {
        case .proof:
          answered += 1
          let refuted = held.firstIndex(where: isMet)
          #expect(
            refuted == nil,
            "\(language): \(expressions[...number]) by \(refuted.map { contexts[$0].json } ?? "")")
        case .witness(let witness):
          answered += 1
          #expect(
            isMet(outcomes(model, expressions.count, witness.attributes)),
            "\(language): \(expressions[...number]) with \(witness.attributes.json)")
        case .unknown: unknown += 1
        }
      }
    }
    // A sixth of the atoms is opaque here.
    #expect(unknown * 4 < answered, "\(language): \(unknown) unknown beside \(answered)")
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
      let model = ConditionModel(
        language.environment(), expressions.map { .expression($0) })
      let space = ConditionSpace(model, roots: model.conditions.map(\.root))
      let contexts = (0..<300).map { _ in RandomCondition.context(&random) }
      for wanted in [OutcomeSet.true, .notTrue] {
        let goals = [
          ConditionSpace.Goal(model.conditions[1].root, .true),
          ConditionSpace.Goal(model.conditions[2].root, wanted),
        ]
        guard space.isProved(goals, budget: 200_000) else { continue }
        let refuted = contexts.first { context in
          let held = outcomes(model, expressions.count, context)
          return held[1] && held[2] == (wanted == .true)
        }
        #expect(refuted == nil, "\(language): \(expressions) by \(refuted?.json ?? "")")
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

/// Conditions and contexts that are likely to meet.
private struct RandomCondition {
  let text: String

  init(_ random: inout SplitMix) { text = Self.condition(&random, depth: 2) }

  private static let paths = ["user.a", "user.b", "user.o", "user.o.x", "params.p"]
  private static let numbers = [
    "0", "1", "-1", "3", "2.5", "7", "9007199254740993", "9007199254740992.0", "2147483648",
    "-3000000000", "1e19",
  ]
  private static let texts = ["", "a", "ab", "b", "ba", "aba", "true", "3", "$a", "é"]

  private static func condition(_ random: inout SplitMix, depth: Int) -> String {
    guard depth > 0 else { return atom(&random) }
    let (a, b) = (condition(&random, depth: depth - 1), condition(&random, depth: depth - 1))
    switch Int.random(in: 0..<8, using: &random) {
    case 0...2: return "(\(a) && \(b))"
    case 3, 4: return "(\(a) || \(b))"
    case 5: return "!(\(a))"
    case 6: return "(\(a) ? \(b) : \(condition(&random, depth: 0)))"
    default: return atom(&random)
    }
  }

  static func atom(_ random: inout SplitMix) -> String {
    let path = paths.randomElement(using: &random) ?? ""
    let number = numbers.randomElement(using: &random) ?? ""
    let text = "'\(texts.randomElement(using: &random) ?? "")'"
    let other = "'\(texts.randomElement(using: &random) ?? "")'"
    let constant = Bool.random(using: &random) ? number : text
    let comparison = ["==", "!=", "<", "<=", ">", ">="].randomElement(using: &random) ?? ""
    switch Int.random(in: 0..<18, using: &random) {
    case 0...4: return "\(path) \(comparison) \(constant)"
    case 5: return "\(constant) \(comparison) \(path)"
    case 6: return "has(\(path))"
    case 7: return "\(path) in [\(text), \(number), \(other)]"
    case 8: return "\(text) in \(path)"
    case 9: return "\(path).startsWith(\(text))"
    case 10: return "\(path).endsWith(\(text))"
    case 11, 12: return "\(path).contains(\(text))"
    case 13: return "size(\(path)) \(comparison) \(Int.random(in: 0..<4, using: &random))"
    case 14: return path
    case 15: return "\(path) == \(["true", "null", "false"].randomElement(using: &random) ?? "")"
    case 16: return "\(path) % 3 == 1"
    default: return "\(path) < \(paths.randomElement(using: &random) ?? "")"
    }
  }

  private static func value(_ random: inout SplitMix, depth: Int = 1) -> Value? {
    let letters = ["a", "b", "é", "$", "3"]
    switch Int.random(in: 0..<22, using: &random) {
    case 0, 1: return nil
    case 2: return .null
    case 3: return .bool(Bool.random(using: &random))
    case 4...7:
      let near: [Int64] = [
        0, 1, 3, 7, 2_147_483_647, -2_147_483_649, 9_007_199_254_740_992, .max, .min,
        -3_000_000_000, -8_446_744_073_709_551_616,
      ]
      let base = near.randomElement(using: &random) ?? 0
      return .int(base &+ Int64.random(in: -2...2, using: &random))
    case 8: return .uint(UInt64.max - UInt64.random(in: 0...2, using: &random))
    case 9: return .uint(10_000_000_000_000_000_000)
    case 10...12:
      let near = [0, -0.0, 1, 2.5, 3, 9_007_199_254_740_992, 1e19, -1e300, 2_147_483_648]
      let base = near.randomElement(using: &random) ?? 0
      return .double([base, base.nextUp, base.nextDown].randomElement(using: &random) ?? base)
    case 13...17:
      let count = Int.random(in: 0...4, using: &random)
      return .string(
        (0..<count).map { _ in letters.randomElement(using: &random) ?? "" }.joined())
    case 18: return .string(["true", "false", "A"].randomElement(using: &random) ?? "")
    case 19, 20:
      let count = Int.random(in: 0...3, using: &random)
      return .list((0..<count).compactMap { _ in value(&random, depth: 0) })
    default:
      guard depth > 0 else { return .map([]) }
      return ["x": value(&random, depth: 0) ?? 1, "a": 1]
    }
  }

  static func context(_ random: inout SplitMix) -> Value {
    var user: [Value.Entry] = []
    for name in ["a", "b", "o"] {
      var found = value(&random)
      if name == "o", Bool.random(using: &random) {
        found = .map(
          value(&random, depth: 0).map { [Value.Entry(key: "x", value: $0)] } ?? [])
      }
      if let found { user.append(Value.Entry(key: .string(name), value: found)) }
    }
    let params = value(&random).map { [Value.Entry(key: "p", value: $0)] } ?? []
    return ["user": .map(user), "params": .map(params)]
  }
}
