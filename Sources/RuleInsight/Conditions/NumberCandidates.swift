internal import Expressions

/// Numbers that cover everything that atoms distinguish about numbers. Within one numeric type, a
/// comparison changes its result at few places, which are found by searching near the constants.
struct NumberCandidates {
  /// The outcomes of atoms for a value. Values with equal rows are equivalent.
  typealias Row = (Value) -> [UInt8]

  private(set) var values: [Value] = []
  private let constants: [Cell]

  init(_ constants: [Cell], row: Row) {
    self.constants = constants
    for constant in constants { values.append(Value(constant)) }
    addInts(row)
    addDoubles(row)
    addUInts(row)
  }

  // MARK: Kinds

  private mutating func addInts(_ row: Row) {
    var anchors: [Int64] = [0, 1]
    for constant in constants {
      for near in NumberCandidates.ints(near: constant) {
        anchors += [near, near &+ (near == .max ? 0 : 1), near &- (near == .min ? 0 : 1)]
      }
    }
    anchors += [
      -1, .max, .min, Int64(Int32.max), Int64(Int32.max) + 1, Int64(Int32.min),
      Int64(Int32.min) - 1,
    ]
    for place in NumberCandidates.refined(anchors, { row(.int($0)) }) { values.append(.int(place)) }
  }

  private static func ints(near constant: Cell) -> [Int64] {
    switch constant.tag {
    case Tag.int: return [constant.intValue]
    // If large ints are read as unsigned, their bits matter.
    case Tag.uint:
      return [Int64(bitPattern: constant.uintValue), Int64(clamping: constant.uintValue)]
    default:
      let double = constant.doubleValue
      var near = [double.rounded(.down), double.rounded(.up)].compactMap { Int64(exactly: $0) }
      if let unsigned = UInt64(exactly: double.rounded(.down)) {
        near.append(Int64(bitPattern: unsigned))
      }
      return near
    }
  }

  private mutating func addDoubles(_ row: Row) {
    let border = Double(sign: .plus, exponent: 63, significand: 1)
    let ends: [Double] = [
      0, 1, -1, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .greatestFiniteMagnitude,
      -.greatestFiniteMagnitude, border, border.nextDown, border.nextUp, -border,
      (-border).nextDown, (-border).nextUp,
    ]
    var anchors: [Double] = [0.5]
    for constant in constants {
      let double = constant.nearestDouble
      anchors += [double + 0.5, double - 0.5, double, double.nextUp, double.nextDown]
    }
    anchors = (anchors + ends).filter { $0.isFinite }
    let places = NumberCandidates.refined(anchors.map(NumberCandidates.key)) {
      row(.double(NumberCandidates.double($0)))
    }
    values.append(.double(-0.0))
    for place in places { values.append(.double(NumberCandidates.double(place))) }
  }

  /// Maps doubles to integers in the same order; both zeros are equal.
  private static func key(_ double: Double) -> Int64 {
    let bits = Int64(bitPattern: double.bitPattern)
    return bits >= 0 ? bits : .min &- bits
  }

  private static func double(_ key: Int64) -> Double {
    Double(bitPattern: UInt64(bitPattern: key >= 0 ? key : .min &- key))
  }

  /// Adds unsigned ints above the signed range.
  private mutating func addUInts(_ row: Row) {
    let least = UInt64(1) << 63
    var anchors: [UInt64] = [least, .max]
    for constant in constants {
      let near: UInt64? =
        switch constant.tag {
        case Tag.int: nil
        case Tag.uint: constant.uintValue
        default: UInt64(exactly: constant.doubleValue.rounded(.down))
        }
      guard let near, near >= least else { continue }
      anchors += [near, near == .max ? near : near + 1, max(near - 1, least)]
    }
    let places = NumberCandidates.refined(anchors.map { Int64(bitPattern: $0) }) {
      row(.uint(UInt64(bitPattern: $0)))
    }
    for place in places { values.append(.uint(UInt64(bitPattern: place))) }
  }

  // MARK: Places

  /// The anchors, and both sides of every change of the row between them. Every atom changes at
  /// most once between two anchors, because the constants are anchors.
  private static func refined(_ anchors: [Int64], _ row: (Int64) -> [UInt8]) -> [Int64] {
    let sorted = Set(anchors).sorted()
    var places: [Int64] = []
    var seen: Set<Int64> = []
    // The order of the constants is preserved, because values next to them are typical of users.
    for anchor in anchors where seen.insert(anchor).inserted { places.append(anchor) }
    guard var last = sorted.first else { return [] }
    var lastRow = row(last)
    for anchor in sorted.dropFirst() {
      let next = row(anchor)
      split(last, lastRow, anchor, next, row, &places)
      (last, lastRow) = (anchor, next)
    }
    return places
  }

  private static func split(
    _ low: Int64, _ lowRow: [UInt8], _ high: Int64, _ highRow: [UInt8],
    _ row: (Int64) -> [UInt8], _ places: inout [Int64]
  ) {
    guard lowRow != highRow else { return }
    let distance = UInt64(bitPattern: high) &- UInt64(bitPattern: low)
    if distance == 1 {
      places += [low, high]
      return
    }
    let middle = Int64(bitPattern: UInt64(bitPattern: low) &+ distance / 2)
    let middleRow = row(middle)
    split(low, lowRow, middle, middleRow, row, &places)
    split(middle, middleRow, high, highRow, row, &places)
  }
}
