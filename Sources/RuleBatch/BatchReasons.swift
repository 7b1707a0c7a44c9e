internal import Expressions
internal import RuleEngine

/// The reasons for a block's outcomes. Parts that are the same for many users are written once.
///
/// Only rare parts are recorded while deciding: limits, entitlements and stored variants. Nearly
/// all outcomes have a draw. The draw follows from the choice, and is computed again when it is
/// written.
struct BatchReasons: ~Copyable {
  /// A part of a reason, in the form of the outcomes.
  private struct Piece {
    var member: DecisionReason.Member
    var bytes: [UInt8]
  }

  private struct Limited: Hashable {
    var rule: Int
    var count: Int
  }

  /// A choice that is drawn: its rule, and the JSON that follows the number of the draw.
  private struct Drawn {
    var rule: Int
    var after: [UInt8]
  }

  /// Whether outcomes include reasons. If this is false, no other member may be used.
  let isNoting: Bool
  private let form: OutcomeForm
  private let ruleSet: RuleSet
  private var pieces: [Piece] = []
  private var limited: [Limited: Int] = [:]
  private var owned: [Int: Int] = [:]
  private struct Missing: Hashable {
    var rule: Int
    var clause: Int
    var holds: Bool
  }

  private var missing: [Missing: Int] = [:]
  private let stored: Int
  private var notes: OutcomeNotes
  /// The draw of each choice; nil for choices that are not drawn.
  private var drawn: [Drawn?]
  /// The text before each member of a reason.
  private let openings: [[UInt8]]
  /// The text before the number of a draw, and the text before the number if a reason only has a draw.
  private let beforeNumber: [UInt8]
  private let onlyDraw: [UInt8]
  /// The digits of numbers that were drawn without the hash. There are at most a hundred different numbers.
  private var numbers: [UInt64: [UInt8]] = [:]
  /// The maximum number of stored pieces. Only unusual input has many.
  private static let mostKept = 4_096

  init(_ plan: BatchPlan) {
    isNoting = plan.tellsReasons
    (form, ruleSet) = (plan.form, plan.ruleSet)
    notes = OutcomeNotes(placements: plan.placements.count)
    drawn = isNoting ? BatchReasons.drawn(plan) : []
    openings = DecisionReason.Member.allCases.map { member in
      plan.form.quoted(Array("\"\(member.name)\":".utf8))
    }
    beforeNumber = plan.form.quoted(Array(VariantDraw.textAround((0, 1)).before.utf8))
    onlyDraw =
      Array("{".utf8) + openings[DecisionReason.Member.draw.rawValue] + beforeNumber
    pieces = [Piece(member: .stored, bytes: Array("true".utf8))]
    stored = 0
  }

  private static func drawn(_ plan: BatchPlan) -> [Drawn?] {
    var drawn = [Drawn?](repeating: nil, count: plan.table.choices.count)
    for (number, rule) in plan.table.rules.enumerated() where rule.variants.count > 1 {
      for choice in rule.variants {
        let span = VariantDraw.span(
          of: Int(choice - rule.variants.lowerBound), plan.ruleSet.rules[number].weights)
        let after = Array(VariantDraw.textAround(span).after.utf8)
        drawn[Int(choice)] = Drawn(rule: number, after: plan.form.quoted(after))
      }
    }
    return drawn
  }

  // MARK: Noting

  /// Records that a rule was held back by its limit.
  mutating func addHeldBack(_ rule: Int, count: Int, placement: Int, row: Int) {
    let audience = ruleSet.rules[rule].audience
    guard let limit = audience.occurrenceLimit else { return }
    let key = Limited(rule: rule, count: count)
    let piece =
      limited[key]
      ?? newPiece(.heldBack, DecisionReason.heldBack(audience.index, limit, count: count))
    limited[key] = piece
    notes.add(piece, placement: placement, row: row)
  }

  /// Records that the user owns the entitlement whose owners skip a rule's audience.
  mutating func addOwned(_ rule: Int, placement: Int, row: Int) {
    let audience = ruleSet.rules[rule].audience
    let piece =
      owned[rule]
      ?? newPiece(
        .owned, DecisionReason.owned(audience.index, audience.entitlementGuard ?? ""))
    owned[rule] = piece
    notes.add(piece, placement: placement, row: row)
  }

  /// Records that a missing attribute decided the result of a rule's condition.
  mutating func addMissing(_ rule: Int, _ clause: Int, holds: Bool, placement: Int, row: Int) {
    guard let standIns = ruleSet.storage.standIns else { return }
    let key = Missing(rule: rule, clause: clause, holds: holds)
    let piece =
      missing[key]
      ?? newPiece(
        .missing,
        DecisionReason.missing(
          ruleSet.rules[rule].audience.index, standIns.clauses[clause], holds: holds))
    missing[key] = piece
    notes.add(piece, placement: placement, row: row)
  }

  /// Records that the user's variant was stored.
  mutating func addStored(placement: Int, row: Int) {
    notes.add(stored, placement: placement, row: row)
  }

  private mutating func newPiece(_ member: DecisionReason.Member, _ value: Value) -> Int {
    pieces.append(Piece(member: member, bytes: form.quoted(value)))
    return pieces.count - 1
  }

  /// Clears the records of a block.
  mutating func endBlock() {
    notes.removeAll()
    guard pieces.count > BatchReasons.mostKept else { return }
    pieces.removeLast(pieces.count - 1)
    limited.removeAll(keepingCapacity: true)
    owned.removeAll(keepingCapacity: true)
    missing.removeAll(keepingCapacity: true)
  }

  // MARK: Writing

  /// Appends the reason for an outcome: a member of the outcome's object, a CSV cell after its
  /// comma, or a count of bytes and the JSON.
  mutating func append(
    placement: Int, row: Int, _ block: borrowing BatchBlock,
    _ chooser: borrowing VariantChooser, _ errors: borrowing BatchErrors, to bytes: inout [UInt8]
  ) {
    switch form {
    case .ndjson: bytes += Array(",\"reason\":".utf8)
    case .csv: bytes += Array(",\"".utf8)
    case .rows: bytes += [0, 0, 0, 0]
    }
    let start = bytes.count
    appendObject(placement, row, block, chooser, errors, &bytes)
    let count = bytes.count - start
    switch form {
    case .ndjson: if count == 0 { bytes.removeLast(",\"reason\":".utf8.count) }
    case .csv: if count == 0 { bytes.removeLast() } else { bytes.append(UInt8(ascii: "\"")) }
    case .rows:
      OutcomeForm.write(count: count, to: &bytes, at: start - 4)
    }
  }

  private mutating func appendObject(
    _ placement: Int, _ row: Int, _ block: borrowing BatchBlock,
    _ chooser: borrowing VariantChooser, _ errors: borrowing BatchErrors, _ bytes: inout [UInt8]
  ) {
    let choice = Int(block.choices[placement &* BlockShape.rows &+ row])
    if notes.isEmpty, errors.isEmpty {
      guard let drawn = drawn[choice] else { return }
      bytes += onlyDraw
      appendDraw(drawn, row, block, chooser, &bytes)
      return bytes.append(UInt8(ascii: "}"))
    }
    let start = bytes.count
    appendList(.heldBack, placement, row, start, &bytes)
    appendErrors(placement, row, start, errors, &bytes)
    appendList(.missing, placement, row, start, &bytes)
    appendList(.owned, placement, row, start, &bytes)
    if isStored(placement, row) {
      open(.stored, start, &bytes)
      bytes += pieces[stored].bytes
    } else if let drawn = drawn[choice] {
      open(.draw, start, &bytes)
      bytes += beforeNumber
      appendDraw(drawn, row, block, chooser, &bytes)
    }
    if bytes.count > start { bytes.append(UInt8(ascii: "}")) }
  }

  /// Begins a member. The object starts at the given offset.
  private func open(_ member: DecisionReason.Member, _ start: Int, _ bytes: inout [UInt8]) {
    bytes.append(bytes.count == start ? UInt8(ascii: "{") : UInt8(ascii: ","))
    bytes += openings[member.rawValue]
  }

  private func appendList(
    _ member: DecisionReason.Member, _ placement: Int, _ row: Int, _ start: Int,
    _ bytes: inout [UInt8]
  ) {
    guard !notes.isEmpty else { return }
    var isFirst = true
    notes.forEach(placement: placement, row: row) { number in
      guard pieces[number].member == member else { return }
      add(pieces[number].bytes, to: member, &isFirst, start, &bytes)
    }
    if !isFirst { bytes.append(UInt8(ascii: "]")) }
  }

  private func appendErrors(
    _ placement: Int, _ row: Int, _ start: Int, _ errors: borrowing BatchErrors,
    _ bytes: inout [UInt8]
  ) {
    var isFirst = true
    errors.forEachReason(placement: placement, row: row) { error in
      add(error, to: .errors, &isFirst, start, &bytes)
    }
    if !isFirst { bytes.append(UInt8(ascii: "]")) }
  }

  private func add(
    _ element: [UInt8], to member: DecisionReason.Member, _ isFirst: inout Bool, _ start: Int,
    _ bytes: inout [UInt8]
  ) {
    if isFirst { open(member, start, &bytes) }
    bytes.append(isFirst ? UInt8(ascii: "[") : UInt8(ascii: ","))
    isFirst = false
    bytes += element
  }

  private func isStored(_ placement: Int, _ row: Int) -> Bool {
    guard !notes.isEmpty else { return false }
    var isStored = false
    notes.forEach(placement: placement, row: row) { isStored = isStored || $0 == stored }
    return isStored
  }

  private mutating func appendDraw(
    _ drawn: Drawn, _ row: Int, _ block: borrowing BatchBlock,
    _ chooser: borrowing VariantChooser, _ bytes: inout [UInt8]
  ) {
    switch chooser.draw(drawn.rule, row: row, of: block) {
    case .bits(let bits): DrawDigits.append(bits, to: &bytes)
    case .other(let number):
      let text = numbers[number.bitPattern] ?? Array(Value.double(number).json.utf8)
      numbers[number.bitPattern] = text
      bytes += text
    }
    bytes += drawn.after
  }
}
