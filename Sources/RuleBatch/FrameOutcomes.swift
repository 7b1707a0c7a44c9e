package import CArrow
internal import Expressions
package import RuleEngine

/// The outcomes of a plan as an Arrow table, which has a column for each placement. Rows are in the
/// order in which they were decided.
///
/// The values of each choice are laid out once per plan. A row looks them up by the number of its
/// choice.
package struct FrameOutcomes: Sendable {
  // SAFETY: Pointers to the caller's arrays and schemas are passed on to `ArrowExport`, which
  // writes there once. Tests: FrameOutcomesTests, asan.

  /// The encoding of strings.
  package enum Texts: Sendable {
    /// Codes of a dictionary: the smallest encoding, which most engines can use for grouping directly.
    case dictionary
    /// Plain strings, which every reader supports.
    case plain
    /// Views into one buffer of strings.
    case views
  }

  package struct Form: Sendable {
    /// The fields of each placement's struct. If empty, each placement has a number instead, an
    /// index of ``BatchPlan/choices``.
    package var fields = OutcomeField.ofChoices
    package var texts = Texts.dictionary
    /// Whether the table has any columns. A table without columns still has rows, for counting.
    package var hasColumns = true

    package init() {}
  }

  private let names: [String]
  private let form: Form
  /// Whether the plan numbers its choices.
  private let hasChoices: Bool
  private let columns: [OutcomeColumn]
  private let presences: ChoicePresences

  package init(_ plan: BatchPlan, _ form: Form = Form()) {
    names = form.hasColumns ? plan.placementNames : []
    hasChoices = plan.form == .rows
    self.form = form
    var presences = ChoicePresences(choices: plan.choices.count)
    columns = form.fields.map { OutcomeColumn($0, plan.choices, &presences) }
    self.presences = presences
  }

  // MARK: Schema

  package func exportSchema(to schema: UnsafeMutablePointer<ArrowSchema>) {
    ArrowSchemaExport(
      name: "", format: "+s", isNullable: false,
      children: names.map { name in
        if form.fields.isEmpty { return ArrowSchemaExport(name: name, format: "i") }
        return ArrowSchemaExport(name: name, format: "+s", children: form.fields.map(column))
      }
    ).export(to: schema)
  }

  private func column(_ field: OutcomeField) -> ArrowSchemaExport {
    switch (field.kind, form.texts) {
    case (.integer, _): return ArrowSchemaExport(name: field.rawValue, format: "i")
    case (.json, _), (.string, .plain):
      return ArrowSchemaExport(name: field.rawValue, format: "u")
    case (.string, .views): return ArrowSchemaExport(name: field.rawValue, format: "vu")
    case (.string, .dictionary):
      return ArrowSchemaExport(
        name: field.rawValue, format: "i",
        dictionary: [ArrowSchemaExport(name: "", format: "u", isNullable: false)])
    }
  }

  // MARK: Rows

  /// Writes the outcomes of the worker's last call to the caller's memory. The caller releases
  /// them.
  package func export(_ worker: FrameWorker, to array: UnsafeMutablePointer<ArrowArray>)
    throws(ArrowError)
  {
    try export(worker.choices, worker.reasons, count: worker.count, to: array)
  }

  /// - Parameters:
  ///   - choices: the choices, as in ``FrameWorker/choices``. A plan that only counts has no choices, which is an
  ///     error.
  ///   - reasons: the reasons; required if ``Form/fields`` includes them.
  package func export(
    _ choices: [Int32], _ reasons: FrameReasons? = nil, count: Int,
    to array: UnsafeMutablePointer<ArrowArray>
  ) throws(ArrowError) {
    guard hasChoices, !form.hasColumns || choices.count == names.count * count else {
      throw ArrowError("", "the plan only counts, so there are no outcomes to return")
    }
    var placements: [ArrowExport] = []
    for placement in names.indices {
      let part = choices[placement * count..<(placement + 1) * count]
      let texts = reasons.flatMap { $0.columns.isEmpty ? nil : $0.columns[placement] }
      placements.append(try export(part, texts, names[placement]))
    }
    ArrowExport(count: count, buffers: [nil], children: placements).export(to: array)
  }

  private func export(
    _ choices: ArraySlice<Int32>, _ reasons: FrameReasons.Column?, _ name: String
  ) throws(ArrowError) -> ArrowExport {
    let count = choices.count
    let validities = presences.validities(choices)
    let valid = validities[ChoicePresences.ofChoice]
    if form.fields.isEmpty {
      return ArrowExport(
        count: count, buffers: [valid.bits, ArrowBuffer(choices)], nullCount: valid.nulls)
    }
    var members: [ArrowExport] = []
    for column in columns {
      if column.field == .reason {
        members.append(try export(reasons, count: count, name))
        continue
      }
      let valid = validities[column.presence]
      var member = try export(choices, column, name)
      member.buffers.insert(valid.bits, at: 0)
      member.nullCount = valid.nulls
      members.append(member)
    }
    return ArrowExport(
      count: count, buffers: [valid.bits], nullCount: valid.nulls, children: members)
  }

  /// Exports a column, except for its validity.
  private func export(
    _ choices: ArraySlice<Int32>, _ column: OutcomeColumn, _ name: String
  ) throws(ArrowError) -> ArrowExport {
    guard column.field.kind != .integer, form.texts != .dictionary else {
      return ArrowExport(
        count: choices.count, buffers: [column.numbersOf(choices)], dictionary: column.dictionary)
    }
    if form.texts == .views {
      return ArrowExport(
        count: choices.count,
        buffers: [
          column.viewsOf(choices), column.bytes, ArrowBuffer([Int64(column.bytes.count)]),
        ])
    }
    let (offsets, bytes) = try column.textsOf(choices, name)
    return ArrowExport(count: choices.count, buffers: [offsets, bytes])
  }

  /// Exports a column of reasons. NULL means an outcome without a reason.
  private func export(
    _ reasons: FrameReasons.Column?, count: Int, _ name: String
  ) throws(ArrowError) -> ArrowExport {
    guard let reasons, reasons.ends.count == count else {
      throw ArrowError(name, "reasons were requested, but the plan does not compute them")
    }
    let ends = [0] + reasons.ends
    guard let total = ends.last, total <= Int(Int32.max) else {
      throw ArrowError(name, "the reasons take more than 2 GiB; decide fewer rows at a time")
    }
    let lengths = zip(ends.dropFirst(), ends).map { Int32($0 - $1) }
    let valid = ArrowValidity(lengths.map { $0 > 0 })
    return ArrowExport(
      count: count,
      buffers: [valid.bits, ArrowBuffer(ends.map { Int32($0) }), ArrowBuffer(reasons.bytes)],
      nullCount: valid.nulls)
  }
}
