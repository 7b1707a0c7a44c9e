/// An ISO 8601 duration of whole years, months, weeks and days, such as `P1M` or `P4W2D`.
package struct ISOPeriod: Hashable, Sendable {
  package let years: Int
  package let months: Int
  package let weeks: Int
  package let days: Int

  /// Parses `P`, then numbers with Y, M, W and D in this order, each at most once. A time (`T`), fractions, signs, and numbers
  /// above ``Period/maximumCount`` are invalid.
  package init?(_ text: String) {
    var fields = [0, 0, 0, 0]
    var bytes = text.utf8.makeIterator()
    guard bytes.next() == UInt8(ascii: "P") else { return nil }
    var next = 0
    var number: Int?
    while let byte = bytes.next() {
      if byte &- 0x30 < 10 {
        let value = (number ?? 0) * 10 + Int(byte &- 0x30)
        guard value <= Period.maximumCount else { return nil }
        number = value
        continue
      }
      guard let value = number,
        let field = [UInt8(ascii: "Y"), UInt8(ascii: "M"), UInt8(ascii: "W"), UInt8(ascii: "D")]
          .firstIndex(of: byte), field >= next
      else { return nil }
      fields[field] = value
      next = field + 1
      number = nil
    }
    guard next > 0, number == nil else { return nil }
    (years, months, weeks, days) = (fields[0], fields[1], fields[2], fields[3])
  }

  /// The duration of a period.
  package init(_ period: Period) {
    years = period.unit == .year ? period.count : 0
    months = period.unit == .month ? period.count : 0
    weeks = period.unit == .week ? period.count : 0
    days = period.unit == .day ? period.count : 0
  }

  /// The period field by field: `P7D` is 7 days, `P4W2D` 30 days, `P1Y2M` 14 months. The result is nil for a mix of
  /// months and days, which has no fixed length, and for a period that is too long.
  package var period: Period? {
    let totalMonths = years * 12 + months
    let totalDays = weeks * 7 + days
    if totalMonths > 0 {
      guard totalDays == 0 else { return nil }
      return months == 0 ? Period(.year, years) : Period(.month, totalMonths)
    }
    return days == 0 && weeks > 0 ? Period(.week, weeks) : Period(.day, totalDays)
  }

  /// The period as Superwall's Android SDK interprets it (SubscriptionPeriod.kt). The period is converted to days,
  /// where a month has 30 days. Whole weeks take precedence, then whole months, and 12 months are a year. `P30D` is 1
  /// month, `P14M` 60 weeks. The result is nil for a period that is too long.
  package var androidPeriod: Period? {
    let total = (years * 12 + months) * 30 + weeks * 7 + days
    if total % 7 == 0 { return Period(.week, total / 7) }
    guard total % 30 == 0 else { return Period(.day, total) }
    let months = total / 30
    return months % 12 == 0 ? Period(.year, months / 12) : Period(.month, months)
  }
}
