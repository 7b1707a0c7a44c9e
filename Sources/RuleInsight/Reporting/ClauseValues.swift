internal import Expressions
internal import RuleEngine

/// The values that a clause is tried with: for everything that it reads those between which the
/// analysis of a language tells, of all languages, the simplest first.
struct ClauseValues {
  private var byPath: [AttributePath: [Value]] = [:]

  init(_ clause: ExpressionPart, _ runner: PartRunner, limits: Limits) {
    var found: [AttributePath: [(value: Value, rank: Double)]] = [:]
    var seen: [AttributePath: Set<Value>] = [:]
    for language in runner.languages {
      let environment = language.environment(limits: limits)
      let model = ConditionModel(environment, [.expression(clause.text)])
      let space = ChangeSpace(
        model, roots: [model.conditions[0].root], around: .nothing, isFixed: { _ in false })
      for (place, path) in space.places.map(\.path).enumerated() {
        for candidate in space.values(of: place) {
          guard let value = candidate.value else { continue }
          guard seen[path, default: []].insert(value).inserted else { continue }
          found[path, default: []].append((value, Self.rank(candidate, clause.constants)))
        }
      }
    }
    let others = clause.constants.flatMap(Self.otherForms)
    for path in runner.attributes {
      let known = (found[path] ?? []).enumerated()
        .sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }.map(\.element.value)
      let more = known.isEmpty ? Self.ofAnything + clause.constants : others
      byPath[path] = known + more.filter { seen[path]?.contains($0) != true }
    }
  }

  subscript(path: AttributePath) -> [Value] { byPath[path] ?? [] }

  /// Where the analysis has no values: for a whole root, and what no language compiles.
  private static let ofAnything: [Value] = [
    .map([Value.Entry(key: "other", value: true)]), .null, "other", 1, 1.5, true, .list([]),
  ]

  /// How late a value is tried: what is of another kind than the constants, and below 0 where they
  /// are not, comes behind what is ordinary.
  private static func rank(_ candidate: RankedValue, _ constants: [Value]) -> Double {
    guard let value = candidate.value else { return 0 }
    var rank = Double(candidate.rank)
    if !constants.isEmpty, value.elements == nil, !constants.contains(where: { isLike($0, value) })
    {
      rank += 5
    }
    if value.number?.sign == .minus, !constants.contains(where: { $0.number?.sign == .minus }) {
      rank += 3
    }
    // Distance only tells values of one rank apart.
    let distance = candidate.distance / (candidate.distance + 1)
    return rank + (distance.isNaN ? 1 : distance) / 2
  }

  private static func isLike(_ constant: Value, _ value: Value) -> Bool {
    (constant.number == nil) == (value.number == nil)
      && (constant.truth == nil) == (value.truth == nil)
      && (constant.text == nil) == (value.text == nil)
  }

  /// What a constant may be sent as, where an SDK reads it as the constant and the analysis, which
  /// sees what was read, does not ask: a number as a text, and a text with a sign that one of them
  /// drops.
  private static func otherForms(of constant: Value) -> [Value] {
    switch constant {
    case .int(let number): [.string(String(number))]
    case .double(let number): [.string("\(number)")]
    case .string(let text):
      [.string("$" + text)]
        + (Int64(text).map { [.int($0)] } ?? Double(text).map { [.double($0)] } ?? [])
    default: []
    }
  }
}
