internal import Expressions

/// The possible outcomes of a condition or a part of a condition, as far as the context can
/// distinguish them.
package struct OutcomeSet: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let `true` = Self(rawValue: 1)
  package static let `false` = Self(rawValue: 2)
  package static let null = Self(rawValue: 4)
  /// A value other than a bool or null, which superscript treats as true.
  package static let truthy = Self(rawValue: 8)
  /// A value other than a bool or null, which superscript treats as false.
  package static let falsy = Self(rawValue: 16)
  package static let fault = Self(rawValue: 32)

  static let count = 6
  package static let any = Self(rawValue: 63)
  package static let bools: Self = [.true, .false]

  /// All outcomes except true. A condition with such an outcome does not match.
  package static let notTrue = any.subtracting(.true)

  /// The outcome that the result of a run represents.
  init(_ cell: Cell) {
    switch cell.tag {
    case Tag.bool: self = cell.boolValue ? .true : .false
    case Tag.null: self = .null
    default: self = !cell.isValue ? .fault : Superscript.isTruthy(cell) ? .truthy : .falsy
    }
  }

  init(number: Int) { rawValue = 1 << UInt8(number) }

  /// The number of the first outcome.
  var number: Int { rawValue.trailingZeroBitCount }

  /// Whether the set contains exactly one outcome.
  var isSingle: Bool { rawValue.nonzeroBitCount == 1 }

  /// The numbers of the outcomes in the set.
  var numbers: [Int] { (0..<Self.count).filter { rawValue >> UInt8($0) & 1 == 1 } }

  /// The outcomes that satisfy a predicate.
  @inline(__always)
  func filter(_ isIncluded: (OutcomeSet) -> Bool) -> OutcomeSet {
    var kept: OutcomeSet = []
    for number in 0..<Self.count {
      let outcome = OutcomeSet(number: number)
      if contains(outcome), isIncluded(outcome) { kept.formUnion(outcome) }
    }
    return kept
  }
}
