package import CivilTime
package import Pricing

/// Dates and times in the form that rules compare: `yyyy-MM-dd` and `HH:mm:ss`.
package struct ClockText: Hashable, Sendable {
  package let date: String
  package let time: String

  package init(_ civil: CivilTime) {
    date = "\(Self.pad(civil.year, 4))-\(Self.pad(civil.month, 2))-\(Self.pad(civil.day, 2))"
    time = "\(Self.pad(civil.hour, 2)):\(Self.pad(civil.minute, 2)):\(Self.pad(civil.second, 2))"
  }

  /// The date and time on clocks that are `offset` seconds ahead of UTC.
  package init(_ time: Instant, offset: Int32 = 0) {
    self.init(CivilTime(secondsSince1970: time.seconds, offset: offset))
  }

  package var dateTime: String { "\(date)T\(time)" }

  /// `utcDateTime`, which includes its zone on iOS only.
  package func utcDateTime(on platform: Platform?) -> String {
    platform == .android || platform == .web ? dateTime : "\(dateTime)Z"
  }

  private static func pad(_ number: Int, _ digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
