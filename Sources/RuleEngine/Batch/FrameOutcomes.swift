#if !TOLLGATE_NO_FRAMES
  package import CArrow
  package import Expressions

  /// The outcomes of a plan as a table in Arrow's form: a column for each placement, in the order of the rows
  /// that were decided.
  ///
  /// What a choice means is laid out once for a plan: a row is looked up by the number of its choice.
  package struct FrameOutcomes: Sendable {
    /// What is said of an outcome.
    package enum Field: String, CaseIterable, Sendable {
      case result, audience, experiment, variant, paywall
      /// JSON, as `tollgate precompute --reasons` writes it; for plans that give reasons.
      case reason

      /// Those that follow from the choice.
      package static let ofChoices: [Field] = [.result, .audience, .experiment, .variant, .paywall]
    }

    /// How texts are written.
    package enum Texts: Sendable {
      /// Codes of a dictionary: smallest, and what most engines group by at once.
      case dictionary
      /// Plain texts, which everybody reads.
      case plain
      /// Views into one buffer.
      case views
    }

    package struct Form: Sendable {
      /// What each placement's struct holds; none for one number a placement, of ``BatchPlan/choices``.
      package var fields = Field.ofChoices
      package var texts = Texts.dictionary

      package init() {}
    }

    /// A field of all choices.
    fileprivate struct Column: Sendable {
      let field: Field
      /// By choice: the number of its text, or of the audience; -1 where there is nothing.
      var codes: [Int32] = []
      var texts: [[UInt8]] = []
      /// The texts one after the other, and where each begins.
      var offsets: [Int32] = [0]
      var bytes: ArrowBuffer
      var dictionary: [ArrowExport] = []
      var views: [ArrowTextLocation] = []
    }

    private let names: [String]
    private let form: Form
    /// Whether the plan has numbers for what users get.
    private let hasChoices: Bool
    private let columns: [Column]

    package init(_ plan: BatchPlan, _ form: Form = Form()) {
      names = plan.placementNames
      hasChoices = plan.form == .rows
      self.form = form
      columns = form.fields.map { Column($0, plan.choices) }
    }

    // MARK: What it looks like

    package func exportSchema(to schema: UnsafeMutablePointer<ArrowSchema>) {
      ArrowSchemaExport(
        name: "", format: "+s", isNullable: false,
        children: names.map { name in
          if form.fields.isEmpty { return ArrowSchemaExport(name: name, format: "i") }
          return ArrowSchemaExport(name: name, format: "+s", children: form.fields.map(column))
        }
      ).export(to: schema)
    }

    private func column(_ field: Field) -> ArrowSchemaExport {
      if field == .audience { return ArrowSchemaExport(name: field.rawValue, format: "i") }
      if field == .reason { return ArrowSchemaExport(name: field.rawValue, format: "u") }
      switch form.texts {
      case .plain: return ArrowSchemaExport(name: field.rawValue, format: "u")
      case .views: return ArrowSchemaExport(name: field.rawValue, format: "vu")
      case .dictionary:
        return ArrowSchemaExport(
          name: field.rawValue, format: "i",
          dictionary: [ArrowSchemaExport(name: "", format: "u", isNullable: false)])
      }
    }

    // MARK: Rows

    /// Writes the outcomes that a worker has decided last to where a caller wants them, who releases them.
    package func export(_ worker: borrowing FrameWorker, to array: UnsafeMutablePointer<ArrowArray>)
      throws(ArrowError)
    {
      try export(worker.choices, worker.reasons, count: worker.count, to: array)
    }

    /// - Parameters:
    ///   - choices: as ``FrameWorker/choices`` has them; those of a plan that only counts are an error.
    ///   - reasons: where ``Form/fields`` asks for them.
    package func export(
      _ choices: [Int32], _ reasons: FrameReasons? = nil, count: Int,
      to array: UnsafeMutablePointer<ArrowArray>
    ) throws(ArrowError) {
      guard hasChoices, choices.count == names.count * count else {
        throw ArrowError("", "the plan only counts, and keeps no outcomes that could be given out")
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
      let (valid, nulls) = FrameOutcomes.validity(choices) { $0 >= 0 }
      if form.fields.isEmpty {
        return ArrowExport(
          count: choices.count, buffers: [valid, ArrowBuffer(Array(choices))], nullCount: nulls)
      }
      var members: [ArrowExport] = []
      for column in columns {
        members.append(
          column.field == .reason
            ? try export(reasons, count: choices.count, name)
            : try export(choices, column, name))
      }
      return ArrowExport(
        count: choices.count, buffers: [valid], nullCount: nulls, children: members)
    }

    private func export(
      _ choices: ArraySlice<Int32>, _ column: Column, _ name: String
    ) throws(ArrowError) -> ArrowExport {
      let count = choices.count
      let codes = ArrowBuffer(unwritten: count, of: Int32.self)
      let places = codes.elements(of: Int32.self)
      var any: Int32 = 0
      column.codes.withUnsafeBufferPointer { codeOf in
        choices.withUnsafeBufferPointer { choices in
          for row in 0..<choices.count {
            let choice = Int(choices[row])
            let code = choice >= 0 ? codeOf[choice] : -1
            places[row] = code
            any |= code
          }
        }
      }
      // A code of -1 leaves the highest bit.
      let view = UnsafeBufferPointer(start: places, count: count)
      let (valid, nulls) = any >= 0 ? (nil, 0) : FrameOutcomes.validity(view) { $0 >= 0 }
      guard column.field != .audience, form.texts != .dictionary else {
        if nulls > 0 { for row in 0..<count where places[row] < 0 { places[row] = 0 } }
        return ArrowExport(
          count: count, buffers: [valid, codes], nullCount: nulls, dictionary: column.dictionary)
      }
      if form.texts == .views {
        return ArrowExport(
          count: count,
          buffers: [
            valid, column.viewsOf(view), column.bytes, ArrowBuffer([Int64(column.bytes.count)]),
          ],
          nullCount: nulls)
      }
      let (offsets, bytes) = try column.textsOf(view, name)
      return ArrowExport(count: count, buffers: [valid, offsets, bytes], nullCount: nulls)
    }

    /// Reasons; NULL where there is nothing to say.
    private func export(
      _ reasons: FrameReasons.Column?, count: Int, _ name: String
    ) throws(ArrowError) -> ArrowExport {
      guard let reasons, reasons.ends.count == count else {
        throw ArrowError(name, "reasons were asked for, and the plan gives none")
      }
      let ends = [0] + reasons.ends
      guard let total = ends.last, total <= Int(Int32.max) else {
        throw ArrowError(name, "the reasons take more than 2 GiB; decide fewer rows at a time")
      }
      let lengths = zip(ends.dropFirst(), ends).map { Int32($0 - $1) }
      let (valid, nulls) = FrameOutcomes.validity(lengths) { $0 > 0 }
      return ArrowExport(
        count: count,
        buffers: [valid, ArrowBuffer(ends.map { Int32($0) }), ArrowBuffer(reasons.bytes)],
        nullCount: nulls)
    }

    /// A bit for each element that is there; nil when all are.
    private static func validity<Numbers: RandomAccessCollection<Int32>>(
      _ numbers: Numbers, _ isThere: (Int32) -> Bool
    ) -> (ArrowBuffer?, nulls: Int) {
      let nulls = numbers.reduce(0) { isThere($1) ? $0 : $0 + 1 }
      if nulls == 0 { return (nil, 0) }
      let buffer = ArrowBuffer(bytes: (numbers.count + 7) / 8)
      let bits = buffer.elements(of: UInt8.self)
      for (row, number) in numbers.enumerated() where isThere(number) {
        bits[row >> 3] |= 1 << UInt8(row & 7)
      }
      return (buffer, nulls)
    }
  }

  /// A text in the form of views, as it is handed out: sixteen bytes.
  private struct ArrowTextLocation: BitwiseCopyable, Sendable {
    var first: UInt64 = 0
    var last: UInt64 = 0
  }

  extension FrameOutcomes.Column {
    init(_ field: FrameOutcomes.Field, _ choices: [BatchPlan.Choice]) {
      self.field = field
      bytes = ArrowBuffer(bytes: 0)
      if field == .audience {
        codes = choices.map { Int32(clamping: $0.audience ?? -1) }
        return
      }
      var known: [[UInt8]: Int32] = [:]
      for choice in choices {
        let text = Array(choice.text(of: field).utf8)
        if text.isEmpty {
          codes.append(-1)
          continue
        }
        if known[text] == nil {
          known[text] = Int32(texts.count)
          texts.append(text)
        }
        codes.append(known[text] ?? -1)
      }
      var joined: [UInt8] = []
      for text in texts {
        joined += text
        offsets.append(Int32(clamping: joined.count))
      }
      // Texts are copied sixteen bytes at a time.
      bytes = ArrowBuffer(joined + Array(repeating: 0, count: 16))
      dictionary = [
        ArrowExport(count: texts.count, buffers: [nil, ArrowBuffer(offsets), bytes])
      ]
      for (number, text) in texts.enumerated() {
        var location = ArrowTextLocation()
        withUnsafeMutableBytes(of: &location) { memory in
          memory.storeBytes(of: Int32(text.count), as: Int32.self)
          if text.count <= 12 {
            for (i, byte) in text.enumerated() { memory[4 + i] = byte }
          } else {
            for i in 0..<4 { memory[4 + i] = text[i] }
            memory.storeBytes(of: 0, toByteOffset: 8, as: Int32.self)
            memory.storeBytes(of: offsets[number], toByteOffset: 12, as: Int32.self)
          }
        }
        views.append(location)
      }
    }

    /// The views of texts by their numbers; -1 is an empty one.
    fileprivate func viewsOf(_ codes: UnsafeBufferPointer<Int32>) -> ArrowBuffer {
      let buffer = ArrowBuffer(unwritten: codes.count, of: ArrowTextLocation.self)
      let places = buffer.elements(of: ArrowTextLocation.self)
      views.withUnsafeBufferPointer { views in
        for row in 0..<codes.count {
          places[row] = codes[row] >= 0 ? views[Int(codes[row])] : ArrowTextLocation()
        }
      }
      return buffer
    }

    /// Texts by their numbers, one after the other; -1 is an empty one.
    fileprivate func textsOf(
      _ codes: UnsafeBufferPointer<Int32>, _ name: String
    ) throws(ArrowError) -> (offsets: ArrowBuffer, bytes: ArrowBuffer) {
      let ends = ArrowBuffer(unwritten: codes.count + 1, of: Int32.self)
      let places = ends.elements(of: Int32.self)
      var total = 0
      offsets.withUnsafeBufferPointer { offsets in
        places[0] = 0
        for row in 0..<codes.count {
          let code = Int(codes[row])
          if code >= 0 { total &+= Int(offsets[code &+ 1] &- offsets[code]) }
          places[row &+ 1] = Int32(truncatingIfNeeded: total)
        }
      }
      guard total <= Int(Int32.max) - 16 else {
        throw ArrowError(name, "the outcomes take more than 2 GiB; decide fewer rows at a time")
      }
      // The last step may write beyond its text.
      let copies = ArrowBuffer(unwritten: total + 16, of: UInt8.self)
      let source = UnsafeRawPointer(bytes.start)
      offsets.withUnsafeBufferPointer { offsets in
        for row in 0..<codes.count where codes[row] >= 0 {
          let from = Int(offsets[Int(codes[row])])
          let count = Int(places[row &+ 1] &- places[row])
          let target = copies.start + Int(places[row])
          var at = 0
          while at < count {
            target.storeBytes(
              of: (source + from).loadUnaligned(fromByteOffset: at, as: SIMD16<UInt8>.self),
              toByteOffset: at, as: SIMD16<UInt8>.self)
            at &+= 16
          }
        }
      }
      return (ends, copies)
    }
  }

  extension BatchPlan.Choice {
    fileprivate func text(of field: FrameOutcomes.Field) -> String {
      switch field {
      case .result: result
      case .audience, .reason: ""
      case .experiment: experiment
      case .variant: variant
      case .paywall: paywall
      }
    }
  }
#endif
