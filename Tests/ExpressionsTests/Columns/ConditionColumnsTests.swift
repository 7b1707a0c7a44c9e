import TestSupport
import Testing

@testable import Expressions

/// Conditions over columns against the same conditions, one context after the other.
@Suite struct ConditionColumnsTests {
  @Test(arguments: Extent.some(0..<12))
  func agreesWithRows(seed: UInt64) throws {
    var expressions = RandomExpressions(random: SplitMix(seed: seed &+ 40))
    var writer = ReferenceWriter(random: SplitMix(seed: seed &+ 41))
    var builder = ProgramBuilder(ExpressionEnvironment())
    for round in 0..<30 {
      builder.add(writer.write(expressions.expression(.bool, depth: 1 + round % 5)))
    }
    // Forms that are frequent in rules, some of them more than once.
    for source in [
      #"user.s1 == "free" && device.i1 > 3"#, #"device.i1 > 3 || user.s1 == "free""#,
      #"user.s1 in ["a", "b", "pro"]"#, #"user.s2 in ["a text that is much longer than any cell"]"#,
      #"has(user.s1) && !user.b1"#, #"user.s1.startsWith("a") || user.s2.contains("b")"#,
      #"user.s1.matches("^[a-z]+$") && user.d1 < 3.5"#, "user.b1", "user.i1 == user.i2",
      #""x" in user.l1"#, "user.i1 + 1 > 2", "user.l1.exists(x, x == user.i1)",
      #"user.s1 == "free" ? user.b1 : device.b1"#, "user.i1 / user.i2 == 1 || user.b1",
      "cel.bind(x, user.i1 == 1 || user.b2, x || user.b1)",
      "cel.bind(x, user.i1, x > 3 || user.b1)",
      "user.b2 && cel.bind(x, device.b1 && user.b1, x || user.b2)",
      "cel.bind(x, user.b1 ? user.i1 > 1 : user.b2, x || user.b2) || device.b2",
      "user.?i1.orValue(device.i1) > 2", "device.b1 || user.?b1.orValue(user.b2)",
    ] { builder.add(source) }
    let program = builder.build()
    let rows = 300
    var columns = ColumnFrame(for: program)
    var conditions = ConditionColumns(program, conditions: program.entries)
    var held = 0
    for _ in 0..<2 {
      columns.reset()
      let filled = try FilledRows(program, (0..<rows).map { _ in expressions.context() })
      filled.copy(to: columns)
      conditions.begin(columns)
      for (number, entry) in program.entries.enumerated() {
        let active = RowMasks.allocate()
        defer { active.deallocate() }
        // First for some rows, then for all: what is known already must not change.
        for word in 0..<ColumnFrame.words { active[word] = 0x5555_0F0F_00FF_F731 }
        _ = conditions.holds(number, for: active, in: columns)
        RowMasks.fill(active, rows: ColumnFrame.rows)
        let holding = conditions.holds(number, for: active, in: columns)
        held += filled.expect(entry, number, holdsFor: holding)
      }
    }
    #expect(held > 1_000)
  }
}
