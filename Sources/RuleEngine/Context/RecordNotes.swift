package import Expressions

/// Oddities of accepted records, such as unknown keys and invalid statuses. Each oddity is counted once per record.
package struct RecordNotes: Hashable, Sendable {
  /// Keys that are neither members nor roots of the rules, with the number of records that have them.
  package private(set) var unknownKeys: [String: Int] = [:]
  /// Values of `subscriptionStatus` that no SDK sends, with the number of records that have them.
  package private(set) var unknownStatuses: [String: Int] = [:]

  /// Keys that records repeat, with the number of records, and the place of the first record.
  package private(set) var repeatedKeys: [String: Int] = [:]
  package private(set) var repeatedPlaces: [String: String] = [:]

  /// Users that appear again with different content.
  package struct Contradictions: Hashable, Sendable {
    /// The first contradictory user: its ID, and the places of its records.
    package var id: String
    package var first: String
    package var second: String
    /// Records of users that appeared before.
    package var records: Int
    /// Whether some users were not compared.
    package var isPartial: Bool
  }

  package private(set) var contradictions: Contradictions?

  /// Records without the version of their SDK.
  package private(set) var missingVersions = 0
  /// Unreadable versions, and versions newer than all known versions, with the number of records that have them.
  package private(set) var unreadableVersions: [String: Int] = [:]
  package private(set) var newerVersions: [String: Int] = [:]
  /// Platforms that no SDK sends, with the number of records, and the SDK that decides for all of them.
  package private(set) var unknownPlatforms: [String: Int] = [:]
  private var platform: String?
  /// Records whose IDs begin or end with white space, and the first such ID.
  package private(set) var untrimmedIDs = 0
  package private(set) var untrimmedExample: String?

  /// The values of `subscriptionStatus`.
  package static let statuses = ["ACTIVE", "INACTIVE", "UNKNOWN"]
  /// The maximum number of different keys, and of different statuses, that are listed separately.
  static let limit = 256

  package init() {}

  package var isEmpty: Bool {
    unknownKeys.isEmpty && unknownStatuses.isEmpty && repeatedKeys.isEmpty
      && contradictions == nil && untrimmedIDs == 0 && missingVersions == 0
      && unreadableVersions.isEmpty
      && newerVersions.isEmpty && unknownPlatforms.isEmpty
  }

  /// Counts a record whose SDK version is missing, unreadable or unknown.
  package mutating func add(_ problem: SDKSelection.Choice.Problem) {
    switch problem {
    case .missing: missingVersions += 1
    case .unreadable(let text): RecordNotes.add(text, 1, to: &unreadableVersions)
    case .newer(let version): RecordNotes.add(version, 1, to: &newerVersions)
    case .platform(let text, let sdk):
      RecordNotes.add(text, 1, to: &unknownPlatforms)
      platform = sdk.title
    }
  }

  /// Counts a record of a user that appeared before with different content.
  package mutating func note(
    contradicting id: String, at second: String, first: String, isPartial: Bool
  ) {
    var all =
      contradictions
      ?? Contradictions(id: id, first: first, second: second, records: 0, isPartial: false)
    all.records += 1
    all.isPartial = all.isPartial || isPartial
    contradictions = all
  }

  package mutating func add(untrimmedID id: String) {
    untrimmedIDs += 1
    untrimmedExample = untrimmedExample ?? UserMember.short(id)
  }

  package mutating func add(unknownKey key: String, _ records: Int = 1) {
    RecordNotes.add(key, records, to: &unknownKeys)
  }

  package mutating func add(repeatedKey key: String) { RecordNotes.add(key, 1, to: &repeatedKeys) }

  /// Notes the place where a record repeats a key, unless a place is already noted.
  package mutating func note(repeatedKey key: String, at place: String) {
    let key = UserMember.short(key)
    if repeatedKeys[key] != nil, repeatedPlaces[key] == nil { repeatedPlaces[key] = place }
  }

  /// Counts a status if it is invalid.
  package mutating func add(status: Cell) {
    // SAFETY: The view of the local cell stays in the closure, and the status is copied.
    // Tests: UserRecordTests.
    withUnsafePointer(to: status) { place in
      if !RecordNotes.isStatus(place.textBytes) { add(status: place.textBytes) }
    }
  }

  package mutating func add(status: ByteView) {
    RecordNotes.add(String(decoding: status, as: UTF8.self), 1, to: &unknownStatuses)
  }

  private static func add(_ name: String, _ records: Int, to counts: inout [String: Int]) {
    let name = UserMember.short(name)
    if counts.count >= limit, counts[name] == nil { return }
    counts[name, default: 0] += records
  }

  /// Whether a string is a valid status.
  package static func isStatus(_ text: ByteView) -> Bool {
    // SAFETY: The view is only compared, with static strings. Tests: UserRecordTests.
    func isWord(_ word: StaticString) -> Bool {
      text.elementsEqual(
        UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }
    switch text.count {
    case 6: return isWord("ACTIVE")
    case 7: return isWord("UNKNOWN")
    case 8: return isWord("INACTIVE")
    default: return false
    }
  }

  /// Adds the counts of other records.
  package mutating func add(_ other: RecordNotes) {
    unknownKeys.combine(other.unknownKeys, +)
    unknownStatuses.combine(other.unknownStatuses, +)
    repeatedKeys.combine(other.repeatedKeys, +)
    repeatedPlaces.combine(other.repeatedPlaces) { first, _ in first }
    missingVersions += other.missingVersions
    unreadableVersions.combine(other.unreadableVersions, +)
    newerVersions.combine(other.newerVersions, +)
    unknownPlatforms.combine(other.unknownPlatforms, +)
    platform = platform ?? other.platform
    untrimmedIDs += other.untrimmedIDs
    untrimmedExample = untrimmedExample ?? other.untrimmedExample
  }

  /// The counts added since `earlier`.
  package func since(_ earlier: RecordNotes) -> RecordNotes {
    func new(_ counts: [String: Int], _ told: [String: Int]) -> [String: Int] {
      counts.combined(with: told) { $0 - $1 }.filter { $0.value > 0 }
    }
    var notes = RecordNotes()
    notes.unknownKeys = new(unknownKeys, earlier.unknownKeys)
    notes.unknownStatuses = new(unknownStatuses, earlier.unknownStatuses)
    notes.repeatedKeys = new(repeatedKeys, earlier.repeatedKeys)
    notes.untrimmedIDs = untrimmedIDs - earlier.untrimmedIDs
    notes.untrimmedExample = notes.untrimmedIDs > 0 ? untrimmedExample : nil
    return notes
  }
}

// MARK: As JSON

extension RecordNotes {
  package var value: Value {
    func object(_ counts: [String: Int]) -> Value {
      .map(
        counts.sorted { $0.key < $1.key }.map {
          Value.Entry(key: .string($0.key), value: .int(Int64($0.value)))
        })
    }
    func texts(_ texts: [String: String]) -> Value {
      .map(
        texts.sorted { $0.key < $1.key }.map {
          Value.Entry(key: .string($0.key), value: .string($0.value))
        })
    }
    return .members([
      "unknownKeys": object(unknownKeys), "unknownStatuses": object(unknownStatuses),
      "repeatedKeys": repeatedKeys.isEmpty ? nil : object(repeatedKeys),
      "repeatedPlaces": repeatedPlaces.isEmpty ? nil : texts(repeatedPlaces),
      "missingVersions": missingVersions > 0 ? .int(Int64(missingVersions)) : nil,
      "unreadableVersions": unreadableVersions.isEmpty ? nil : object(unreadableVersions),
      "newerVersions": newerVersions.isEmpty ? nil : object(newerVersions),
      "unknownPlatforms": unknownPlatforms.isEmpty ? nil : object(unknownPlatforms),
      "platform": platform.map { .string($0) },
      "untrimmedIDs": untrimmedIDs == 0
        ? nil
        : .object([
          "records": .int(Int64(untrimmedIDs)), "example": .string(untrimmedExample ?? ""),
        ]),
      "contradictions": contradictions.map {
        .object([
          "id": .string($0.id), "first": .string($0.first), "second": .string($0.second),
          "records": .int(Int64($0.records)), "isPartial": .bool($0.isPartial),
        ])
      },
    ])
  }

  /// Reads notes in the form of ``value``. Fails for any other value.
  package init?(_ value: Value) {
    func counts(_ key: String) -> [String: Int]? {
      guard case .map(let entries)? = value[key] else { return nil }
      var counts: [String: Int] = [:]
      for entry in entries {
        guard let name = entry.key.text, case .int(let number) = entry.value else {
          return nil
        }
        counts[name] = Int(number)
      }
      return counts
    }
    guard let keys = counts("unknownKeys"), let statuses = counts("unknownStatuses") else {
      return nil
    }
    unknownKeys = keys
    unknownStatuses = statuses
    if case .int(let missing)? = value["missingVersions"] { missingVersions = Int(missing) }
    unreadableVersions = counts("unreadableVersions") ?? [:]
    newerVersions = counts("newerVersions") ?? [:]
    unknownPlatforms = counts("unknownPlatforms") ?? [:]
    platform = value["platform"]?.text
    if let untrimmed = value["untrimmedIDs"] {
      guard case .int(let records)? = untrimmed["records"] else { return nil }
      untrimmedIDs = Int(records)
      untrimmedExample = untrimmed["example"]?.text
    }
    if let all = value["contradictions"] {
      guard let id = all["id"]?.text, let first = all["first"]?.text,
        let second = all["second"]?.text, case .int(let records)? = all["records"]
      else { return nil }
      contradictions = Contradictions(
        id: id, first: first, second: second, records: Int(records),
        isPartial: all["isPartial"] == true)
    }
    guard value["repeatedKeys"] != nil else { return }
    guard let repeated = counts("repeatedKeys") else { return nil }
    repeatedKeys = repeated
    guard case .map(let places)? = value["repeatedPlaces"] else { return }
    for entry in places {
      if let key = entry.key.text { repeatedPlaces[key] = entry.value.text }
    }
  }
}

// MARK: For people

extension RuleSet {
  /// The findings about records, without duplicates, with suggestions.
  ///
  /// - Parameters:
  ///   - total: the number of users; nil for a single record, whose message has no numbers.
  ///   - shown: the display form of a user's ID.
  package func diagnostics(
    of notes: RecordNotes, users total: Int?, shown: (String) -> String = { $0 }
  ) -> [Diagnostic] {
    func users(_ count: Int) -> String {
      total == nil ? "" : " (\(count) user\(count == 1 ? "" : "s"))"
    }
    let keys = notes.unknownKeys.sorted { $0.key < $1.key }.map { key, count in
      let meant = suggestion(forRecordKey: key)
      // If all users have the key and it resembles a known key, the whole file is affected, so the finding is a
      // warning.
      let isWhole = meant != nil && count == total
      return Diagnostic(
        .unknownKey,
        "'\(DiagnosticText.visible(key))' is not a key of a user record and is ignored"
          + (isWhole && count > 1 ? " (all \(count) users)" : users(count)),
        severity: isWhole ? .warning : .note,
        suggestion: meant.map { "did you mean '\($0)'?" }
          ?? "attributes go into 'user', 'device' or 'params'")
    }
    let statuses = notes.unknownStatuses.sorted { $0.key < $1.key }.map { status, count in
      Diagnostic(
        .unknownStatus,
        "'\(DiagnosticText.visible(status))' is not a subscriptionStatus that SDKs know"
          + users(count), severity: .note,
        suggestion: RecordNotes.statuses.first { $0 == status.uppercased() }
          .map { "did you mean '\($0)'?" } ?? "write ACTIVE, INACTIVE or UNKNOWN")
    }
    let repeated = notes.repeatedKeys.sorted { $0.key < $1.key }.map { key, count in
      let place = notes.repeatedPlaces[key].map { ", first at \($0)" } ?? ""
      return Diagnostic(
        .duplicateID,
        "'\(DiagnosticText.visible(key))' appears twice in a user record"
          + (total == nil ? "" : " (\(count) user\(count == 1 ? "" : "s")\(place))"),
        severity: .warning, suggestion: "the last value is used; remove the others")
    }
    let versions = notes.versionDiagnostics(users: total)
    let contradictions = [notes.contradictions].compactMap { $0 }.map { contradiction($0, shown) }
    return untrimmed(notes, total, shown) + repeated + keys + statuses + versions
      + contradictions
  }

  private func untrimmed(_ notes: RecordNotes, _ total: Int?, _ shown: (String) -> String)
    -> [Diagnostic]
  {
    guard let example = notes.untrimmedExample else { return [] }
    let id = Value.string(shown(example)).json
    let who =
      total == nil
      ? "the user ID \(id) begins or ends with white space"
      : notes.untrimmedIDs == 1
        ? "1 user ID begins or ends with white space: \(id)"
        : "\(notes.untrimmedIDs) user IDs begin or end with white space, such as \(id)"
    let trims = userIDs == .sdk
    return [
      Diagnostic(
        .untrimmedID,
        DiagnosticText.visible(
          trims ? "\(who): it was removed" : "\(who): a run treats it as a different ID"),
        severity: trims ? .note : .warning,
        suggestion: trims
          ? "trim the IDs when you create the file"
          : "the SDKs remove the white space; add --user-ids sdk to do the same")
    ]
  }

  private func contradiction(_ all: RecordNotes.Contradictions, _ shown: (String) -> String)
    -> Diagnostic
  {
    let sample = all.isPartial ? " in a sample of the users" : ""
    let count = all.records > 1 ? " (the first of \(all.records)\(sample))" : ""
    return Diagnostic(
      .contradictingUsers,
      DiagnosticText.visible(
        "user '\(UserMember.short(shown(all.id)))' appears twice with different content, at "
          + "\(all.first) and \(all.second)\(count)"),
      severity: .note, suggestion: "each record was decided; remove the duplicates")
  }

  /// The likely meaning of an unknown key in a user record: an attribute that rules read below a root, an attribute of
  /// devices, or a key with a similar name.
  func suggestion(forRecordKey key: String) -> String? {
    let read = requirements.filter { $0.names.count > 1 }
    var attributes = read.map { (name: $0.names[1], path: "\($0.names[0]).\($0.names[1])") }
    if format == .superwall {
      attributes += DeviceAttribute.allCases.map {
        (name: $0.rawValue, path: "device.\($0.rawValue)")
      }
    }
    func attribute(_ name: String) -> String? { attributes.first { $0.name == name }?.path }
    let roots = UserMember.allCases.map { $0.key } + requirements.map { $0.names[0] }
    return attribute(key) ?? Suggestion.closest(to: key, among: roots)
      ?? Suggestion.closest(to: key, among: attributes.map { $0.name }).flatMap(attribute)
  }
}

extension RecordNotes {
  /// The findings about the versions of SDKs.
  ///
  /// - Parameter total: the number of users; nil for a single record, whose message has no numbers.
  package func versionDiagnostics(users total: Int?) -> [Diagnostic] {
    func users(_ count: Int) -> String {
      total == nil ? "" : " (\(count) user\(count == 1 ? "" : "s"))"
    }
    var diagnostics: [Diagnostic] = []
    func add(_ message: String, _ suggestion: String) {
      diagnostics.append(
        Diagnostic(.unknownVersion, message, severity: .note, suggestion: suggestion))
    }
    for (text, count) in unknownPlatforms.sorted(by: { $0.key < $1.key }) {
      add(
        "'\(DiagnosticText.visible(text))' is not a platform of an SDK; it is treated as "
          + (platform ?? "") + users(count), "write iOS, Android or Web")
    }
    if missingVersions > 0 {
      add(
        "the record has no device.sdkVersion; the newest SDK decides\(users(missingVersions))",
        "add device.sdkVersion")
    }
    for (text, count) in unreadableVersions.sorted(by: { $0.key < $1.key }) {
      add(
        "'\(DiagnosticText.visible(text))' is not an SDK version; the newest SDK decides"
          + users(count), "write a version such as 4.12.5")
    }
    for (version, count) in newerVersions.sorted(by: { $0.key < $1.key }) {
      add(
        "SDK version \(version) is newer than all known versions; the newest known SDK decides"
          + users(count), "update tollgate")
    }
    return diagnostics
  }
}
