internal import Expressions
internal import RuleEngine

extension BatchWorker {
  /// Takes in the line that begins at an offset, from what an earlier run has decided where that knows
  /// the record.
  ///
  /// - Returns: where the next line begins.
  @inline(never)
  mutating func nextKeeping(
    in chunk: ByteView, from start: Int, number: Int, _ rejected: inout [RejectedLine]
  ) -> Int {
    let end = LineScan.newline(in: chunk, from: start)
    let line = ByteView(rebasing: chunk[start..<end])
    let hash = RecordHash(line)
    if let entry = keeper.entry(hash) {
      addDecided(entry, line, number)
      keeper.addRow(hash, earlier: entry)
      return end + 1
    }
    keeper.beginRecord()
    if let count = addByShape(ByteView(rebasing: chunk[start...])) {
      addRow(ByteView(rebasing: chunk[start..<start + count]), number)
      keeper.addRow(hash, hasHistory: false)
      return start + count + 1
    }
    keeper.beginRecord()
    let users = block.count
    if let refused = add(line, number: number) {
      rejected.append(refused)
    } else if block.count > users {
      if let status = reader.status {
        withUnsafePointer(to: status) {
          if !RecordNotes.isStatus($0.textBytes) { keeper.note(.unknownStatus, $0.textBytes) }
        }
      }
      for key in reader.unknownKeys { keeper.note(.unknownKey, key) }
      for key in reader.repeatedKeys { keeper.note(.repeatedKey, key) }
      keeper.addRow(hash, hasHistory: reader.hasHistory)
    }
    return end + 1
  }

  /// Takes a row for a user of whom all is known, with everything that deciding would have counted.
  private mutating func addDecided(_ entry: Range<Int>, _ line: ByteView, _ number: Int) {
    guard let form = keeper.form, let earlier = keeper.earlier else { return }
    let bytes = earlier.bytes(entry)
    var cursor = EntryCursor(bytes, from: RecordHash.byteCount + 5, to: bytes.count)
    guard let subject = cursor.text() else { return }
    let row = block.addRow(decided: subject)
    addRow(line, number)
    for placement in form.spans.indices {
      guard let kept = cursor.number(width: form.width),
        let choice = form.choice(kept, placement: placement)
      else { return }
      keeper.count(choice)
      block.setChoice(choice, placement: placement, row: row)
      if counts.wantsExamples { noteExamples(choice, form.spans[placement].rules, row) }
    }
    while !cursor.isAtEnd {
      guard let remark = KeptRemark(&cursor, form, plan.ruleSet) else { return }
      add(remark, row, number)
    }
  }

  /// Notes whom the rules of a placement count that come to a choice.
  private mutating func noteExamples(_ choice: Int32, _ rules: Range<Int>, _ row: Int) {
    for rule in rules {
      counts.note(counts.numbers.reached(rule), row: row)
      let own = plan.table.rules[rule]
      guard own.variants.contains(choice) || choice == own.withoutVariants else { continue }
      counts.note(counts.numbers.matched(rule), row: row)
      counts.note(counts.numbers.taken(rule), row: row)
      return
    }
  }

  private mutating func add(_ remark: KeptRemark, _ row: Int, _ number: Int) {
    switch remark {
    case .heldBack(let rule, let count, let placement):
      counts.matched[rule] = counts.matched[rule] &+ 1
      counts.heldBack[rule] = counts.heldBack[rule] &+ 1
      counts.note(counts.numbers.matched(rule), row: row)
      counts.note(counts.numbers.heldBack(rule), row: row)
      if reasons.isNoting {
        reasons.addHeldBack(rule, count: count, placement: placement, row: row)
      }
    case .owned(let rule, let placement):
      counts.owned[rule] = counts.owned[rule] &+ 1
      counts.note(counts.numbers.owned(rule), row: row)
      if reasons.isNoting { reasons.addOwned(rule, placement: placement, row: row) }
    case .failed(let rule, let failure, let placement):
      errors.add(rule, failure, placement: placement, row: row)
    case .stored(let placement):
      let choice = block.choices[placement &* BlockShape.rows &+ row]
      draws?.addStored(placement: placement, row: row)
      counts.stored[Int(choice)] = counts.stored[Int(choice)] &+ 1
      if reasons.isNoting { reasons.addStored(placement: placement, row: row) }
    case .unknownKey(let key): shapeNotes.add(unknownKey: String(decoding: key, as: UTF8.self))
    case .unknownStatus(let status): shapeNotes.add(status: status)
    case .repeatedKey(let key):
      let key = String(decoding: key, as: UTF8.self)
      shapeNotes.add(repeatedKey: key)
      if !repeated.contains(where: { $0.key == key }) { repeated.append((number, key)) }
    }
  }
}
