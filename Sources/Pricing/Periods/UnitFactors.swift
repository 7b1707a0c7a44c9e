/// The number of units of one kind in a unit of another kind, for dividing prices. Each namespace has its own factors.
package struct UnitFactors: Hashable, Sendable {
  /// 16 fractions: the rows are the unit of a price (day, week, month, year), the columns the unit of the period.
  private let cells: [Fraction]

  private init(_ cells: [Fraction]) { self.cells = cells }

  /// The number of `target` units in one `unit`: 7 days in a week, 12/365 months in a day.
  @inline(__always)
  package func count(of target: Period.Unit, in unit: Period.Unit) -> Fraction {
    cells[target.rawValue &* 4 &+ unit.rawValue]
  }

  /// Superwall's iOS SDK (SubscriptionPeriod.swift): a year has 365 days, 52 weeks and 12 months.
  package static let superwall = UnitFactors([
    Fraction(1), Fraction(7), Fraction(365, 12), Fraction(365),
    Fraction(1, 7), Fraction(1), Fraction(52, 12), Fraction(52),
    Fraction(12, 365), Fraction(12, 52), Fraction(1), Fraction(12),
    Fraction(1, 365), Fraction(1, 52), Fraction(1, 12), Fraction(1),
  ])

  /// Superwall's Android SDK: the same factors, truncated after seven digits, so that some results are a little too
  /// high.
  package static let android = superwall.truncated(toDigits: 7)

  /// Superwall's iOS SDK before 4.14.1: a month has 30 days or 4 weeks.
  package static let iosWhole = whole(daysInWeek: Fraction(7), monthsInWeek: Fraction(1, 4))

  /// Superwall's iOS SDK before 4.8.0: the price of a week per day is divided by a seventh.
  package static let iosInverted = whole(
    daysInWeek: Fraction(1, 7), monthsInWeek: Fraction(1, 4))

  /// Superwall's Android SDK before 2.7.4: a month has 30 days, which are 30/7 weeks for weekly prices, and otherwise 4
  /// weeks.
  package static let androidWhole = whole(
    daysInWeek: Fraction(7), monthsInWeek: Fraction(7, 30))

  private static func whole(daysInWeek: Fraction, monthsInWeek: Fraction) -> UnitFactors {
    UnitFactors([
      Fraction(1), daysInWeek, Fraction(30), Fraction(365),
      Fraction(1, 7), Fraction(1), Fraction(4), Fraction(52),
      Fraction(1, 30), monthsInWeek, Fraction(1), Fraction(12),
      Fraction(1, 365), Fraction(1, 52), Fraction(1, 12), Fraction(1),
    ])
  }

  /// Superwall's iOS SDK 4.14.1 to 4.15.2: a week has 365/52 days.
  package static let fractions = superwall.replacing(
    day: Fraction(365, 52), week: Fraction(52, 365))

  /// Superwall's Android SDK 2.7.4 to 2.7.14: the same as ``fractions``, truncated after seven digits.
  package static let androidFractions = fractions.truncated(toDigits: 7)

  /// Prices of introductory offers in the iOS SDK (StoreProductDiscount.swift), which still have an older factor between days
  /// and weeks: 365/52.
  package static let iosTrial = superwall.replacing(
    day: Fraction(365, 52), week: Fraction(52, 365))

  /// Prices of introductory offers in the Android SDK: fractions truncated after six digits.
  package static let androidTrial = superwall.truncated(toDigits: 6)

  /// AgentWallie (ProductResolver.swift) only has prices per month: 30 days or 4.33 weeks. The other rows are the same
  /// as in ``superwall``.
  package static let agentWallie = UnitFactors(
    Array(superwall.cells[0..<8]) + [
      Fraction(1, 30), Fraction(100, 433), Fraction(1), Fraction(12),
    ] + Array(superwall.cells[12..<16]))

  private func truncated(toDigits digits: Int) -> UnitFactors {
    UnitFactors(cells.map { $0.truncated(toDigits: digits) })
  }

  private func replacing(day: Fraction, week: Fraction) -> UnitFactors {
    var cells = cells
    cells[Period.Unit.day.rawValue * 4 + Period.Unit.week.rawValue] = day
    cells[Period.Unit.week.rawValue * 4 + Period.Unit.day.rawValue] = week
    return UnitFactors(cells)
  }
}
