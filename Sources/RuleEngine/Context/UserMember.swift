package import Expressions

/// The members of a user record: their names, and the type of each value.
///
/// All code that reads records follows this table: the record reader, the shapes that a batch learns, and the header of
/// a CSV file. `corpus/schemas/user.schema.json` matches it.
@usableFromInline package enum UserMember: CaseIterable, Sendable {
  case userID, status, entitlements, assignments, occurrences, events, sessionStart
  case user, device, params

  /// The index of the member among all members, for tables. The numbers are written out, because a raw value is not
  /// inlined in other modules.
  @inlinable package var number: Int {
    switch self {
    case .userID: 0
    case .status: 1
    case .entitlements: 2
    case .assignments: 3
    case .occurrences: 4
    case .events: 5
    case .sessionStart: 6
    case .user: 7
    case .device: 8
    case .params: 9
    }
  }

  /// The type of a member's value. A value of another type makes the record invalid, whether or not
  /// rules read the member. `null` counts as missing.
  package enum Kind: Sendable {
    case text
    /// An object: a root of expressions.
    case attributes
    /// A list of strings.
    case texts
    /// A list of objects with `experimentId` and `variantId`.
    case assignments
    /// An object of lists of times.
    case times
    /// An ISO 8601 time with a zone.
    case time
  }

  package var kind: Kind {
    switch self {
    case .userID, .status: .text
    case .user, .device, .params: .attributes
    case .entitlements: .texts
    case .assignments: .assignments
    case .occurrences, .events: .times
    case .sessionStart: .time
    }
  }

  package var key: String { "\(name)" }

  /// An attribute that takes its value from a record's member if the root lacks the attribute.
  package typealias Attribute = (member: UserMember, root: UserMember, name: String)

  /// The attributes that take their values from members. AgentWallie's users have an `id` attribute.
  package static func attributes(hasUserID: Bool) -> [Attribute] {
    let device: [Attribute] = [
      (.status, .device, DeviceAttribute.subscriptionStatus.rawValue),
      (.entitlements, .device, DeviceAttribute.activeEntitlements.rawValue),
    ]
    return hasUserID ? device + [(.userID, .user, "id")] : device
  }

  /// Whether an unknown key probably means `userId`.
  package static func meansID(_ key: String) -> Bool {
    let word = key.lowercased().filter { $0 != "_" && $0 != "-" && $0 != " " }
    let known = ["id", "uid", "userid", "customerid", "accountid", "appuserid", "distinctid"]
    return known.contains(word) || Suggestion.closest(to: key, among: [userID.key]) != nil
  }

  private var name: StaticString {
    switch self {
    case .userID: "userId"
    case .user: "user"
    case .device: "device"
    case .params: "params"
    case .status: "subscriptionStatus"
    case .entitlements: "entitlements"
    case .assignments: "assignments"
    case .occurrences: "occurrences"
    case .events: "events"
    case .sessionStart: "sessionStart"
    }
  }

  /// The member with a key; nil for an unknown key.
  package init?(key: ByteView) {
    // SAFETY: The count is compared before a byte is read. Tests: UserRecordTests, UserSearchTests.
    let candidates: (UserMember, UserMember)
    switch key.count {
    case 4: candidates = (.user, .user)
    case 6:
      switch key[0] {
      case UInt8(ascii: "u"): candidates = (.userID, .userID)
      case UInt8(ascii: "d"): candidates = (.device, .device)
      default: candidates = (.params, .events)
      }
    case 11: candidates = (.assignments, .occurrences)
    case 12: candidates = (.entitlements, .sessionStart)
    case 18: candidates = (.status, .status)
    default: return nil
    }
    if candidates.0.isCalled(key) {
      self = candidates.0
    } else if candidates.1.isCalled(key) {
      self = candidates.1
    } else {
      return nil
    }
  }

  private func isCalled(_ key: ByteView) -> Bool {
    // SAFETY: The view is only compared, with a static string. Tests: UserRecordTests.
    key.elementsEqual(
      UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
  }

  /// Whether repeated members of one record are joined.
  var addsUp: Bool { kind == .assignments || kind == .times }

  /// Whether values have members of their own, so that a CSV file may have columns for these members.
  package var hasMembers: Bool { kind == .attributes || kind == .times }
}

// MARK: Passing values

extension UserMember {
  /// Skips the next value.
  ///
  /// - Returns: why the value has the wrong type for the member, or nil if the type is right.
  package func pass(_ cursor: inout JSONCursor, nesting: Int) throws(JSONFault) -> String? {
    if try cursor.takeNull() { return nil }
    switch kind {
    case .text, .attributes:
      let problem = mismatch(cursor) ?? halfCharacter(cursor)
      try cursor.skipValue(nesting: nesting)
      return problem
    case .texts: return try passTexts(&cursor, nesting: nesting) { _ in }
    case .assignments: return try passAssignments(&cursor, nesting: nesting) { _ in }
    case .times: return try passTimes(&cursor, nesting: nesting, name: { _ in }, time: { _ in })
    case .time: return try passTime(&cursor, nesting: nesting) { _ in }
    }
  }

  /// Why the next value has the wrong type for the member, judged by its first byte.
  func mismatch(_ cursor: JSONCursor) -> String? {
    var cursor = cursor
    let first = cursor.peek()
    let (wanted, what): (Unicode.Scalar, String) =
      switch kind {
      case .text: ("\"", "a string")
      case .attributes: ("{", "an object")
      case .texts: ("[", "a list of strings")
      case .assignments: ("[", "a list of objects with 'experimentId' and 'variantId'")
      case .times: ("{", "an object of lists of times")
      case .time: ("\"", "an ISO 8601 time such as \"2026-03-01T12:00:00Z\"")
      }
    if first == UInt8(ascii: wanted) { return nil }
    return "'\(key)' must be \(what), not \(UserMember.kind(of: first))"
  }

  /// Why the next string is not a valid ID, or nil if it is valid or the member is not an ID. A lone surrogate is read
  /// as U+FFFD, so two users could become one.
  func halfCharacter(_ cursor: JSONCursor) -> String? {
    guard self == .userID else { return nil }
    var cursor = cursor
    guard let text = try? cursor.string(), let (escape, _) = text.loneSurrogate else { return nil }
    return
      "'\(key)' has \(escape), which is half of a surrogate pair; write both halves, or use another ID"
  }

  /// Reads a list of strings, and calls the body with each string.
  func passTexts(
    _ cursor: inout JSONCursor, nesting: Int, _ body: (JSONCursor.RawString) -> Void
  ) throws(JSONFault) -> String? {
    if let problem = mismatch(cursor) {
      try cursor.skipValue(nesting: nesting)
      return problem
    }
    var problem: String?
    try cursor.forEachElement(nesting: nesting) { (cursor) throws(JSONFault) in
      let first = cursor.peek()
      if first == UInt8(ascii: "\"") { return body(try cursor.string()) }
      problem =
        problem ?? "'\(key)' must be a list of strings; it contains \(UserMember.kind(of: first))"
      try cursor.skipValue(nesting: nesting - 1)
    }
    return problem
  }

  /// Reads a list of assignments, and calls the body with each assignment.
  func passAssignments(
    _ cursor: inout JSONCursor, nesting: Int, _ body: (Assignment) -> Void
  ) throws(JSONFault) -> String? {
    if let problem = mismatch(cursor) {
      try cursor.skipValue(nesting: nesting)
      return problem
    }
    var isFaulty = false
    try cursor.forEachElement(nesting: nesting) { (cursor) throws(JSONFault) in
      guard cursor.peek() == UInt8(ascii: "{") else {
        isFaulty = true
        return try cursor.skipValue(nesting: nesting - 1)
      }
      let value = try cursor.value(nesting: nesting - 1)
      guard let experiment = value["experimentId"]?.text,
        let variant = value["variantId"]?.text
      else {
        isFaulty = true
        return
      }
      switch value["isSentToServer"] {
      case nil, .null, .bool:
        body(
          Assignment(
            experimentID: experiment, variantID: variant,
            isSentToServer: value["isSentToServer"] != .bool(false)))
      default: isFaulty = true
      }
    }
    return isFaulty
      ? "'\(key)' must be a list of objects with the strings 'experimentId' and 'variantId', and "
        + "true or false as 'isSentToServer'" : nil
  }

  /// Reads an object of lists of times: each name, then its times.
  func passTimes(
    _ cursor: inout JSONCursor, nesting: Int, name body: (JSONCursor.RawString) -> Void,
    time: (Instant) -> Void
  ) throws(JSONFault) -> String? {
    if let problem = mismatch(cursor) {
      try cursor.skipValue(nesting: nesting)
      return problem
    }
    var problem: String?
    try cursor.forEachMember(nesting: nesting) { (cursor, name) throws(JSONFault) in
      body(name)
      func note(_ reason: String) {
        if problem == nil { problem = "\(key).\(UserMember.short(name.text)): \(reason)" }
      }
      let first = cursor.peek()
      guard first == UInt8(ascii: "[") else {
        note("must be a list of times, not \(UserMember.kind(of: first))")
        return try cursor.skipValue(nesting: nesting - 1)
      }
      try cursor.forEachElement(nesting: nesting - 1) { (cursor) throws(JSONFault) in
        let first = cursor.peek()
        guard first == UInt8(ascii: "\"") else {
          note(
            "\(UserMember.kind(of: first)) is not an ISO 8601 time; write \"2026-03-01T12:00:00Z\"")
          return try cursor.skipValue(nesting: nesting - 2)
        }
        let text = try cursor.string()
        do throws(WireTime.Fault) {
          time(try UserMember.instant(text))
        } catch {
          note(error.message(UserMember.short(text.text)))
        }
      }
    }
    return problem
  }

  /// Reads a time.
  func passTime(_ cursor: inout JSONCursor, nesting: Int, _ body: (Instant) -> Void)
    throws(JSONFault) -> String?
  {
    if let problem = mismatch(cursor) {
      try cursor.skipValue(nesting: nesting)
      return problem
    }
    let text = try cursor.string()
    do throws(WireTime.Fault) {
      body(try UserMember.instant(text))
      return nil
    } catch {
      return "\(key): \(error.message(UserMember.short(text.text)))"
    }
  }

  private static func instant(_ text: JSONCursor.RawString) throws(WireTime.Fault) -> Instant {
    text.hasEscapes ? try WireTime.instant(text.text) : try WireTime.instant(text.bytes)
  }

  /// The type of a value, by its first byte.
  private static func kind(of first: UInt8) -> String {
    switch first {
    case UInt8(ascii: "\""): "a string"
    case UInt8(ascii: "{"): "an object"
    case UInt8(ascii: "["): "a list"
    case UInt8(ascii: "t"), UInt8(ascii: "f"): "a bool"
    case UInt8(ascii: "n"): "null"
    default: "a number"
    }
  }

  /// A string of a record, shortened for a message.
  package static func short(_ text: String) -> String {
    // A single character can have any length.
    text.utf8.count > 60 ? String(text.unicodeScalars.prefix(60)) + "..." : text
  }
}
