internal import CShims

/// Arithmetic with doubles, as in liquidjs: values that are not numbers are 0, and a missing operand makes
/// the result NaN.
enum BinaryNumberFilters {
  // SAFETY: Operands are passed on as pointers during the call, and not stored.
  // Tests: AnyArgumentsTests, corpus.

  static func call(_ function: NumberFilter, _ operands: Operands) -> Cell {
    let value = number(operands[0])
    return switch function {
    case .abs: LiquidConversions.number(Swift.abs(value))
    case .toNumber: LiquidConversions.number(value)
    }
  }

  static func call(_ function: RoundingFilter, _ operands: Operands) -> Cell {
    let value = number(operands[0])
    return switch function {
    case .ceil: LiquidConversions.number(value.rounded(.up))
    case .floor: LiquidConversions.number(value.rounded(.down))
    case .round: LiquidConversions.number(rounded(value, operands.optional(1).map(number) ?? 0))
    }
  }

  static func call(_ function: ExtremeFilter, _ operands: Operands) -> Cell {
    var result = number(operands[0])
    for i in (0..<operands.count).dropFirst() {
      let other = number(operands[i])
      result =
        switch function {
        case .atLeast: max(result, other)
        case .atMost: min(result, other)
        }
    }
    return LiquidConversions.number(result)
  }

  static func call(_ function: ArithmeticFilter, _ operands: Operands) -> Cell {
    guard let second = operands.optional(1) else { return Cell(Double.nan) }
    let (value, other) = (number(operands[0]), number(second))
    switch function {
    case .plus: return LiquidConversions.number(value + other)
    case .minus: return LiquidConversions.number(value - other)
    case .times: return LiquidConversions.number(value * other)
    case .modulo: return LiquidConversions.number(value.truncatingRemainder(dividingBy: other))
    case .dividedBy:
      let isWhole = operands.optional(2).map { $0.pointee.holds && !isZero($0) } ?? false
      return LiquidConversions.number(
        isWhole ? (value / other).rounded(.down) : value / other)
    }
  }

  private static func isZero(_ value: UnsafePointer<Cell>) -> Bool {
    value.pointee.isText ? value.textBytes.isEmpty : LiquidConversions.javaScriptNumber(value) == 0
  }

  private static func number(_ value: UnsafePointer<Cell>) -> Double {
    let number = LiquidConversions.javaScriptNumber(value)
    return number.isNaN ? 0 : number
  }

  /// Rounds to the nearest number. Halves round up, also below zero.
  private static func rounded(_ value: Double, _ places: Double) -> Double {
    let amplifier = pow(10, places)
    let scaled = value * amplifier
    if Swift.abs(scaled) >= 4_503_599_627_370_496 { return scaled / amplifier }
    let down = scaled.rounded(.down)
    return (scaled - down >= 0.5 ? down + 1 : down) / amplifier
  }
}

/// Arithmetic as in Liquid for Ruby: integers stay integers and division rounds down, fractions are computed
/// in decimal.
enum DecimalNumberFilters {
  static func call(_ function: NumberFilter, _ operands: Operands) -> Cell {
    let a = LiquidConversions.rubyNumber(operands[0])
    guard a.isValue else { return a }
    return switch function {
    case .abs: abs(a)
    case .toNumber: a
    }
  }

  static func call(_ function: ExtremeFilter, _ operands: Operands) -> Cell {
    pair(operands) { a, b in
      let areInts = a.tag == Tag.int && b.tag == Tag.int
      let isLess =
        areInts ? a.intValue < b.intValue : a.nearestDouble < b.nearestDouble
      let isMore =
        areInts ? a.intValue > b.intValue : a.nearestDouble > b.nearestDouble
      return switch function {
      case .atLeast: isLess ? b : a
      case .atMost: isMore ? b : a
      }
    }
  }

  static func call(_ function: ArithmeticFilter, _ operands: Operands) -> Cell {
    pair(operands) { a, b in
      a.tag == Tag.int && b.tag == Tag.int
        ? integers(function, a.intValue, b.intValue) : decimals(function, a, b)
    }
  }

  @inline(__always)
  private static func pair(_ operands: Operands, _ body: (Cell, Cell) -> Cell) -> Cell {
    let a = LiquidConversions.rubyNumber(operands[0])
    guard a.isValue else { return a }
    guard let second = operands.optional(1) else { return Cell(fault: .noSuchOverload) }
    let b = LiquidConversions.rubyNumber(second)
    return b.isValue ? body(a, b) : b
  }

  private static func abs(_ a: Cell) -> Cell {
    if a.tag == Tag.double { return Cell(Swift.abs(a.doubleValue)) }
    return a.intValue == .min ? Cell(fault: .overflow) : Cell(Swift.abs(a.intValue))
  }

  private static func integers(_ function: ArithmeticFilter, _ a: Int64, _ b: Int64) -> Cell {
    func checked(_ result: (partialValue: Int64, overflow: Bool)) -> Cell {
      result.overflow ? Cell(fault: .overflow) : Cell(result.partialValue)
    }
    switch function {
    case .plus: return checked(a.addingReportingOverflow(b))
    case .minus: return checked(a.subtractingReportingOverflow(b))
    case .times: return checked(a.multipliedReportingOverflow(by: b))
    case .dividedBy, .modulo:
      guard b != 0 else { return Cell(fault: .divisionByZero) }
      if b == -1 {
        return function == .modulo
          ? Cell(Int64(0)) : checked(Int64(0).subtractingReportingOverflow(a))
      }
      let (quotient, rest) = a.quotientAndRemainder(dividingBy: b)
      let isBelow = rest != 0 && (rest < 0) != (b < 0)
      return Cell(function == .dividedBy ? quotient - (isBelow ? 1 : 0) : rest + (isBelow ? b : 0))
    }
  }

  private static func decimal(_ cell: Cell) -> LiquidDecimal? {
    cell.tag == Tag.int ? LiquidDecimal(cell.intValue) : LiquidDecimal(cell.doubleValue)
  }

  /// Computes a result if an operand has a fraction. Numbers with more digits than fit into a decimal are computed as
  /// doubles.
  private static func decimals(_ function: ArithmeticFilter, _ a: Cell, _ b: Cell) -> Cell {
    let (x, y) = (a.nearestDouble, b.nearestDouble)
    if function == .dividedBy || function == .modulo, y == 0 { return Cell(fault: .divisionByZero) }
    if let left = decimal(a), let right = decimal(b),
      let result = exact(function, left, right)
    {
      return Cell(result.double)
    }
    switch function {
    case .plus: return Cell(x + y)
    case .minus: return Cell(x - y)
    case .times: return Cell(x * y)
    case .dividedBy: return Cell(quotient(a, b))
    case .modulo: return Cell(x - (x / y).rounded(.down) * y)
    }
  }

  private static func exact(
    _ function: ArithmeticFilter, _ a: LiquidDecimal, _ b: LiquidDecimal
  ) -> LiquidDecimal? {
    switch function {
    case .plus, .minus, .modulo:
      guard let (x, y, scale) = LiquidDecimal.aligned(a, b) else { return nil }
      if function == .modulo {
        let rest = x % y
        let isBelow = rest != 0 && (rest < 0) != (y < 0)
        return LiquidDecimal(mantissa: isBelow ? rest + y : rest, scale: scale)
      }
      let (sum, overflow) =
        function == .plus ? x.addingReportingOverflow(y) : x.subtractingReportingOverflow(y)
      return overflow ? nil : LiquidDecimal(mantissa: sum, scale: scale)
    case .times:
      let (product, overflow) = a.mantissa.multipliedReportingOverflow(by: b.mantissa)
      guard !overflow, a.scale + b.scale <= LiquidDecimal.mostDigits else { return nil }
      // The sign of zero is significant, and decimals have no negative zero.
      if product == 0, a.mantissa < 0 || b.mantissa < 0 { return nil }
      return LiquidDecimal(mantissa: product, scale: a.scale + b.scale)
    case .dividedBy: return nil
    }
  }

  /// The nearest double to the quotient of two decimal numbers.
  private static func quotient(_ a: Cell, _ b: Cell) -> Double {
    if let left = decimal(a), let right = decimal(b),
      let (x, y, _) = LiquidDecimal.aligned(left, right), x.magnitude < 1 << 53,
      y.magnitude < 1 << 53
    {
      return Double(Int64(x)) / Double(Int64(y))
    }
    return a.nearestDouble / b.nearestDouble
  }

  static func call(_ function: RoundingFilter, _ operands: Operands) -> Cell {
    let a = LiquidConversions.rubyNumber(operands[0])
    guard a.isValue else { return a }
    var places = 0
    if function == .round, let digits = operands.optional(1) {
      let number = LiquidConversions.rubyNumber(digits)
      guard number.isValue, Swift.abs(number.nearestDouble) < 1_000 else {
        return Cell(fault: .limitExceeded)
      }
      places = Int(number.nearestDouble)
    }
    if a.tag == Tag.int {
      guard places < 0 else { return a }
      return integer(LiquidDecimal(a.intValue).rounded(places).mantissa)
    }
    // Rounding removes digits, so a small number may have many digits.
    let mostScale = function == .round ? 400 : LiquidDecimal.mostDigits
    guard let decimal = LiquidDecimal(a.doubleValue, mostScale: mostScale) else {
      guard a.doubleValue.isFinite else { return Cell(fault: .conversion) }
      if places > 0 { return a }
      guard Swift.abs(a.doubleValue) < 9e18 else { return Cell(fault: .overflow) }
      return Cell(Int64(a.doubleValue.rounded(function == .ceil ? .up : .down)))
    }
    switch function {
    case .ceil: return integer(decimal.ceiling)
    case .floor: return integer(decimal.floor)
    case .round:
      let result = decimal.rounded(places)
      return places > 0 ? Cell(result.double) : integer(result.mantissa)
    }
  }

  private static func integer(_ value: Int128) -> Cell {
    Int64(exactly: value).map { Cell($0) } ?? Cell(fault: .overflow)
  }
}
