import Pricing

/// Unit prices computed in another way: numbers are lists of decimal digits, multiplied and divided as on paper, and factors
/// come from the number of units in a year. It shares nothing with the engine, and cannot overflow. Benchmarks link to this
/// file.
struct ReferencePrice {
  /// The table of factors.
  enum Table: Int, CaseIterable {
    case superwall
    case android
    case iosTrial
    case androidTrial
    case agentWallie

    var factors: UnitFactors {
      switch self {
      case .superwall: .superwall
      case .android: .android
      case .iosTrial: .iosTrial
      case .androidTrial: .androidTrial
      case .agentWallie: .agentWallie
      }
    }
  }

  var micros: Int64
  var unit: Period.Unit
  var count: Int
  var cycles: Int
  var target: Period.Unit
  var table: Table
  var digits: Int
  var rounding: Rounding

  /// The price per target unit in micros, or nil if it needs more than 64 bits.
  var perUnit: Int64? {
    let factor = factor
    let dividend = Digits(micros.magnitude) * factor.denominator
    let divisor = factor.numerator * Digits(UInt64(count))
    return rounded(dividend, divisor)
  }

  /// The price of an introductory offer per target unit. It is the whole price if the offer is shorter.
  var perTrialUnit: Int64? {
    let factor = factor
    let length = factor.numerator * Digits(UInt64(count)) * Digits(UInt64(cycles))
    if length < factor.denominator {
      return signed(Digits(micros.magnitude) * Digits(UInt64(cycles)))
    }
    return perUnit
  }

  private func rounded(_ dividend: Digits, _ divisor: Digits) -> Int64? {
    let step = (0..<(6 - digits)).reduce(Digits(1)) { step, _ in step * Digits(10) }
    var (quotient, rest) = dividend.divided(by: divisor * step)
    let half = (rest * Digits(2)).compared(with: divisor * step)
    let isUp =
      switch rounding {
      case .down: micros < 0 && !rest.isZero
      case .halfUp: half >= 0
      case .halfEven: half > 0 || half == 0 && !quotient.isEven
      }
    if isUp && !rest.isZero { quotient = quotient + Digits(1) }
    return signed(quotient * step)
  }

  private func signed(_ magnitude: Digits) -> Int64? {
    Int64((micros < 0 && !magnitude.isZero ? "-" : "") + magnitude.text)
  }

  /// The number of target units in one unit.
  private var factor: (numerator: Digits, denominator: Digits) {
    func inYear(_ unit: Period.Unit) -> UInt64 {
      switch unit {
      case .day: 365
      case .week: 52
      case .month: 12
      case .year: 1
      }
    }
    var (numerator, denominator) = (inYear(target), inYear(unit))
    switch (target, unit) {
    case (.day, .week) where table != .iosTrial: (numerator, denominator) = (7, 1)
    case (.week, .day) where table != .iosTrial: (numerator, denominator) = (1, 7)
    case (.month, .day) where table == .agentWallie: (numerator, denominator) = (1, 30)
    case (.month, .week) where table == .agentWallie: (numerator, denominator) = (100, 433)
    default: break
    }
    let cut = table == .android ? 7 : table == .androidTrial ? 6 : nil
    guard let cut, numerator % denominator != 0 else {
      return (Digits(numerator), Digits(denominator))
    }
    let scale = (0..<cut).reduce(Digits(1)) { scale, _ in scale * Digits(10) }
    return ((Digits(numerator) * scale).divided(by: Digits(denominator)).quotient, scale)
  }
}

/// A natural number as its decimal digits, the last one first.
private struct Digits {
  private var digits: [UInt8]

  init(_ number: UInt64) { digits = String(number).utf8.reversed().map { $0 - 0x30 } }

  private init(digits: [UInt8]) {
    self.digits = digits
    while self.digits.count > 1, self.digits.last == 0 { self.digits.removeLast() }
  }

  var isZero: Bool { digits == [0] }
  var isEven: Bool { digits[0].isMultiple(of: 2) }
  var text: String { String(decoding: digits.reversed().map { $0 + 0x30 }, as: UTF8.self) }

  static func + (a: Digits, b: Digits) -> Digits {
    var sum: [UInt8] = []
    var carry: UInt8 = 0
    for i in 0..<max(a.digits.count, b.digits.count) {
      let digit =
        carry + (i < a.digits.count ? a.digits[i] : 0) + (i < b.digits.count ? b.digits[i] : 0)
      sum.append(digit % 10)
      carry = digit / 10
    }
    return Digits(digits: sum + [carry])
  }

  static func * (a: Digits, b: Digits) -> Digits {
    var product = [Int](repeating: 0, count: a.digits.count + b.digits.count)
    for (i, x) in a.digits.enumerated() {
      for (j, y) in b.digits.enumerated() { product[i + j] += Int(x) * Int(y) }
    }
    for i in 0..<product.count - 1 {
      product[i + 1] += product[i] / 10
      product[i] %= 10
    }
    return Digits(digits: product.map { UInt8($0) })
  }

  static func < (a: Digits, b: Digits) -> Bool { a.compared(with: b) < 0 }

  /// Negative, zero or positive if this number is less than, equal to or greater than the other.
  func compared(with other: Digits) -> Int {
    if digits.count != other.digits.count { return digits.count - other.digits.count }
    for i in digits.indices.reversed() where digits[i] != other.digits[i] {
      return Int(digits[i]) - Int(other.digits[i])
    }
    return 0
  }

  /// Long division: brings down one digit after the other and subtracts.
  func divided(by divisor: Digits) -> (quotient: Digits, rest: Digits) {
    var quotient: [UInt8] = []
    var rest = Digits(0)
    for digit in digits.reversed() {
      rest = Digits(digits: [digit] + rest.digits)
      var count: UInt8 = 0
      while rest.compared(with: divisor) >= 0 {
        rest.subtract(divisor)
        count += 1
      }
      quotient.append(count)
    }
    return (Digits(digits: quotient.reversed()), rest)
  }

  private mutating func subtract(_ other: Digits) {
    var borrow: Int8 = 0
    for i in digits.indices {
      var digit =
        Int8(digits[i]) - borrow - (i < other.digits.count ? Int8(other.digits[i]) : 0)
      borrow = digit < 0 ? 1 : 0
      if digit < 0 { digit += 10 }
      digits[i] = UInt8(digit)
    }
    self = Digits(digits: digits)
  }
}

extension ReferencePrice {
  /// A random price of any size, including prices that do not fit. Some are below 0, like refunds.
  init(_ next: () -> UInt64) {
    func pick(_ count: Int) -> Int { Int(next() % UInt64(count)) }
    // A random number of bits, so that small prices are as frequent as absurd ones.
    let size = Int64(truncatingIfNeeded: next() >> UInt64(1 + pick(63)))
    micros = pick(16) == 0 ? -size : size
    unit = Period.Unit.allCases[pick(4)]
    count = pick(4) == 0 ? 1 + pick(Period.maximumCount) : 1 + pick(36)
    cycles = pick(4) == 0 ? 1 + pick(1_000) : 1 + pick(12)
    target = Period.Unit.allCases[pick(4)]
    table = Table.allCases[pick(Table.allCases.count)]
    digits = pick(3) == 0 ? pick(7) : 2
    rounding = [.down, .halfEven, .halfUp][pick(3)]
  }

  /// The engine's result for the same price, or nil for an overflow.
  func engine(trial: Bool) -> Int64? {
    guard let period = Period(unit, count) else { return nil }
    let prices = UnitPrices(micros: micros, period: period, factors: table.factors)
    return trial
      ? try? prices.perTrial(target, cycles: Int64(cycles), digits: digits, rounding).micros
      : try? prices.per(target, digits: digits, rounding).micros
  }
}
