import TestSupport
import Testing

@testable import Expressions

/// Filters in AgentWallie's dialect.
@Suite struct FilterTests {
  private func matches(_ filters: [Filter], _ context: Value) throws -> Bool {
    let program = ExpressionEnvironment(roots: []).compile(filters)
    var frame = Frame(for: program)
    try frame.fill(context)
    return program.isTrue(in: &frame)
  }

  private func filter(
    _ field: String, _ operator: Filter.Operator?, _ value: Value? = nil,
    _ conjunction: Filter.Conjunction? = nil
  ) -> Filter {
    Filter(field: field, operator: `operator`, value: value, conjunction: conjunction)
  }

  @Test func nothingIsEverybody() throws {
    #expect(try matches([], .map([])))
  }

  /// `and` binds tighter than `or`; the first conjunction counts nothing.
  @Test(
    arguments: [
      ("1111", true), ("1100", true), ("0011", true), ("1010", false), ("0101", false),
      ("0111", true), ("0000", false), ("1000", false),
    ])
  func groups(bits: String, expected: Bool) throws {
    let context: Value = .map(
      zip("abcd", bits).map {
        Value.Entry(key: .string(String($0)), value: .bool($1 == "1"))
      })
    let filters = [
      filter("a", .is, true, .or), filter("b", .is, true, .and), filter("c", .is, true, .or),
      filter("d", .is, true),
    ]
    #expect(try matches(filters, context) == expected)
  }

  /// A filter that errs is false, and spoils no other.
  @Test func errorsStayWithin() throws {
    let bad = filter("s", .greaterThan, 1)
    let good = filter("n", .is, 1, .or)
    let context: Value = ["s": "text", "n": 1]
    #expect(try !matches([bad], context))
    #expect(try matches([bad, good], context))
    let program = ExpressionEnvironment(roots: []).compile([bad])
    var frame = Frame(for: program)
    try frame.fill(context)
    #expect(try program.evaluate(in: &frame) == false)
  }

  /// Equal filters are one node, whatever list they stand in.
  @Test func sharing() {
    var builder = ProgramBuilder(ExpressionEnvironment())
    builder.add([filter("user.a", .is, 1), filter("user.b", .notIn, ["x"])])
    builder.add([filter("user.a", .is, 1), filter("user.b", .notIn, ["x"])])
    builder.add([filter("user.b", .notIn, ["x"])])
    let program = builder.build()
    #expect(program.entries[0].start == program.entries[1].start)
    #expect(program.requirements.map(\.description) == ["user.a", "user.b"])
  }

  @Test func texts() {
    let filters = [
      filter("user.plan", .is, "free"), filter("n", .greaterOrEqual, 3, .and),
      filter("l", .in, ["a", "b"], .or), filter("x", .exists), filter("", .notExists),
      filter("y", nil, 1), filter("z", .lessThan),
    ]
    let text = FilterText(filters)
    #expect(
      text.text
        == #"user.plan is "free" and n gte 3 or l in ["a","b"] and x exists and (everything) not_exists"#
        + " and y (unknown operator) and z lt (no value)")
    let bytes = Array(text.text.utf8)
    for (filter, range) in zip(filters, text.ranges) {
      #expect(String(decoding: bytes[range.from..<range.to], as: UTF8.self) == filter.text)
    }
  }

  /// What is told of filters is one clause each, in words of the config.
  @Test func clauses() throws {
    let program = ExpressionEnvironment(roots: []).compile([
      filter("a", .notIn, ["x"]), filter("b", .isNot, 1), filter("c", .notExists),
      filter("d", .contains, "q"), filter("e", nil, 1, .or),
    ])
    var frame = Frame(for: program)
    try frame.fill(["a": "y", "b": 1, "d": 5])
    let told = program.clauses(of: program.entries[0], in: &frame).map {
      "\($0.text): \($0.outcome) \($0.wasReached)"
    }
    #expect(
      told == [
        #"a not_in ["x"]: true true"#, "b is_not 1: false true", "c not_exists: true false",
        #"d contains "q": false false"#, "e (unknown operator): false true",
      ])
  }

  // MARK: Against a reference

  /// What the dialect says, written down once more on plain values.
  private static func reference(_ filter: Filter, _ context: Value) -> Bool {
    guard let `operator` = filter.operator else { return false }
    var found: Value? = context
    for name in filter.path {
      guard case .map? = found else {
        found = nil
        break
      }
      found = found?[name]
    }
    if `operator` == .exists { return found != nil }
    if `operator` == .notExists { return found == nil }
    guard let found, let value = filter.value else { return false }
    func number(_ value: Value) -> Double? {
      switch value {
      case .int(let number): Double(number)
      case .double(let number): number
      default: nil
      }
    }
    func text(_ value: Value) -> [UInt8]? {
      if case .string(let text) = value { Array(text.utf8) } else { nil }
    }
    func list(_ value: Value) -> [[UInt8]]? {
      guard case .list(let values) = value else { return nil }
      let texts = values.compactMap(text)
      return texts.count == values.count ? texts : nil
    }
    func isEqual() -> Bool {
      if let a = number(found), let b = number(value) { return a == b }
      if let a = text(found), let b = text(value) { return a == b }
      if case .bool(let a) = found, case .bool(let b) = value { return a == b }
      return false
    }
    /// Values that a filter may have at all.
    let isUsable =
      number(value) != nil || text(value) != nil || list(value) != nil
      || value.typeName == "bool"
    guard isUsable else { return false }
    switch `operator` {
    case .is: return isEqual()
    case .isNot: return !isEqual()
    case .contains:
      guard let whole = text(found), let part = text(value), !part.isEmpty else { return false }
      return whole.indices.contains { whole[$0...].starts(with: part) }
    case .in: return text(found).flatMap { text in list(value)?.contains(text) } ?? false
    case .notIn:
      return text(found).flatMap { text in list(value).map { !$0.contains(text) } } ?? false
    case .greaterThan, .greaterOrEqual, .lessThan, .lessOrEqual:
      guard let a = number(found), let b = number(value) else { return false }
      switch `operator` {
      case .greaterThan: return a > b
      case .greaterOrEqual: return a >= b
      case .lessThan: return a < b
      default: return a <= b
      }
    case .exists, .notExists: return false
    }
  }

  private static func reference(_ filters: [Filter], _ context: Value) -> Bool {
    var groups: [Bool] = []
    for (i, filter) in filters.enumerated() {
      let holds = reference(filter, context)
      if i == 0 || filter.conjunction == .or {
        groups.append(holds)
      } else {
        groups[groups.count - 1] = groups[groups.count - 1] && holds
      }
    }
    return groups.isEmpty || groups.contains(true)
  }

  /// Every filter is a clause. In a group the first that does not hold ends it; the first group
  /// that holds ends the list.
  private func expectClauses(_ filters: [Filter], _ context: Value) throws {
    let program = ExpressionEnvironment(roots: []).compile(filters)
    var frame = Frame(for: program)
    try frame.fill(context)
    let clauses = program.clauses(of: program.entries[0], in: &frame)
    #expect(clauses.map(\.text) == filters.map(\.text))
    let holds = filters.map { Self.reference($0, context) }
    #expect(clauses.map { $0.outcome == .true } == holds)
    #expect(clauses.map { $0.outcome == .false } == holds.map { !$0 })
    var isOpen = true
    var groupHolds = true
    for (i, filter) in filters.enumerated() {
      if i > 0, filter.conjunction == .or {
        isOpen = isOpen && !groupHolds
        groupHolds = true
      }
      #expect(clauses[i].wasReached == (isOpen && groupHolds), "\(clauses.map(\.text)), \(i)")
      groupHolds = groupHolds && holds[i]
    }
  }

  private static let values: [Value] = [
    .null, true, false, 0, 1, 2, .double(1), .double(1.5), .double(-0.0), "", "a", "abc",
    "caf\u{E9}", "cafe\u{301}", "a text that is longer than fifteen bytes", ["a"], [],
    ["a", "caf\u{E9}"], [1], ["a": 1], .map([]), .int(.max), .double(9.3e18),
  ]

  @Test(arguments: 0..<40)
  func randomFilters(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    for _ in 0..<40 {
      func value() -> Value { Self.values.randomElement(using: &random)! }
      let filters = (0..<Int.random(in: 0...5, using: &random)).map { _ in
        Filter(
          field: ["a", "b.c", "b..d", "b", "", "x.y.z", "a.b"].randomElement(using: &random)!,
          operator: Filter.Operator.allCases.randomElement(using: &random)!, value: value(),
          conjunction: [.and, .and, .or, nil].randomElement(using: &random)!)
      }
      let contexts: [Value] = (0..<5).map { _ in
        var entries: [Value.Entry] = []
        if Bool.random(using: &random) { entries.append(.init(key: "a", value: value())) }
        if Bool.random(using: &random) {
          entries.append(.init(key: "b", value: ["c": value(), "d": value()]))
        } else if Bool.random(using: &random) {
          entries.append(.init(key: "b", value: value()))
        }
        return .map(entries)
      }
      for context in contexts {
        let expected = Self.reference(filters, context)
        #expect(
          try matches(filters, context) == expected,
          "\(FilterText(filters).text) in \(context.json)")
        try expectClauses(filters, context)
      }
    }
  }
}
