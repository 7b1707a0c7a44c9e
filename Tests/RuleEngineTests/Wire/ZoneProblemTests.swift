import CivilTime
import Testing

@testable import RuleEngine

@Suite struct ZoneProblemTests {
  /// What is proposed is a zone, and what it is proposed for is none.
  @Test func abbreviationsHavePlaces() {
    for (name, place) in WireTime.abbreviations {
      #expect(TimeZones.zone(named: place) != nil, "\(place)")
      #expect(
        WireTime.zoneProblem(name)
          == "the time zone '\(name)' does not exist; it is an abbreviation: write a place, such as \(place)"
      )
    }
    #expect(WireTime.zoneProblem("nzst")?.hasSuffix("such as Pacific/Auckland") == true)
  }

  @Test(arguments: [
    ("", "a time zone is missing; write Europe/Berlin or +01:00"),
    ("GMT+2", "'GMT+2' is written +02:00"), ("+0530", "'+0530' is written +05:30"),
    ("utc", "'utc' is written UTC"), ("UTC+02", "'UTC+02' is written +02:00"),
    ("gmt -3:30", "'gmt -3:30' is written -03:30"), ("UTC-530", "'UTC-530' is written -05:30"),
    ("berlin", "the time zone 'berlin' does not exist; did you mean 'Europe/Berlin'?"),
    (
      "america/new york",
      "the time zone 'america/new york' does not exist; did you mean 'America/New_York'?"
    ),
    ("+25", "the time zone '+25' does not exist; write Europe/Berlin or +01:00"),
  ])
  func whatIsMeant(text: String, problem: String) {
    #expect(WireTime.zoneProblem(text) == problem)
  }
}
