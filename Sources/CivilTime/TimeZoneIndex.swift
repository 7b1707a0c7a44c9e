/// The unpacked time zone table. The index is created once, when a named zone is used first.
struct TimeZoneIndex: Sendable {
  // SAFETY: The pointers lead into compiled tables, which live as long as the process. `init`
  // checks the place of each name when it reads the table. Tests: TimeZoneTests.

  /// The data of one zone. The zone's transitions are a range of `instants` and `offsets`.
  private struct Record {
    /// The offset before the first transition.
    var first: Int32
    /// The places of the transitions.
    var transitions: Range<Int>
    /// The rule from the last transition on. Without a rule, the last offset stays.
    var rule: TimeZoneRule?
  }

  /// The place of a name in the text of the table, and its record.
  private struct Name {
    var place: Range<Int>
    var record: Int
  }

  private var records: [Record] = []
  private var sortedNames: [Name] = []
  /// The transitions of all records, in seconds since 1970.
  private var instants: [Int64] = []
  /// The offset after each of the transitions.
  private var offsets: [Int32] = []

  /// The index of the table that is compiled in.
  static let shared = TimeZoneIndex()

  /// Unpacks the table. If a part does not decode, it and all later parts are left out.
  private init() {
    let counts = TimeZoneTable.counts
    records.reserveCapacity(counts.records)
    sortedNames.reserveCapacity(counts.names)
    instants.reserveCapacity(counts.transitions)
    offsets.reserveCapacity(counts.transitions)
    TimeZoneTable.records.withUTF8Buffer { text in
      var reader = TimeZoneReader(text)
      while let record = readRecord(&reader), reader.endLine() { records.append(record) }
    }
    TimeZoneTable.names.withUTF8Buffer { text in
      var reader = TimeZoneReader(text)
      while let place = reader.name(), let record = reader.count(), records.indices ~= record,
        reader.endLine()
      {
        sortedNames.append(Name(place: place, record: record))
      }
    }
  }

  /// Whether the whole table was unpacked.
  var isComplete: Bool {
    let counts = TimeZoneTable.counts
    return records.count == counts.records && sortedNames.count == counts.names
      && instants.count == counts.transitions && offsets.count == counts.transitions
  }

  /// Every name, sorted by its bytes.
  var names: [String] {
    TimeZoneTable.names.withUTF8Buffer { text in
      sortedNames.map { String(decoding: text[$0.place], as: UTF8.self) }
    }
  }

  /// The number of the record with a name.
  func record(named name: UnsafeBufferPointer<UInt8>) -> Int? {
    let text = TimeZoneTable.names.utf8Start
    var low = 0
    var high = sortedNames.count
    while low < high {
      let middle = (low &+ high) / 2
      let place = sortedNames[middle].place
      let candidate = UnsafeBufferPointer(start: text + place.lowerBound, count: place.count)
      let common = min(candidate.count, name.count)
      var same = 0
      while same < common, candidate[same] == name[same] { same &+= 1 }
      if same == candidate.count, same == name.count { return sortedNames[middle].record }
      let isBefore =
        same < common ? candidate[same] < name[same] : candidate.count < name.count
      if isBefore {
        low = middle &+ 1
      } else {
        high = middle
      }
    }
    return nil
  }

  /// The offset of a record whose offset never changes, or nil for other records.
  func constantOffset(ofRecord number: Int) -> Int32? {
    let record = records[number]
    return record.transitions.isEmpty && record.rule == nil ? record.first : nil
  }

  /// The seconds that clocks are ahead of UTC at an instant given in seconds since 1970.
  func offset(inRecord number: Int, atUTC seconds: Int64) -> Int32 {
    let record = records[number]
    var low = record.transitions.lowerBound
    var high = record.transitions.upperBound
    if let rule = record.rule, low == high || instants[high &- 1] <= seconds {
      return rule.offset(atUTC: CivilTime.clamp(seconds))
    }
    // Finds the first transition after the instant. The previous transition determines the offset.
    while low < high {
      let middle = (low &+ high) / 2
      if instants[middle] <= seconds {
        low = middle &+ 1
      } else {
        high = middle
      }
    }
    return low == record.transitions.lowerBound ? record.first : offsets[low &- 1]
  }

  /// Unpacks one record and appends its transitions.
  private mutating func readRecord(_ reader: inout TimeZoneReader) -> Record? {
    guard let first = reader.seconds(), let offsetCount = reader.count() else { return nil }
    var distinct: [Int32] = []
    while distinct.count < offsetCount {
      guard let offset = reader.seconds() else { return nil }
      distinct.append(offset)
    }
    guard let transitionCount = reader.count() else { return nil }
    let start = instants.count
    var instant: Int64 = 0
    while instants.count - start < transitionCount {
      guard let head = reader.count(), let distance = reader.count(),
        distinct.indices ~= head / 2
      else { return nil }
      instant += Int64(distance) * (head % 2 == 1 ? 1 : 900)
      instants.append(instant)
      offsets.append(distinct[head / 2])
    }
    var record = Record(first: first, transitions: start..<instants.count)
    switch reader.count() {
    case 0: return record
    case 1: record.rule = reader.rule()
    default: return nil
    }
    return record.rule == nil ? nil : record
  }
}

/// Reads the text of the table, in the format that Tools/make_timezones.py describes. Invalid input returns nil, and does
/// not trap.
private struct TimeZoneReader {
  // SAFETY: `text` is a compiled table, which lives as long as the process. Every index is compared
  // with the count. Tests: TimeZoneTests.

  private let text: UnsafeBufferPointer<UInt8>
  private var position = 0

  init(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
  }

  /// Reads an unsigned number below 2^40.
  mutating func count() -> Int? {
    var number = 0
    var shift = 0
    while position < text.count, shift < 40 {
      let digit = text[position] &- UInt8(ascii: "0")
      guard digit < 64 else { return nil }
      position += 1
      number |= Int(digit & 31) << shift
      if digit < 32 { return number }
      shift += 5
    }
    return nil
  }

  /// Reads a signed number of seconds, less than two weeks.
  mutating func seconds() -> Int32? {
    guard let number = count(), number < 1 << 21 else { return nil }
    let half = Int32(number / 2)
    return number % 2 == 1 ? -half - 1 : half
  }

  /// Reads a name, which ends before a space, and returns its place.
  mutating func name() -> Range<Int>? {
    let start = position
    while position < text.count, text[position] > UInt8(ascii: " ") { position += 1 }
    guard position > start, position < text.count, text[position] == UInt8(ascii: " ") else {
      return nil
    }
    position += 1
    return start..<position - 1
  }

  /// Skips the end of a line, or of the text.
  mutating func endLine() -> Bool {
    guard position < text.count else { return true }
    guard text[position] == UInt8(ascii: "\n") else { return false }
    position += 1
    return true
  }

  /// Reads a rule for daylight time.
  mutating func rule() -> TimeZoneRule? {
    guard let standard = seconds(), let daylight = seconds(), let start = change(),
      let end = change()
    else { return nil }
    return TimeZoneRule(standard: standard, daylight: daylight, start: start, end: end)
  }

  /// Reads a day and time of the year.
  private mutating func change() -> TimeZoneRule.Change? {
    guard let month = count(), let week = count(), let weekday = count(), let clock = seconds(),
      1...12 ~= month, 1...5 ~= week, 0...6 ~= weekday
    else { return nil }
    return TimeZoneRule.Change(month: month, week: week, weekday: weekday, clock: clock)
  }
}
