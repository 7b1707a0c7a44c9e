internal import RuleEngine
internal import RuleInsight

/// The days of a simulation as bars of a chart. If there are too many days, a bar covers several days.
struct TrafficDays {
  private let sums: TrafficSums
  /// The first day of each bar, and its number of days.
  private let starts: [Int]
  private let size: Int
  /// The number of days of the last bar.
  private let lastSize: Int

  /// The maximum number of distinguishable bars.
  private static let mostBars = 62

  init(_ sums: TrafficSums) {
    self.sums = sums
    let first = sums.days.keys.min() ?? 0
    let count = sums.days.keys.max().map { $0 - first + 1 } ?? 0
    let needed = (count + Self.mostBars - 1) / Self.mostBars
    size = needed <= 1 ? 1 : (needed + 6) / 7 * 7
    starts = Array(stride(from: first, to: first + count, by: size))
    lastSize = starts.last.map { first + count - $0 } ?? size
  }

  /// The last bar states its days if it covers fewer days than other bars, because this alone makes the bar lower.
  var names: [String] {
    starts.enumerated().map { number, start in
      let name = TrafficReport.text(ofDay: start)
      return number == starts.count - 1 && lastSize < size
        ? "\(name) (\(counted(lastSize, "day")) only)" : name
    }
  }

  /// `by day`, for titles.
  var step: String { size == 1 ? "by day" : "by \(size) days" }
  /// `on a day`, for sentences.
  var unit: String { size == 1 ? "on a day" : "in \(size) days" }
  /// A description of a bar, if it is not obvious.
  var about: String {
    if size == 1 { return "" }
    return "Each bar is \(size) days"
      + (lastSize < size ? "; the last one is \(counted(lastSize, "day"))." : ".")
  }

  /// A count for each bar.
  func values(_ count: (TrafficSums.Day) -> Int) -> [Int] {
    starts.map { start in
      (start..<start + size).reduce(0) { $0 + (sums.days[$1].map(count) ?? 0) }
    }
  }
}
