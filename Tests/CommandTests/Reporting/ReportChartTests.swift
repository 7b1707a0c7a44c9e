import Foundation
import Testing

@testable import tollgate

/// Bars over time.
@Suite struct ReportChartTests {
  private func elements(_ chart: ReportChart) throws -> PageReader {
    PageReader(
      Data(
        try ReportPage(
          title: "t", sections: [ReportSection(id: "s", title: "s", blocks: [.chart(chart)])]
        ).html()))
  }

  /// Bars stand on those of the series before, and are as high as their numbers.
  @Test func barsAreTheNumbers() throws {
    let page = try elements(
      ReportChart(
        about: "what",
        series: [.init("a", .first, [50, 0, 100]), .init("b", .none, [30, 0, 100])],
        times: ["1", "2", "3"]))
    #expect(page.fault == nil)
    let svg = try #require(page.all("svg").first)
    #expect(svg.attributes["viewBox"] == "0 0 30 200")
    #expect(svg.attributes["aria-label"] == "what")
    // The axis ends at 200, and nothing is drawn for a zero.
    let paths = page.all("path").map { $0.attributes["d"] }
    #expect(paths == ["M5 200V150M25 200V100", "M5 150V120M25 100V0"])
    let labels = page.all("span").map(\.text)
    #expect(labels == ["200", "100", "0", "1", "3"])
    #expect(page.all("li").map(\.text) == ["a", "b"])
  }

  @Test func axesEndAtRoundNumbers() {
    let numbers = [0, 1, 2, 7, 9, 10, 11, 99, 101, 349, 8_001, 1_000_000]
    #expect(
      numbers.map(ReportChart.ceiling)
        == [1, 1, 2, 8, 10, 10, 20, 100, 200, 400, 10_000, 1_000_000])
  }

  @Test func nothingIsNoBar() throws {
    let page = try elements(
      ReportChart(about: "x", series: [.init("a", .first, [0, 0])], times: ["1", "2"]))
    #expect(page.fault == nil && page.all("path").isEmpty)
    let none = try elements(ReportChart(about: "x", series: [], times: []))
    #expect(none.fault == nil)
  }
}
