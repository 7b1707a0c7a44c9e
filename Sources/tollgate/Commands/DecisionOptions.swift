internal import ArgumentParser
internal import RuleEngine

/// Options that every deciding command has.
struct DecisionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The time of the decision, ISO 8601. Occurrence limits count back from it.",
      discussion: "The default is the time of start, which is printed.", valueName: "iso"))
  var now: String?

  @Option(
    help: ArgumentHelp(
      "The salt of the assignment hash. The same seed gives every user the same variants.",
      valueName: "seed"))
  var seed = ""

  @Option(
    help: ArgumentHelp(
      "The time zone of calendar questions such as monthsSince.", valueName: "name"))
  var timeZone = "UTC"

  /// The time with the calendar that questions about events are answered by.
  func clock(_ now: Int64) throws -> HistoryClock {
    guard let clock = HistoryClock(now: now, timeZone: timeZone) else {
      throw ValidationError("there is no time zone '\(timeZone)'; write Europe/Berlin or +01:00")
    }
    return clock
  }

  /// Milliseconds since 1970.
  func time() throws -> Int64 {
    guard let now else { return Clock.milliseconds() }
    guard let time = WireTime.milliseconds(now) else {
      throw ValidationError("'\(now)' is no ISO 8601 time; write 2026-03-01T12:00:00Z")
    }
    return time
  }

  var assigner: Assigner { .hash(salt: seed) }
}
