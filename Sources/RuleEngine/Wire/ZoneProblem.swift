internal import CivilTime
internal import Expressions

extension WireTime {
  /// Describes why a string is not the name of a time zone, and how to fix it. Nil if the name is valid.
  package static func zoneProblem(_ text: String) -> String? {
    if TimeZones.zone(named: text) != nil { return nil }
    if text.isEmpty { return "a time zone is missing; write Europe/Berlin or +01:00" }
    if let offset = offset(text) { return "'\(text)' is written \(offset)" }
    let hint =
      abbreviations[text.uppercased()].map {
        "it is an abbreviation: write a place, such as \($0)"
      }
      ?? near(text).map { "did you mean '\($0)'?" } ?? "write Europe/Berlin or +01:00"
    return "the time zone '\(text)' does not exist; \(hint)"
  }

  /// Returns `+02:00` for `UTC+2`, `GMT+02:00`, `+2` and `+0200`. Returns `UTC` for `Z` and for `utc` in any case.
  private static func offset(_ text: String) -> String? {
    var rest = text.uppercased()[...]
    if rest == "Z" || rest == "ZULU" || rest == "UTC" || rest == "GMT" { return "UTC" }
    for name in ["UTC", "GMT"] where rest.hasPrefix(name) { rest = rest.dropFirst(name.count) }
    rest = rest.drop { $0 == " " }
    guard let sign = rest.first, "+-".contains(sign) else { return nil }
    let parts = rest.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let first = parts.first,
      parts.allSatisfy({ (1...4).contains($0.count) && $0.allSatisfy({ $0.isNumber }) })
    else { return nil }
    let isPacked = parts.count == 1 && first.count > 2
    let hours = isPacked ? String(first.dropLast(2)) : String(first)
    let minutes = isPacked ? String(first.suffix(2)) : parts.count > 1 ? String(parts[1]) : "00"
    guard hours.count <= 2, minutes.count == 2 else { return nil }
    let written = "\(sign)\(hours.count == 1 ? "0" : "")\(hours):\(minutes)"
    return TimeZones.zone(named: written) == nil ? nil : written
  }

  /// Abbreviations that several places share, or that mean summer or winter time. The tz database has no zones with
  /// these names. Each abbreviation is listed with a place that has the intended time.
  static let abbreviations = [
    "PST": "America/Los_Angeles", "PDT": "America/Los_Angeles", "PT": "America/Los_Angeles",
    "MDT": "America/Denver", "MT": "America/Denver", "CDT": "America/Chicago",
    "CST": "America/Chicago", "CT": "America/Chicago", "EDT": "America/New_York",
    "ET": "America/New_York", "AKST": "America/Anchorage", "AKDT": "America/Anchorage",
    "HDT": "America/Adak", "BRT": "America/Sao_Paulo", "ART": "America/Argentina/Buenos_Aires",
    "BST": "Europe/London", "WEST": "Europe/Lisbon", "CEST": "Europe/Berlin",
    "EEST": "Europe/Athens", "MSK": "Europe/Moscow", "MSD": "Europe/Moscow",
    "WAT": "Africa/Lagos", "CAT": "Africa/Maputo", "SAST": "Africa/Johannesburg",
    "EAT": "Africa/Nairobi", "IST": "Asia/Kolkata", "SGT": "Asia/Singapore",
    "HKT": "Asia/Hong_Kong", "JST": "Asia/Tokyo", "KST": "Asia/Seoul",
    "AWST": "Australia/Perth", "ACST": "Australia/Adelaide", "ACDT": "Australia/Adelaide",
    "AEST": "Australia/Sydney", "AEDT": "Australia/Sydney", "NZST": "Pacific/Auckland",
    "NZDT": "Pacific/Auckland",
  ]

  /// The zone that was probably meant by a name with different case, without its region, or with a spelling mistake.
  private static func near(_ text: String) -> String? {
    let names = TimeZones.names
    let plain = plain(text)
    if let same = names.first(where: { WireTime.plain($0) == plain }) { return same }
    let towns = names.filter { $0.contains("/") }
    if let town = towns.first(where: {
      WireTime.plain($0.split(separator: "/").last ?? "") == plain
    }) {
      return town
    }
    return Suggestion.closest(to: text, among: names)
  }

  /// The letters, digits and slashes of a name in lower case, so that `new york` and `New_York` are equal.
  private static func plain(_ name: some StringProtocol) -> String {
    name.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "/" }
  }
}
