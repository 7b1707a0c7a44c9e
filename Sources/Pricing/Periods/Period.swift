/// A calendar span: a number of days, weeks, months or years.
public struct Period: Hashable, Sendable {
  /// The unit of the count.
  public enum Unit: Int, Hashable, Sendable, CaseIterable {
    case day
    case week
    case month
    case year

    /// `day`, `week`, `month` or `year`.
    public var name: String {
      switch self {
      case .day: "day"
      case .week: "week"
      case .month: "month"
      case .year: "year"
      }
    }

    /// The unit with a name, ignoring case; nil if the name is not a unit.
    public init?(_ name: String) {
      guard name.utf8.count <= 5,
        let unit = Unit.allCases.first(where: { $0.name == name.lowercased() })
      else { return nil }
      self = unit
    }
  }

  public let unit: Unit
  /// The number of units, from 0 to ``maximumCount``. A period of 0 is never charged.
  public let count: Int

  /// The maximum number of units in a period, 99,999.
  public static let maximumCount = 99_999

  /// Creates a period. The result is nil if the count is negative or above ``maximumCount``.
  public init?(_ unit: Unit, _ count: Int) {
    guard 0...Period.maximumCount ~= count else { return nil }
    self.unit = unit
    self.count = count
  }

  /// Creates a period from a count that is known to be in range.
  package init(known unit: Unit, _ count: Int) {
    self.unit = unit
    self.count = count
  }

  /// The same period with days converted to weeks and months to years, where they are whole weeks or years. Other
  /// periods stay the same: 30 days remain days. The iOS SDKs divide prices by this period.
  public var normalized: Period {
    switch unit {
    case .day where count % 7 == 0: Period(known: .week, count / 7)
    case .month where count % 12 == 0: Period(known: .year, count / 12)
    default: self
    }
  }

  /// The length in whole units of another kind. A month has 30 days or 4 weeks. A year has 365 days, 52 weeks or 12
  /// months.
  public func length(in target: Unit) -> Int {
    let perUnit =
      switch unit {
      case .day: (day: (1, 1), week: (1, 7), month: (1, 30), year: (1, 365))
      case .week: (day: (7, 1), week: (1, 1), month: (1, 4), year: (1, 52))
      case .month: (day: (30, 1), week: (4, 1), month: (1, 1), year: (1, 12))
      case .year: (day: (365, 1), week: (52, 1), month: (12, 1), year: (1, 1))
      }
    let factor =
      switch target {
      case .day: perUnit.day
      case .week: perUnit.week
      case .month: perUnit.month
      case .year: perUnit.year
      }
    return count * factor.0 / factor.1
  }

  /// The period repeated `times` times, or nil if the result is too long.
  public func repeated(_ times: Int) -> Period? {
    let (product, overflow) = count.multipliedReportingOverflow(by: times)
    return overflow ? nil : Period(unit, product)
  }

  /// The number of billing periods in a commitment, at least one. The number is exact between months and years and
  /// between days and weeks. Otherwise the number is computed by days (a month has 30, a year 365) and rounded to the
  /// nearest number.
  package static func billingCycles(of billing: Period, in commitment: Period) -> Int {
    guard billing.count > 0 else { return 1 }
    func size(_ period: Period) -> (kind: Int, count: Int) {
      switch period.unit {
      case .day: (0, period.count)
      case .week: (0, period.count * 7)
      case .month: (1, period.count)
      case .year: (1, period.count * 12)
      }
    }
    let parts = (size(billing), size(commitment))
    let (one, all) =
      parts.0.kind == parts.1.kind
      ? (parts.0.count, parts.1.count)
      : (billing.length(in: .day), commitment.length(in: .day))
    return max(1, (all * 2 + one) / (one * 2))
  }
}
