/// A value of the history of events that an audience reads as a device attribute, such as
/// `device.daysSince_paywall_open`.
package struct ComputedProperty: Hashable, Sendable {
  /// The question about the event history.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case minutesSince = "MINUTES_SINCE"
    case hoursSince = "HOURS_SINCE"
    case daysSince = "DAYS_SINCE"
    case monthsSince = "MONTHS_SINCE"
    case yearsSince = "YEARS_SINCE"
    case placementsInHour = "PLACEMENTS_IN_HOUR"
    case placementsInDay = "PLACEMENTS_IN_DAY"
    case placementsInWeek = "PLACEMENTS_IN_WEEK"
    case placementsInMonth = "PLACEMENTS_IN_MONTH"
    case placementsSinceInstall = "PLACEMENTS_SINCE_INSTALL"
  }

  package var kind: Kind
  /// The event that the question is about.
  package var eventName: String

  package init(kind: Kind, eventName: String) {
    self.kind = kind
    self.eventName = eventName
  }
}

extension ComputedProperty.Kind {
  /// The name of the function that asks the same question. The names are written out, because describing a case is
  /// slow.
  package var functionName: String {
    switch self {
    case .minutesSince: "minutesSince"
    case .hoursSince: "hoursSince"
    case .daysSince: "daysSince"
    case .monthsSince: "monthsSince"
    case .yearsSince: "yearsSince"
    case .placementsInHour: "placementsInHour"
    case .placementsInDay: "placementsInDay"
    case .placementsInWeek: "placementsInWeek"
    case .placementsInMonth: "placementsInMonth"
    case .placementsSinceInstall: "placementsSinceInstall"
    }
  }

  private static let byFunction = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0.functionName, $0) })

  /// The question that a function asks, or nil if the function does not ask about the event history.
  package init?(functionName: String) {
    guard let kind = Self.byFunction[functionName] else { return nil }
    self = kind
  }

  /// Whether the property is the time since the last event. Other properties are numbers of events.
  package var isTime: Bool {
    switch self {
    case .minutesSince, .hoursSince, .daysSince, .monthsSince, .yearsSince: true
    case .placementsInHour, .placementsInDay, .placementsInWeek, .placementsInMonth,
      .placementsSinceInstall:
      false
    }
  }
}

extension ComputedProperty {
  /// The name of the device attribute.
  package var attributeName: String { "\(kind.functionName)_\(eventName)" }
}
