package import Expressions
package import Pricing

/// A function that the SDKs add to superscript. Rules call such a function as a member of `device` or `computed`, or
/// without a receiver.
package enum HostFunction: String, CaseIterable, Sendable {
  case minutesSince, hoursSince, daysSince, monthsSince, yearsSince
  case placementsInHour, placementsInDay, placementsInWeek, placementsInMonth
  case placementsSinceInstall
  case reviewRequestsInHour, reviewRequestsInDay, reviewRequestsInWeek, reviewRequestsInMonth
  case reviewRequestsInYear, reviewRequestsSinceInstall
  case requestReview

  /// The platforms whose SDKs have the function.
  package var platforms: [Platform] {
    switch self {
    case .minutesSince, .hoursSince, .daysSince, .monthsSince, .placementsInHour, .placementsInDay,
      .placementsInWeek, .placementsInMonth, .placementsSinceInstall:
      [.ios, .android, .web]
    case .yearsSince: [.ios, .web]
    case .reviewRequestsInHour, .reviewRequestsInDay, .reviewRequestsInWeek,
      .reviewRequestsInMonth, .reviewRequestsInYear, .reviewRequestsSinceInstall, .requestReview:
      [.android]
    }
  }

  /// Whether the function asks about past events.
  var asksHistory: Bool { self != .requestReview }

  /// The function's page in the reference. The example is true for the events of `HostFunctionTests`.
  package var page: FunctionPage {
    switch self {
    case .minutesSince: since("minutes", "app_open", 45)
    case .hoursSince: since("hours", "session_start", 5)
    case .daysSince: since("days", "paywall_open", 2)
    case .monthsSince: since("months", "first_launch", 3)
    case .yearsSince: since("years", "first_launch", 0)
    case .placementsInHour: count("the number of events with a name in the last hour", 1)
    case .placementsInDay: count("the number of events with a name in the last 24 hours", 2)
    case .placementsInWeek: count("the number of events with a name in the last 7 days", 3)
    case .placementsInMonth: count("the number of events with a name in the last 30 days", 4)
    case .placementsSinceInstall: count("all events of a name", 5)
    case .reviewRequestsInHour: reviews("in the last hour", 0)
    case .reviewRequestsInDay: reviews("in the last day", 1)
    case .reviewRequestsInWeek: reviews("in the last week", 1)
    case .reviewRequestsInMonth: reviews("in the last month", 2)
    case .reviewRequestsInYear: reviews("in the last year", 3)
    case .reviewRequestsSinceInstall: reviews("since the installation", 4)
    case .requestReview:
      page(
        "bool", "Requests a review of the app on a device, and returns true.",
        "requestReview() == true",
        parameters: "")
    }
  }

  private func since(_ unit: String, _ event: String, _ number: Int) -> FunctionPage {
    page(
      "int|null",
      "Returns the number of whole \(unit) since an event, or null if the event never happened.",
      "\(rawValue)(\"\(event)\") == \(number)")
  }

  private func count(_ what: String, _ number: Int) -> FunctionPage {
    page("int", "Counts \(what).", "\(rawValue)(\"app_open\") == \(number)")
  }

  private func reviews(_ when: String, _ number: Int) -> FunctionPage {
    page(
      "int", "Counts requests for a review \(when).", "\(rawValue)() == \(number)",
      parameters: "")
  }

  private func page(
    _ result: String, _ summary: String, _ example: String, parameters: String = "string"
  ) -> FunctionPage {
    FunctionPage(
      .history, "device.\(rawValue)(\(parameters)) -> \(result)", summary, "device.\(example)",
      in: [.superscript])
  }
}
