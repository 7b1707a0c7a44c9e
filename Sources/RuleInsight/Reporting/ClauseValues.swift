internal import Expressions
internal import RuleEngine

/// The values for testing a clause: for each attribute that it reads, the values that the analysis
/// of any language distinguishes, the simplest first.
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
      for (place, path) in space.places.map({ $0.path }).enumerated() {
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
        .sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }.map {
          $0.element.value
        }
      let more = known.isEmpty ? Self.ofAnything + clause.constants : others
      byPath[path] = known + more.filter { seen[path]?.contains($0) != true }
    }
  }

  subscript(path: AttributePath) -> [Value] { byPath[path] ?? [] }

  /// Values for attributes that the analysis does not cover: whole roots, and attributes of clauses
  /// that no language compiles.
  private static let ofAnything: [Value] = [
    .map([Value.Entry(key: "other", value: true)]), .null, "other", 1, 1.5, true, .list([]),
  ]

  /// The rank of a value. Ordinary values come first. Values of other types than the constants come
  /// later, and so do negative values if no constant is negative.
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
    // Distance only orders values with the same rank.
    let distance = candidate.distance / (candidate.distance + 1)
    return rank + (distance.isNaN ? 1 : distance) / 2
  }

  private static func isLike(_ constant: Value, _ value: Value) -> Bool {
    (constant.number == nil) == (value.number == nil)
      && (constant.truth == nil) == (value.truth == nil)
      && (constant.text == nil) == (value.text == nil)
  }

  /// Other values that an SDK converts to a constant, which the analysis does not find: a number as
  /// a string, and a string with a sign that one of the SDKs removes.
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
