@testable import Expressions

/// Other uses of programs: rows of columns, partial evaluation, estimates.
extension EvaluatorCheck {
  /// A row among others holds exactly if the context does alone.
  static func checkColumns(_ program: Program, _ wanted: Outcome, _ frame: inout Frame) {
    let columns = ColumnFrame(for: program)
    var conditions = ConditionColumns(program, conditions: program.entries)
    var empty = Frame(for: program)
    let alone = [wanted.isTrue, program.isTrue(in: &empty)]
    let rows = 70
    // Every seventh row, from row 5 on, stays vacant.
    for row in 0..<rows where row % 7 != 5 {
      if row % 3 == 0 {
        columns.copyRow(row, from: frame)
      } else {
        columns.copyRow(row, from: empty)
      }
    }
    conditions.begin(columns)
    let active = RowMasks.allocate()
    defer { active.deallocate() }
    RowMasks.fill(active, rows: rows)
    let holding = conditions.holds(0, for: active, in: columns)
    for row in 0..<rows where row % 7 != 5 {
      let holds = holding[row / 64] & 1 << UInt64(row % 64) != 0
      require(holds == alone[row % 3 == 0 ? 0 : 1], "row \(row) holds: \(holds), \(wanted)")
    }
  }

  static func checkCost(_ program: Program) {
    let cost = program.cost(of: program.entries[0], for: Cost.DataSizes(elements: 3, bytes: 20))
    require(cost.steps.lowerBound >= 0 && cost.operations.lowerBound >= 0, "a negative cost")
  }

  /// A specialised program evaluates to the same result, and so does its source.
  static func checkSpecialized(_ program: Program, _ context: Context, _ wanted: Outcome) {
    guard case .map(let roots)? = context.value else { return }
    let whole = roots.compactMap { root in
      if case .string(let name) = root.key { AttributePath([name]) } else { nil }
    }
    let parts: [KnownAttributes] = [
      KnownAttributes(.map([])), KnownAttributes(.map(roots), complete: whole),
      KnownAttributes(.map(Array(roots.suffix(1))), complete: whole.suffix(1)),
      KnownAttributes(.map(roots.map(firstMembers))),
    ]
    for known in parts {
      let rest = program.specialize(known)
      compareRoughly(outcome(rest, context), wanted, "specialized")
      let residue = rest.residue(of: rest.entries[0])
      if residue.contains("error(\"") { continue }
      let compiled = environment.compile(residue)
      // A pattern that was an attribute is now a constant, which is checked at compile time.
      let mayBe: [Diagnostic.Code] = [.limitExceeded, .badRegex]
      if compiled.diagnostics.contains(where: { mayBe.contains($0.code) }) { continue }
      guard let again = compiled.output else {
        fatalError("broken promise: the residue does not compile: \(residue)")
      }
      compareRoughly(outcome(again, context), wanted, "as residue '\(residue)'")
    }
  }

  /// A root with every second of its members.
  private static func firstMembers(_ root: Value.Entry) -> Value.Entry {
    guard case .map(let members) = root.value else { return root }
    let kept = stride(from: 0, to: members.count, by: 2).map { members[$0] }
    // For a repeated key, only the first value would be known.
    let isClear = Set(members.map { $0.key.json }).count == members.count
    return Value.Entry(key: root.key, value: .map(isClear ? kept : []))
  }
}
