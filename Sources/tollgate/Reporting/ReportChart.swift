internal import Expressions

/// Stacked bars over time: the events of each day.
struct ReportChart {
  /// The values that are stacked in each bar.
  struct Series {
    var name: String
    var tone: ReportTone
    var values: [Int]

    init(_ name: String, _ tone: ReportTone, _ values: [Int]) {
      self.name = name
      self.tone = tone
      self.values = values
    }
  }

  var title: String?
  /// A description of the chart for screen readers, such as `paywalls by day`.
  var about: String
  var series: [Series]
  /// The time of each bar.
  var times: [String]
  var note = ""

  /// The height of the highest bar.
  private var highest: Int {
    times.indices.map { time in series.reduce(0) { $0 + $1.values[time] } }.max() ?? 0
  }

  /// The smallest of 1, 2, 3, 4, 5, 6, 8, 10, 20.. that is not below the number, as the end of an axis.
  static func ceiling(_ number: Int) -> Int {
    var unit = 1
    while number > unit * 10 { unit *= 10 }
    return [1, 2, 3, 4, 5, 6, 8].lazy.map { $0 * unit }.first { $0 >= number } ?? unit * 10
  }

  /// The height of the picture in units. Each bar is ten units wide.
  private static let height = 200

  /// The SVG path of a series: a line for each bar, with the width in the style, on top of the
  /// previous series.
  ///
  /// - Parameter top: the number at the upper edge.
  private func path(_ number: Int, top: Int) -> String {
    var path = ""
    func length(_ count: Int) -> Int {
      Int((Double(count) / Double(max(top, 1)) * Double(Self.height)).rounded())
    }
    for time in times.indices where series[number].values[time] > 0 {
      let below = series[..<number].reduce(0) { $0 + $1.values[time] }
      let (from, to) = (length(below), length(below + series[number].values[time]))
      guard to > from else { continue }
      path += "M\(time * 10 + 5) \(Self.height - from)V\(Self.height - to)"
    }
    return path
  }

  private func paths(top: Int) -> Value {
    .list(
      series.indices.map {
        .object([
          "tone": .string(series[$0].tone.rawValue), "path": .string(path($0, top: top)),
        ])
      })
  }

  private var box: Value { .string("0 0 \(times.count * 10) \(Self.height)") }

  /// The values of the chart for the template.
  var value: Value {
    let top = Self.ceiling(highest)
    return .members([
      "title": title.map(Value.text), "about": .text(about), "paths": paths(top: top), "box": box,
      "top": .string(grouped(top)),
      "middle": top.isMultiple(of: 2) ? .string(grouped(top / 2)) : nil,
      "times": .list(shownTimes.map(Value.text)), "note": note.isEmpty ? nil : .text(note),
      "legend": .list(
        series.count < 2
          ? []
          : series.map { .object(["tone": .string($0.tone.rawValue), "name": .text($0.name)]) }),
    ])
  }

  /// The values of the chart for a cell. The highest bar fills the cell.
  var cellValue: Value {
    .object(["paths": paths(top: highest), "box": box, "about": .text(about)])
  }

  /// The times of the first, the middle and the last bar.
  private var shownTimes: [String] {
    guard let first = times.first, let last = times.last, times.count > 1 else { return times }
    return times.count > 4 ? [first, times[times.count / 2], last] : [first, last]
  }
}
