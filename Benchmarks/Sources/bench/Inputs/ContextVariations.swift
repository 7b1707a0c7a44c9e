internal import Expressions

/// Creates contexts that are similar to given ones but differ in the attributes that rules read.
///
/// If one context is evaluated repeatedly, the processor memorises every branch. In these contexts, strings and numbers are
/// unchanged, taken from another context, or slightly changed. So versions still look like versions, and comparisons have both
/// results.
struct ContextVariations {
  private let bases: [Value]
  private var random: SplitMix

  init(_ bases: [Value], seed: UInt64 = 20_260_301) {
    self.bases = bases
    random = SplitMix(seed: seed)
  }

  /// Contexts as JSON. The bases take turns.
  mutating func make(_ count: Int) -> [String] {
    (0..<count).map { number in
      let base = bases[number % bases.count]
      let other = bases[(number + 1) % bases.count]
      return vary(base, other).json
    }
  }

  private mutating func vary(_ value: Value, _ other: Value?) -> Value {
    switch value {
    case .map(let entries):
      var varied = entries
      for i in varied.indices {
        guard case .string(let name) = varied[i].key else { continue }
        varied[i].value = vary(varied[i].value, other?[name])
      }
      return .map(varied)
    case .list(let elements):
      var others: [Value] = []
      if case .list(let elements)? = other { others = elements }
      var varied: [Value] = []
      for (i, element) in elements.enumerated() {
        varied.append(vary(element, i < others.count ? others[i] : nil))
      }
      return .list(varied)
    case .string, .int, .double:
      switch random.next(below: 4) {
      case 0: return changed(value)
      case 1:
        guard let other, other.typeName == value.typeName else { return changed(value) }
        return other
      default: return value
      }
    default: return value
    }
  }

  private mutating func changed(_ value: Value) -> Value {
    switch value {
    case .string(let text): .string(changed(text))
    case .int(let number):
      .int(number + Int64(random.next(in: -spread(number)...spread(number))))
    case .double(let number): .double(number * (0.5 + random.fraction()))
    default: value
    }
  }

  private func spread(_ number: Int64) -> Int { Int(number.magnitude / 2) + 2 }

  /// The string with one letter or digit replaced by another of its kind.
  private mutating func changed(_ text: String) -> String {
    var bytes = Array(text.utf8)
    guard !bytes.isEmpty else { return "x" }
    let place = random.next(below: bytes.count)
    let kinds: [ClosedRange<UInt8>] = [0x30...0x39, 0x41...0x5A, 0x61...0x7A]
    if let kind = kinds.first(where: { $0.contains(bytes[place]) }) {
      bytes[place] = kind.lowerBound + UInt8(random.next(below: kind.count))
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
