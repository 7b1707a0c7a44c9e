import Testing

@testable import tollgate

/// The tests of reports, against figures of SciPy 1.16 (`chi2.sf`, `chisquare`, `chi2_contingency`
/// without Yates' correction).
@Suite struct StatisticsTests {
  @Test(arguments: [
    (3.841458820694124, 1, 0.04999999999999989), (0.5, 1, 0.47950012218695337),
    (10.0, 1, 0.001565402258002549), (5.991, 2, 0.05001161502657909),
    (7.5, 3, 0.0575584519726364), (25.0, 4, 5.0309817823062075e-05),
    (1.2, 5, 0.9448773650021219), (40, 20, 0.0049954123083075785),
    (99.5, 99, 0.46698353654589764), (300, 255, 0.02772752205390483),
    (2500, 2000, 1.074008023138619e-13), (1e-06, 2, 0.999999500000125),
  ])
  func tailsOfChiSquared(_ statistic: Double, _ degrees: Int, _ expected: Double) {
    let p = ChiSquared(statistic: statistic, degrees: degrees).p
    #expect(abs(p - expected) <= 1e-10 * expected)
  }

  @Test func tailsStayInRange() {
    #expect(ChiSquared(statistic: 0, degrees: 3).p == 1)
    #expect(ChiSquared(statistic: 1500, degrees: 3).p < 1e-300)
    #expect(ChiSquared(statistic: .infinity, degrees: 1).p == 0)
    #expect(ChiSquared(statistic: 1e-300, degrees: 500).p == 1)
  }

  @Test func countsAreHeldAgainstShares() throws {
    let demo = try #require(Statistics.fit([347, 331, 67], to: [0.45, 0.45, 0.1]))
    #expect(abs(demo.statistic - 1.220730797912006) < 1e-12)
    #expect(demo.degrees == 2)
    #expect(abs(demo.p - 0.5431523655029041) < 1e-12)
    let half = try #require(Statistics.fit([5200, 4800], to: [50, 50]))
    #expect(half.statistic == 16)
    #expect(abs(half.p - 6.334248366623988e-05) < 1e-15)
    // A variant without weight takes no part, unless somebody drew it.
    #expect(Statistics.fit([5200, 4800, 0], to: [50, 50, 0]) == half)
    #expect(Statistics.fit([5200, 4800, 1], to: [50, 50, 0])?.p == 0)
    // Four expected are too few, and one variant is no experiment.
    #expect(Statistics.fit([4, 36], to: [0.1, 0.9]) == nil)
    #expect(Statistics.fit([40], to: [1]) == nil)
    #expect(Statistics.fit([0, 0], to: [0.5, 0.5]) == nil)
  }

  @Test func tablesAreHeldAgainstChance() throws {
    let square = try #require(Statistics.association([[206, 918], [475, 651]]))
    #expect(abs(square.test.statistic - 151.6912635764736) < 1e-9)
    #expect(abs(square.test.p - 7.401216659989674e-35) < 1e-44)
    #expect(abs(square.strength - 0.25965041761437935) < 1e-12)
    let wide = try #require(Statistics.association([[30, 20, 50], [10, 40, 60]]))
    #expect(wide.test.degrees == 2)
    #expect(abs(wide.test.p - 0.00018986165624667394) < 1e-15)
    #expect(abs(wide.strength - 0.28567738840855766) < 1e-12)
    #expect(abs(Statistics.expected([[30, 20, 50], [10, 40, 60]])[1][2] - 57.61904762) < 1e-8)
    // What nobody drew is no row.
    #expect(Statistics.association([[30, 20, 50], [0, 0, 0], [10, 40, 60]]) == wide)
    #expect(Statistics.association([[50, 0], [60, 0]]) == nil)
    #expect(Statistics.association([[4, 4], [4, 4]]) == nil)
    #expect(Statistics.association([[0, 0], [0, 0]]) == nil)
    // One experiment tells the other.
    #expect(Statistics.association([[50, 0], [0, 50]])?.strength == 1)
  }

  @Test func numbersAreWrittenForPeople() {
    #expect(ReportNumber.percent(0) == "0 %")
    #expect(ReportNumber.percent(0.0001) == "< 0.1 %")
    #expect(ReportNumber.percent(0.125) == "12.5 %")
    #expect(ReportNumber.percent(0.9999) == "> 99.9 %")
    #expect(ReportNumber.percent(1) == "100.0 %")
    #expect(ReportNumber.length(0.5) == "50%")
    #expect(ReportNumber.length(0.12345) == "12.3%")
    #expect(ReportNumber.probability(0.00005) == "p < 0.0001")
    #expect(ReportNumber.probability(0.0312) == "p = 0.031")
    #expect(ReportNumber.probability(0.0012) == "p = 0.0012")
    #expect(ReportNumber.decimal(-0.25, 1) == "−0.3")
    #expect(ReportNumber.decimal(3, 0) == "3")
  }
}
