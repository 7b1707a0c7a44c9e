internal import CivilTime
package import Expressions
package import Pricing

/// Derives device attributes that a user record lacks, as the SDKs derive them from the clock, the time zone or other
/// attributes.
///
/// The time zone of a record is `device.timezone`, the name of an IANA zone. Without a name, the zone is
/// `device.timezoneOffset` in seconds, or else the zone of the clock. Rule sets that read no derived attribute have no
/// derivation.
package struct DeviceDerivation {
  // SAFETY: `fill` gets a cell for each slot of the program that the steps were made for, `stride`
  // apart. Strings are copied into the caller's arena. Tests: DeviceClockTests,
  // BatchDifferentialTests, asan.

  /// An attribute and the slots of its sources, in order of precedence.
  private struct Step {
    var attribute: DeviceAttribute
    var slot: Int
    var isPresenceOnly: Bool
    var sources: [Int]
  }

  /// The name of the zone of a record. No SDK has this attribute.
  package static let zonePath = AttributePath(["device", "timezone"])
  private static let offsetPath = path(.timezoneOffset)
  private static let installPaths = [
    path(.appInstallDate), AttributePath(["user", "applicationInstalledAt"]),
  ]
  /// Some time zones have been more than 15 hours from UTC.
  private static let largestOffset: Int64 = 86_400
  private static let mostKnown = 64

  /// The clock and zone for which the attributes are derived.
  package var clock: HistoryClock {
    didSet { if clock.now != oldValue.now || clock.zone != oldValue.zone { forget() } }
  }
  private let steps: [Step]
  private let platform: Platform?
  private var utc: ClockText?
  // Caches for values that many records share.
  private var offsets: [(name: [UInt8], offset: Int32?)] = []
  private var local: [(offset: Int32, text: ClockText)] = []
  private var known: [[(source: Cell, result: Cell)]]

  private static func path(_ attribute: DeviceAttribute) -> AttributePath {
    AttributePath(["device", attribute.rawValue])
  }

  /// The sources of an attribute besides the clock; nil for an attribute that is not derived.
  package static func sources(of attribute: DeviceAttribute) -> [AttributePath]? {
    switch attribute {
    case .utcDate, .utcTime, .utcDateTime: []
    case .localDate, .localTime, .localDateTime: [zonePath, offsetPath]
    case .timezoneOffset: [zonePath]
    case .minutesSinceInstall: installPaths
    case .daysSinceInstall: [path(.minutesSinceInstall)] + installPaths
    case .daysSinceLastPaywallView: [path(.minutesSinceLastPaywallView)]
    case .appVersionPadded: [path(.appVersion)]
    case .sdkVersionPadded: [path(.sdkVersion)]
    case .appBuildStringNumber: [path(.appBuildString)]
    case .deviceLanguageCode, .regionCode: [path(.deviceLocale)]
    case .preferredLanguageCode, .preferredRegionCode: [path(.preferredLocale)]
    default: nil
    }
  }

  /// All attributes that can be derived, each after its sources.
  package static let attributes: [DeviceAttribute] = {
    let first: [DeviceAttribute] = [.timezoneOffset, .minutesSinceInstall]
    return first
      + DeviceAttribute.allCases.filter { !first.contains($0) && sources(of: $0) != nil }
  }()

  /// The attributes that are derived from another attribute.
  private static func followers(of names: [String]) -> [DeviceAttribute] {
    attributes.filter { sources(of: $0)?.contains(AttributePath(names)) ?? false }
  }

  private init(
    _ attributes: [DeviceAttribute], on platform: Platform?, at clock: HistoryClock,
    slot: (AttributePath) -> (number: Int, isPresenceOnly: Bool)?
  ) {
    self.clock = clock
    self.platform = platform
    steps = attributes.compactMap { attribute in
      guard let own = slot(Self.path(attribute)) else { return nil }
      let sources = Self.sources(of: attribute) ?? []
      return Step(
        attribute: attribute, slot: own.number, isPresenceOnly: own.isPresenceOnly,
        sources: sources.compactMap { slot($0)?.number })
    }
    known = Array(repeating: [], count: steps.count)
  }

  /// - Returns: nil if the rules read no derived attribute.
  package init?(_ ruleSet: RuleSet, at clock: HistoryClock) {
    let read = ruleSet.storage.derived
    guard !read.isEmpty else { return nil }
    let slots = ruleSet.program.storage.graph.slots
    self.init(read, on: ruleSet.language.platform, at: clock) { path in
      ruleSet.program.slot(of: path).map { ($0, slots.slots[$0].isPresenceOnly) }
    }
  }

  private mutating func forget() {
    utc = nil
    offsets = []
    local = []
    known = Array(repeating: [], count: steps.count)
  }

  // MARK: Filling

  /// Fills in the attributes that a frame lacks.
  package mutating func fill(_ frame: inout Frame) {
    fill(cells: frame.slots, in: &frame.arena)
  }

  /// Fills in the attributes that rows of columns lack.
  package mutating func fill(rows: Range<Int>, of columns: inout ColumnFrame) {
    for number in steps.indices {
      for row in rows {
        fill(
          number, columns.cells + row, stride: ColumnFrame.stride, pointing: columns.pointing,
          in: &columns.arena)
      }
    }
  }

  private mutating func fill(cells: UnsafeMutablePointer<Cell>, in arena: inout Arena) {
    for number in steps.indices { fill(number, cells, stride: 1, pointing: nil, in: &arena) }
  }

  private mutating func fill(
    _ number: Int, _ cells: UnsafeMutablePointer<Cell>, stride: Int,
    pointing: UnsafeMutablePointer<UInt8>?, in arena: inout Arena
  ) {
    let place = cells + steps[number].slot &* stride
    if place.pointee.isValue { return }
    let cell = cell(number, cells, stride, &arena)
    guard cell.isValue else { return }
    place.pointee = steps[number].isPresenceOnly ? .true : cell
    if place.pointee.pointsOutside { pointing?[steps[number].slot] = 1 }
  }

  /// The value of an attribute; ``Cell/missing`` if it is unknown.
  private mutating func cell(
    _ number: Int, _ cells: UnsafeMutablePointer<Cell>, _ stride: Int, _ arena: inout Arena
  ) -> Cell {
    let step = steps[number]
    switch step.attribute {
    case .utcDate: return Self.text(utcText.date, &arena)
    case .utcTime: return Self.text(utcText.time, &arena)
    case .utcDateTime: return Self.text(utcText.utcDateTime(on: platform), &arena)
    case .localDate, .localTime, .localDateTime, .timezoneOffset:
      let offset = offset(step, cells, stride)
      if step.attribute == .timezoneOffset { return Cell(Int64(offset)) }
      let text = localText(offset)
      switch step.attribute {
      case .localDate: return Self.text(text.date, &arena)
      case .localTime: return Self.text(text.time, &arena)
      default: return Self.text(text.dateTime, &arena)
      }
    default: break
    }
    for source in step.sources {
      let place = UnsafePointer(cells + source &* stride)
      guard place.pointee.isValue else { continue }
      if place.pointee.isShortText,
        let known = known[number].first(where: { $0.source == place.pointee })
      {
        return known.result
      }
      let result = Self.cell(step.attribute, from: place, clock.now, platform, &arena)
      guard result.isValue else { continue }
      if place.pointee.isShortText, !result.pointsOutside {
        if known[number].count == Self.mostKnown { known[number].removeAll(keepingCapacity: true) }
        known[number].append((place.pointee, result))
      }
      return result
    }
    return .missing
  }

  /// The value that is derived from a single source and the time.
  private static func cell(
    _ attribute: DeviceAttribute, from source: UnsafePointer<Cell>, _ now: Instant,
    _ platform: Platform?, _ arena: inout Arena
  ) -> Cell {
    if attribute == .daysSinceLastPaywallView || attribute == .daysSinceInstall,
      let minutes = number(source.pointee)
    {
      return minutes < 0 ? .missing : Cell(minutes / 1_440)
    }
    guard source.pointee.isText else { return .missing }
    let string = source.pointee.text
    switch attribute {
    case .daysSinceInstall, .minutesSinceInstall:
      guard let installed = try? WireTime.instant(string) else { return .missing }
      let minutes = max(0, (now - installed) / 60_000)
      return Cell(attribute == .minutesSinceInstall ? minutes : minutes / 1_440)
    case .appVersionPadded, .sdkVersionPadded:
      return text(PaddedVersion.text(string, width: platform == .web ? 4 : 3), &arena)
    case .appBuildStringNumber: return Int64(string).map { Cell($0) } ?? .missing
    case .deviceLanguageCode, .preferredLanguageCode:
      return text(LocaleParts.language(string), &arena)
    case .regionCode, .preferredRegionCode:
      return text(LocaleParts.region(string) ?? "", &arena)
    default: return .missing
    }
  }

  private static func text(_ string: String, _ arena: inout Arena) -> Cell {
    var string = string
    return string.withUTF8 { arena.text(copying: $0) } ?? .missing
  }

  /// A whole number, in any notation.
  private static func number(_ cell: Cell) -> Int64? {
    switch cell.tag {
    case Tag.int: cell.intValue
    // The SDK for Android passes a signed long as the unsigned number with the same bits.
    case Tag.uint: Int64(bitPattern: cell.uintValue)
    case Tag.double: Int64(exactly: cell.doubleValue)
    default: cell.isText ? Int64(cell.text) : nil
    }
  }

  // MARK: Clock

  private var utcText: ClockText {
    mutating get {
      if let utc { return utc }
      let made = ClockText(clock.now)
      utc = made
      return made
    }
  }

  private mutating func localText(_ offset: Int32) -> ClockText {
    if let found = local.first(where: { $0.offset == offset }) { return found.text }
    let made = ClockText(clock.now, offset: offset)
    if local.count == Self.mostKnown { local.removeAll(keepingCapacity: true) }
    local.append((offset, made))
    return made
  }

  /// The offset of the record's clock from UTC.
  private mutating func offset(
    _ step: Step, _ cells: UnsafeMutablePointer<Cell>, _ stride: Int
  ) -> Int32 {
    for source in step.sources {
      let place = UnsafePointer(cells + source &* stride)
      guard place.pointee.isValue else { continue }
      if place.pointee.isText, let offset = offset(ofZone: place.textBytes) { return offset }
      if let seconds = Self.number(place.pointee),
        -Self.largestOffset...Self.largestOffset ~= seconds
      {
        return Int32(seconds)
      }
    }
    return clock.zone.offset(atUTC: clock.now.seconds)
  }

  private mutating func offset(ofZone name: ByteView) -> Int32? {
    if let found = offsets.first(where: { $0.name.elementsEqual(name) }) { return found.offset }
    let offset = TimeZones.zone(named: name)?.offset(atUTC: clock.now.seconds)
    if offsets.count == Self.mostKnown { offsets.removeAll(keepingCapacity: true) }
    offsets.append((Array(name), offset))
    return offset
  }
}

// MARK: Records as values

extension DeviceDerivation {
  /// Removes the attributes that were derived from the old value of an attribute.
  ///
  /// - Parameter isKept: returns whether a derived attribute should stay.
  package static func withoutFollowers(
    of names: [String], in record: Value, keeping isKept: ([String]) -> Bool = { _ in false }
  ) -> Value {
    var record = record
    var gone = followers(of: names).map { path($0).names }
    // A zone's name takes precedence over its offset.
    if names == offsetPath.names { gone.append(zonePath.names) }
    for path in gone where !isKept(path) && record.value(at: path) != nil {
      record = record.setting(path[...], to: nil)
    }
    return record
  }

  /// A record completed by the values of attributes that it lacks.
  ///
  /// - Parameter attributes: the attributes to add.
  package static func complete(
    _ record: Value, _ attributes: [DeviceAttribute], on platform: Platform?,
    at clock: HistoryClock
  ) -> Value {
    var paths: [AttributePath] = []
    func number(_ path: AttributePath) -> Int {
      if let known = paths.firstIndex(of: path) { return known }
      paths.append(path)
      return paths.count - 1
    }
    let wanted = Self.attributes.filter { attributes.contains($0) }
    var derivation = DeviceDerivation(wanted, on: platform, at: clock) { (number($0), false) }
    var arena = Arena(limit: 1 << 20)
    var cells = paths.map { path in
      record.value(at: path.names).flatMap { $0 == .null ? nil : arena.cell($0) } ?? .missing
    }
    let before = cells
    cells.withUnsafeMutableBufferPointer { cells in
      guard let base = cells.baseAddress else { return }
      derivation.fill(cells: base, in: &arena)
    }
    var record = record
    for (number, path) in paths.enumerated() where !before[number].isValue && cells[number].isValue
    {
      record = record.setting(path.names[...], to: Value(cells[number]))
    }
    return record
  }
}
