import Pricing
import Testing

/// Lengths of periods in units, as tables; cycles, names and ISO texts.
@Suite struct PeriodTests {
  private static let units: [Period.Unit] = [.day, .week, .month, .year]

  private static func words(_ period: Period?) -> String {
    period.map { "\($0.count) \($0.unit.name)" } ?? "-"
  }

  @Test(
    arguments: [
      (Period.Unit.day, 1, [1, 0, 0, 0]), (.day, 7, [7, 1, 0, 0]), (.day, 6, [6, 0, 0, 0]),
      (.day, 30, [30, 4, 1, 0]), (.day, 29, [29, 4, 0, 0]), (.day, 365, [365, 52, 12, 1]),
      (.day, 364, [364, 52, 12, 0]), (.week, 1, [7, 1, 0, 0]), (.week, 4, [28, 4, 1, 0]),
      (.week, 3, [21, 3, 0, 0]), (.week, 52, [364, 52, 13, 1]), (.week, 51, [357, 51, 12, 0]),
      (.month, 1, [30, 4, 1, 0]), (.month, 11, [330, 44, 11, 0]), (.month, 12, [360, 48, 12, 1]),
      (.year, 1, [365, 52, 12, 1]), (.year, 2, [730, 104, 24, 2]), (.year, 0, [0, 0, 0, 0]),
    ])
  func lengths(unit: Period.Unit, count: Int, wanted: [Int]) throws {
    let period = try #require(Period(unit, count))
    #expect(Self.units.map { period.length(in: $0) } == wanted)
  }

  @Test func bounds() {
    #expect(Period(.day, -1) == nil)
    #expect(Period(.day, 0) != nil)
    #expect(Period(.day, 99_999) != nil)
    #expect(Period(.day, 100_000) == nil)
    let most = Period(.day, 99_999)
    #expect(most?.repeated(1) == most)
    #expect(most?.repeated(2) == nil)
    #expect(most?.repeated(.max) == nil)
    #expect(Period(.week, 3)?.repeated(4) == Period(.week, 12))
    #expect(Period(.week, 3)?.repeated(-1) == nil)
  }

  @Test(
    arguments: [
      (Period.Unit.day, 7, "1 week"), (.day, 14, "2 week"), (.day, 8, "8 day"),
      (.day, 0, "0 week"), (.month, 12, "1 year"), (.month, 24, "2 year"),
      (.month, 13, "13 month"), (.week, 4, "4 week"), (.week, 52, "52 week"),
      (.year, 1, "1 year"),
    ])
  func normalized(unit: Period.Unit, count: Int, wanted: String) throws {
    #expect(Self.words(try #require(Period(unit, count)).normalized) == wanted)
  }

  /// How often one is charged in the other, to the nearest number, of which there is one at least.
  @Test(
    arguments: [
      (Period.Unit.month, 1, Period.Unit.year, 1, 12), (.month, 3, .year, 1, 4),
      (.month, 5, .year, 1, 2), (.month, 7, .year, 1, 2), (.month, 8, .year, 1, 2),
      (.month, 9, .year, 1, 1), (.week, 1, .day, 10, 1), (.week, 1, .day, 11, 2),
      (.week, 2, .day, 35, 3), (.day, 2, .day, 5, 3), (.week, 1, .month, 1, 4),
      (.week, 1, .year, 1, 52), (.day, 30, .year, 1, 12), (.month, 1, .week, 52, 12),
      (.year, 1, .month, 1, 1), (.year, 1, .day, 1, 1), (.month, 0, .year, 1, 1),
      (.year, 1, .month, 30, 3), (.year, 1, .month, 29, 2), (.day, 1, .day, 1, 1),
    ])
  func cycles(_ unit: Period.Unit, _ count: Int, _ other: Period.Unit, _ all: Int, wanted: Int)
    throws
  {
    let (billing, commitment) = (Period(unit, count), Period(other, all))
    #expect(
      Period.billingCycles(of: try #require(billing), in: try #require(commitment)) == wanted)
  }

  @Test func namesOfUnits() {
    for unit in Self.units {
      #expect(Period.Unit(unit.name) == unit)
      #expect(Period.Unit(unit.name.uppercased()) == unit)
      #expect(Period.Unit(unit.name + "s") == nil)
    }
    #expect(Self.units.map(\.name) == ["day", "week", "month", "year"])
    #expect(Period.Unit("") == nil)
  }

  /// The text, the period that it is, and what Superwall-Android makes of it.
  @Test(
    arguments: [
      ("P1D", "1 day", "1 day"), ("P7D", "7 day", "1 week"), ("P1W", "1 week", "1 week"),
      ("P2W", "2 week", "2 week"), ("P1W3D", "10 day", "10 day"), ("P1W7D", "14 day", "2 week"),
      ("P1M", "1 month", "1 month"), ("P12M", "12 month", "1 year"), ("P1Y", "1 year", "1 year"),
      ("P2Y", "2 year", "2 year"), ("P1Y6M", "18 month", "18 month"), ("P7M", "7 month", "30 week"),
      ("P1M1D", "-", "31 day"), ("P1M1W", "-", "37 day"), ("P1Y1D", "-", "361 day"),
      ("P0D", "0 day", "0 week"), ("P0M", "0 day", "0 week"), ("P0W", "0 day", "0 week"),
      ("P30D", "30 day", "1 month"), ("P360D", "360 day", "1 year"), ("P99999D", "99999 day", ""),
      ("P1Y2M0W0D", "14 month", "60 week"), ("P14M", "14 month", "60 week"),
    ])
  func texts(text: String, period: String, android: String) throws {
    let iso = try #require(ISOPeriod(text))
    #expect(Self.words(iso.period) == period)
    if !android.isEmpty { #expect(Self.words(iso.androidPeriod) == android) }
  }

  @Test(
    arguments: [
      "", "P", "1D", "p1D", "P1", "PD", "P1D1W", "P1M1Y", "P1D1D", "P1H", "PT1H", "P-1D", "P1.5D",
      "P100000D", "P1D ", " P1D", "P1W2", "P99999999999999999999D",
    ])
  func refusedTexts(text: String) { #expect(ISOPeriod(text) == nil) }

  @Test func fieldsOfPeriods() throws {
    for (place, unit) in [Period.Unit.year, .month, .week, .day].enumerated() {
      let iso = ISOPeriod(try #require(Period(unit, 5)))
      var wanted = [0, 0, 0, 0]
      wanted[place] = 5
      #expect([iso.years, iso.months, iso.weeks, iso.days] == wanted)
      #expect(iso.period == Period(unit, 5))
    }
  }

  /// How many of a unit are in another, by system: rows are what is counted.
  @Test func factors() {
    func told(_ factors: UnitFactors) -> [String] {
      Self.units.map { target in
        Self.units.map { unit in
          let count = factors.count(of: target, in: unit)
          return "\(count.numerator)/\(count.denominator)"
        }.joined(separator: " ")
      }
    }
    #expect(
      told(.superwall) == [
        "1/1 7/1 365/12 365/1", "1/7 1/1 52/12 52/1", "12/365 12/52 1/1 12/1",
        "1/365 1/52 1/12 1/1",
      ])
    #expect(
      told(.iosTrial) == [
        "1/1 365/52 365/12 365/1", "52/365 1/1 52/12 52/1", "12/365 12/52 1/1 12/1",
        "1/365 1/52 1/12 1/1",
      ])
    #expect(
      told(.agentWallie) == [
        "1/1 7/1 365/12 365/1", "1/7 1/1 52/12 52/1", "1/30 100/433 1/1 12/1",
        "1/365 1/52 1/12 1/1",
      ])
    #expect(
      told(.android) == [
        "1/1 7/1 304166666/10000000 365/1", "1428571/10000000 1/1 43333333/10000000 52/1",
        "328767/10000000 2307692/10000000 1/1 12/1",
        "27397/10000000 192307/10000000 833333/10000000 1/1",
      ])
    #expect(
      told(.androidTrial) == [
        "1/1 7/1 30416666/1000000 365/1", "142857/1000000 1/1 4333333/1000000 52/1",
        "32876/1000000 230769/1000000 1/1 12/1", "2739/1000000 19230/1000000 83333/1000000 1/1",
      ])
  }
}
