#if !TOLLGATE_NO_FRAMES
  import Expressions

  /// A bit for each row that is not NULL; no bits when none is.
  struct ArrowValidity {
    var bits: ArrowBuffer?
    var nulls = 0

    init() {}

    init(_ isThere: [Bool]) {
      self.init(count: isThere.count, nulls: isThere.reduce(0) { $1 ? $0 : $0 + 1 }) {
        isThere[$0] ? 1 : 0
      }
    }

    fileprivate init(count: Int, nulls: Int, _ bit: (Int) -> UInt8) {
      self.nulls = nulls
      if nulls == 0 { return }
      let buffer = ArrowBuffer(unwritten: (count + 7) / 8, of: UInt8.self)
      let bytes = buffer.elements(of: UInt8.self)
      for at in 0..<count >> 3 {
        var byte: UInt8 = 0
        for place in 0..<8 { byte |= bit(at &<< 3 &+ place) &<< UInt8(place) }
        bytes[at] = byte
      }
      if count & 7 != 0 {
        var byte: UInt8 = 0
        for place in 0..<count & 7 { byte |= bit(count & ~7 &+ place) &<< UInt8(place) }
        bytes[count >> 3] = byte
      }
      bits = buffer
    }
  }

  /// Which choices have a value.
  ///
  /// All tables here begin with what a row without a choice has, so that rows are looked up and not asked: a
  /// branch that nobody can foretell takes longer than the rest.
  struct ChoicePresence: Equatable, Sendable {
    /// By choice and one: whether it has a value, as a bit.
    private let bits: [UInt8]

    init(_ isThere: [Bool]) {
      bits = [0] + isThere.map { $0 ? 1 : 0 }
    }

    func validity(_ choices: ArraySlice<Int32>) -> ArrowValidity {
      bits.withUnsafeBufferPointer { bits in
        choices.withUnsafeBufferPointer { choices in
          var there = 0
          for choice in choices { there &+= Int(bits[Int(choice) &+ 1]) }
          return ArrowValidity(count: choices.count, nulls: choices.count - there) { row in
            bits[Int(choices[row]) &+ 1]
          }
        }
      }
    }
  }

  /// A field of all choices, laid out once for a plan.
  struct OutcomeColumn: Sendable {
    /// Where a text is among those of a column.
    private struct Span: BitwiseCopyable, Sendable {
      var start: Int32 = 0
      var count: Int32 = 0
    }

    /// A text in the form of views, as it is handed out: sixteen bytes.
    fileprivate struct View: BitwiseCopyable, Sendable {
      var first: UInt64 = 0
      var last: UInt64 = 0
    }

    let field: FrameOutcomes.Field
    /// Which of the presences it has.
    let presence: Int
    /// The texts one after the other, each once.
    let bytes: ArrowBuffer
    let dictionary: [ArrowExport]
    /// By choice and one: the number of its text, or of the audience; 0 where there is nothing.
    private let numbers: [Int32]
    private let spans: [Span]
    private let views: [View]
    /// How many bytes the longest text has.
    private let longest: Int

    /// Texts are copied in steps of so many bytes.
    private static let step = 16

    init(
      _ field: FrameOutcomes.Field, _ choices: [BatchPlan.Choice],
      _ presences: inout [ChoicePresence]
    ) {
      self.field = field
      let found =
        field == .audience
        ? ChoicePresence(choices.map { $0.audience != nil })
        : ChoicePresence(choices.map { !$0.text(of: field).isEmpty })
      presence = presences.firstIndex(of: found) ?? presences.count
      if presence == presences.count { presences.append(found) }

      var texts: [[UInt8]] = []
      var known: [[UInt8]: Int] = [:]
      let places: [Int?] = choices.map { choice in
        let text = Array(choice.text(of: field).utf8)
        if text.isEmpty { return nil }
        let place = known[text] ?? texts.count
        if place == texts.count { texts.append(text) }
        known[text] = place
        return place
      }
      numbers =
        [0]
        + (field == .audience
          ? choices.map { Int32(clamping: $0.audience ?? 0) } : places.map { Int32($0 ?? 0) })

      var joined: [UInt8] = []
      var offsets: [Int32] = [0]
      for text in texts {
        joined += text
        offsets.append(Int32(clamping: joined.count))
      }
      spans =
        [Span()]
        + places.map { place in
          place.map { Span(start: offsets[$0], count: offsets[$0 + 1] - offsets[$0]) } ?? Span()
        }
      views =
        [View()]
        + places.map { place in place.map { View(texts[$0], offset: offsets[$0]) } ?? View() }
      longest = texts.reduce(0) { max($0, $1.count) }
      let slack = (longest + Self.step - 1) / Self.step * Self.step
      bytes = ArrowBuffer(joined + Array(repeating: 0, count: max(slack, Self.step)))
      dictionary =
        field == .audience
        ? [] : [ArrowExport(count: texts.count, buffers: [nil, ArrowBuffer(offsets), bytes])]
    }

    /// The numbers of audiences, or of texts in ``dictionary``.
    func numbersOf(_ choices: ArraySlice<Int32>) -> ArrowBuffer {
      looked(up: choices, in: numbers)
    }

    func viewsOf(_ choices: ArraySlice<Int32>) -> ArrowBuffer {
      looked(up: choices, in: views)
    }

    private func looked<Element: BitwiseCopyable>(
      up choices: ArraySlice<Int32>, in table: [Element]
    ) -> ArrowBuffer {
      let buffer = ArrowBuffer(unwritten: choices.count, of: Element.self)
      let places = buffer.elements(of: Element.self)
      table.withUnsafeBufferPointer { table in
        choices.withUnsafeBufferPointer { choices in
          for row in 0..<choices.count { places[row] = table[Int(choices[row]) &+ 1] }
        }
      }
      return buffer
    }

    /// The texts of rows one after the other, and where each begins.
    func textsOf(
      _ choices: ArraySlice<Int32>, _ name: String
    ) throws(ArrowError) -> (offsets: ArrowBuffer, bytes: ArrowBuffer) {
      let offsets = ArrowBuffer(unwritten: choices.count + 1, of: Int32.self)
      let places = offsets.elements(of: Int32.self)
      var total = 0
      spans.withUnsafeBufferPointer { spans in
        choices.withUnsafeBufferPointer { choices in
          places[0] = 0
          for row in 0..<choices.count {
            total &+= Int(spans[Int(choices[row]) &+ 1].count)
            places[row &+ 1] = Int32(truncatingIfNeeded: total)
          }
        }
      }
      guard total <= Int(Int32.max) else {
        throw ArrowError(name, "the outcomes take more than 2 GiB; decide fewer rows at a time")
      }
      // Each is written in full steps, which go beyond its end: what follows is written afterwards.
      let steps = (longest + Self.step - 1) / Self.step
      let copies = ArrowBuffer(unwritten: total + steps * Self.step, of: UInt8.self)
      let target = UnsafeMutableRawPointer(copies.start)
      spans.withUnsafeBufferPointer { spans in
        choices.withUnsafeBufferPointer { choices in
          let source = UnsafeRawPointer(bytes.start)
          // As many steps for all, where that is quicker than asking how many.
          switch steps {
          case 0: break
          case 1:
            for row in 0..<choices.count {
              let span = spans[Int(choices[row]) &+ 1]
              Self.copy(source + Int(span.start), target + Int(places[row]))
            }
          case 2:
            for row in 0..<choices.count {
              let from = source + Int(spans[Int(choices[row]) &+ 1].start)
              let to = target + Int(places[row])
              Self.copy(from, to)
              Self.copy(from + Self.step, to + Self.step)
            }
          default:
            for row in 0..<choices.count {
              let span = spans[Int(choices[row]) &+ 1]
              let to = target + Int(places[row])
              var at = 0
              while at < Int(span.count) {
                Self.copy(source + Int(span.start) + at, to + at)
                at &+= Self.step
              }
            }
          }
        }
      }
      return (offsets, copies)
    }

    @inline(__always)
    private static func copy(_ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer) {
      target.storeBytes(of: source.loadUnaligned(as: SIMD16<UInt8>.self), as: SIMD16<UInt8>.self)
    }
  }

  extension OutcomeColumn.View {
    init(_ text: [UInt8], offset: Int32) {
      self.init()
      withUnsafeMutableBytes(of: &self) { memory in
        memory.storeBytes(of: Int32(text.count), as: Int32.self)
        if text.count <= 12 {
          for (i, byte) in text.enumerated() { memory[4 + i] = byte }
        } else {
          for i in 0..<4 { memory[4 + i] = text[i] }
          memory.storeBytes(of: 0, toByteOffset: 8, as: Int32.self)
          memory.storeBytes(of: offset, toByteOffset: 12, as: Int32.self)
        }
      }
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
