internal import RuleEngine
internal import RuleInsight

/// The days of a simulation as bars of a chart: each day is one, or several are where there are too many.
struct TrafficDays {
  private let sums: TrafficSums
  /// The first day of each bar, and how many days it is.
  private let starts: [Int]
  private let size: Int

  /// Bars that can be told from each other.
  private static let mostBars = 62

  init(_ sums: TrafficSums) {
    self.sums = sums
    let first = sums.days.keys.min() ?? 0
    let count = sums.days.keys.max().map { $0 - first + 1 } ?? 0
    let needed = (count + Self.mostBars - 1) / Self.mostBars
    size = needed <= 1 ? 1 : (needed + 6) / 7 * 7
    starts = Array(stride(from: first, to: first + count, by: size))
  }

  var names: [String] { starts.map { TrafficReport.text(ofDay: $0) } }

  /// `by day`, for titles.
  var step: String { size == 1 ? "by day" : "by \(size) days" }
  /// `on a day`, for sentences.
  var unit: String { size == 1 ? "on a day" : "in \(size) days" }
  /// What a bar is, where that is not plain.
  var about: String { size == 1 ? "" : "Each bar is \(size) days." }

  /// A count of each bar.
  func values(_ count: (TrafficSums.Day) -> Int) -> [Int] {
    starts.map { start in
      (start..<start + size).reduce(0) { $0 + (sums.days[$1].map(count) ?? 0) }
    }
  }
}
