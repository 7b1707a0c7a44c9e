internal import CivilTime
internal import Expressions
internal import RuleEngine

/// Finds a form of a condition that all versions of an SDK decide alike.
///
/// A clause that compares an attribute with a number reads the attribute by `double(...)`, and asks
/// with `has(...)` first, because old versions do not match where an attribute is missing. A form is
/// returned only if random users get the same from all versions, and the same as before where
/// the versions agreed.
struct StableForm {
  private let audience: Audience
  private let clauses: [ExpressionPart]
  private let profiles: [SDKProfile]
  private let now: Instant

  private static let randomUsers = 600

  /// - Parameter profiles: the versions that should decide alike.
  init?(_ audience: Audience, _ profiles: [SDKProfile], now: Instant) {
    guard let expression = audience.expression,
      let parts = ExpressionPart.all(of: expression, in: .superscript)
    else { return nil }
    self.audience = audience
    clauses = parts.filter { $0.parts.isEmpty }
    self.profiles = profiles
    self.now = now
  }

  /// Returns the form, or nil if no form passes the trials.
  func find() -> String? {
    // Tries first to rewrite only clauses about numbers, and to add guards only where the condition
    // has none.
    for (all, guardsAll) in [(false, false), (false, true), (true, false), (true, true)] {
      let form = written(all, guardsAll)
      if form != audience.expression, holds(form) { return form }
    }
    return nil
  }

  // MARK: Writing

  /// - Parameters:
  ///   - all: whether to rewrite clauses about strings and booleans as well.
  ///   - guardsAll: whether to ask with `has()` also for attributes that the condition asks for itself.
  private func written(_ all: Bool, _ guardsAll: Bool) -> String {
    let expression = audience.expression ?? ""
    var bytes = Array(expression.utf8)
    for part in clauses.sorted(by: { $0.range.from > $1.range.from }) {
      guard let clause = Clause(part) else { continue }
      let isGuarded = !guardsAll && expression.contains("has(\(clause.path))")
      guard let text = clause.stable(all, isGuarded: isGuarded) else { continue }
      let isWhole = part.range.to - part.range.from == bytes.count
      bytes.replaceSubrange(
        part.range.from..<part.range.to,
        with: Array((isWhole || isGuarded ? text : "(\(text))").utf8))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A comparison of an attribute with a literal.
  private struct Clause {
    var path: String
    var relation: String
    var literal: String
    var value: Value

    /// - Parameter part: for example `user.age > 18`.
    init?(_ part: ExpressionPart) {
      guard part.constants.count == 1, let value = part.constants.first else { return nil }
      let text = Substring(part.text)
      path = String(text.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." })
      var rest = text.dropFirst(path.count).drop { $0 == " " }
      guard path.contains("."), ["user", "device", "params"].contains(path.prefix { $0 != "." }),
        let relation = ["==", "!=", "<=", ">=", "<", ">"].first(where: { rest.hasPrefix($0) })
      else { return nil }
      self.relation = relation
      rest = rest.dropFirst(relation.count).drop { $0 == " " }
      literal = String(rest)
      self.value = value
      let isLiteral =
        switch value {
        case .string: literal.first == "\"" || literal.first == "'"
        case .bool: literal == "true" || literal == "false"
        default: Double(literal) != nil
        }
      guard isLiteral else { return nil }
    }

    /// - Parameters:
    ///   - all: whether to rewrite comparisons of strings and booleans as well.
    ///   - isGuarded: whether the condition asks for the attribute itself.
    func stable(_ all: Bool, isGuarded: Bool) -> String? {
      let comparison: String
      if let number = value.number ?? value.text.flatMap(Self.number), number.isFinite {
        comparison = "double(\(path)) \(relation) \(number)"
      } else {
        guard all else { return nil }
        comparison = "\(path) \(relation) \(literal)"
      }
      return isGuarded ? comparison : "has(\(path)) ? \(comparison) : \(ofMissing)"
    }

    /// The number in a string. Digits with leading zeros are an ID or a padded version, not a number.
    private static func number(_ text: String) -> Double? {
      let bytes = Array(text.utf8.prefix(2))
      let isPadded = bytes.first == UInt8(ascii: "0") && bytes.count == 2 && isDigit(bytes[1])
      return isPadded ? nil : Double(text)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
      UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    /// The value of the clause if the attribute is missing and counts as 0, "" or false.
    private var ofMissing: Bool {
      func compare<Operand: Comparable>(_ a: Operand, _ b: Operand) -> Bool {
        switch relation {
        case "==": a == b
        case "!=": a != b
        case "<=": a <= b
        case ">=": a >= b
        case "<": a < b
        default: a > b
        }
      }
      switch value {
      case .string(let text): return compare(0, text.utf8.count)
      case .bool(let flag): return compare(0, flag ? 1 : 0)
      default: return compare(0, value.number ?? 0)
      }
    }
  }

  // MARK: Trying

  /// Whether all versions decide a form alike, and like the condition wherever they agreed before.
  private func holds(_ form: String) -> Bool {
    var changed = audience
    changed.expression = form
    let (old, new) = (deciders(audience), deciders(changed))
    guard let first = new.first else { return false }
    let candidates = VersionCandidates((old + new).map { $0.ruleSet }, at: Self.placement)
    let nobody = Value.object([UserMember.userID.key: .string(WitnessRecord.userID)])
    let users =
      [nobody] + candidates.users(near: [nobody])
      + candidates.randomUsers(Self.randomUsers, from: nobody)
    for user in users {
      let outcomes = Set(new.map { outcome($0, user) })
      guard outcomes.count == 1 else { return false }
      let before = Set(old.map { outcome($0, user) })
      if before.count == 1, before != outcomes { return false }
    }
    return !first.ruleSet.rules.contains { $0.isBroken }
  }

  private static let placement = "p"

  private func deciders(_ audience: Audience) -> [WitnessDecider] {
    var audience = audience
    audience.occurrenceLimit = nil
    let family = RuleSetFamily(
      Config(placements: [Placement(name: Self.placement, audiences: [audience])]))
    return profiles.map { WitnessDecider(family.ruleSet(for: $0), now: now) }
  }

  private func outcome(_ decider: WitnessDecider, _ user: Value) -> String {
    guard let state = decider.read(user) else { return "" }
    let decision = decider.ruleSet.decide(
      Self.placement, frame: &decider.frame, state: state, assigner: .draw(0))
    return decision.outcome.code
  }
}
