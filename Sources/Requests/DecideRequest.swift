package import Expressions
package import RuleEngine

/// The members of a decide request in addition to the user's:
/// `"placements"`, `"explain"`, `"reasons"`, `"texts"`, `"products"`, `"now"`, `"seed"`, `"requestId"`,
/// `"record"`, `"platform"`, `"sdkVersion"`.
package struct DecideRequest: Sendable {
  /// The placements to decide, or nil for all placements of the config.
  package var placements: [String]?
  package var explains = false
  package var givesReasons = false
  package var givesTexts = false
  package var givesProducts = false
  package var now: Instant?
  /// The seed of the draws, which overrides the config's own seed.
  package var seed: String?
  package var requestID: String?
  /// The platform whose newest SDK decides. This member overrides the platform of the config.
  package var platform: SDKName?
  /// The version of the SDK that decides.
  package var sdkVersion: SDKSelection?
  /// Whether a caller that stores effects stores those of this request. Nil means the caller's default.
  package var records: Bool?
  /// The range of `placements` in the body.
  package var placementsRange = 0..<0

  /// Whether `placements` occurs more than once.
  private var repeats = false

  /// Whether the request contains no members except `placements`, so that a batch can contain it.
  package var isPlain: Bool {
    !explains && !givesReasons && !givesTexts && !givesProducts && now == nil && seed == nil
      && requestID == nil && records == nil && !repeats && platform == nil && sdkVersion == nil
  }

  package init() {}

  /// Reads the members of a body that are not part of the user record.
  package init(_ body: ByteView, nesting: Int) throws(RequestError) {
    // SAFETY: The cursor gets the body's count and ends with the call. Values are copies.
    // Tests: LibraryTests, Server's tests.
    guard let base = body.baseAddress else {
      throw RequestError(.malformed, "not_json", "the body is empty; expected a user record")
    }
    var cursor = JSONCursor(base, from: 0, to: body.count)
    var problem: RequestError?
    do throws(JSONFault) {
      guard cursor.peek() == UInt8(ascii: "{") else {
        try cursor.skipValue(nesting: nesting)
        throw cursor.fault(.unexpectedByte, at: 0)
      }
      var found = DecideRequest()
      try cursor.forEachMember(nesting: nesting) { (cursor, key) throws(JSONFault) in
        guard let member = Member(key) else { return try cursor.skipValue(nesting: nesting) }
        try found.take(member, &cursor, nesting, &problem)
      }
      try cursor.expectEnd()
      self = found
    } catch {
      throw RequestError(error, of: "the body")
    }
    if let problem { throw problem }
  }

  /// Reads a body that was read as a user record before, so that its other members are known.
  ///
  /// - Returns: nil if there is an error.
  init?(_ body: ByteView, _ others: OtherMembers, nesting: Int) {
    // SAFETY: Offsets come from reading this very body, and the cursor gets its count.
    // Tests: LibraryTests, Server's tests.
    guard let base = body.baseAddress, !others.areTooMany else { return nil }
    var problem: RequestError?
    for other in others.members {
      guard let member = Member(other.key) else { continue }
      var cursor = JSONCursor(base, from: other.at, to: body.count)
      let isTaken = (try? take(member, &cursor, nesting, &problem)) != nil
      if !isTaken || problem != nil { return nil }
    }
  }

  /// Whether a member belongs to a decide request, and not to a user record.
  static func hasMember(_ key: JSONCursor.RawString) -> Bool { Member(key) != nil }

  package static var memberNames: [String] { Member.allCases.map { $0.rawValue } }

  private enum Member: String, CaseIterable {
    case placements, explain, reasons, texts, products, now, seed, requestId, record, platform
    case sdkVersion

    /// Creates no string, because most keys are those of a user record.
    init?(_ key: JSONCursor.RawString) {
      let candidates: (Member, Member)
      switch key.bytes.count {
      case 3: candidates = (.now, .now)
      case 4: candidates = (.seed, .seed)
      case 5: candidates = (.texts, .texts)
      case 6: candidates = (.record, .record)
      case 7: candidates = (.explain, .reasons)
      case 8: candidates = (.products, .platform)
      case 9: candidates = (.requestId, .requestId)
      case 10: candidates = (.placements, .sdkVersion)
      default: return nil
      }
      if key.hasEscapes { return nil }
      if candidates.0.isCalled(key.bytes) {
        self = candidates.0
      } else if candidates.1.isCalled(key.bytes) {
        self = candidates.1
      } else {
        return nil
      }
    }

    private func isCalled(_ key: ByteView) -> Bool {
      // SAFETY: The view is only compared. Tests: LibraryTests.
      var name = rawValue
      return name.withUTF8 { $0.elementsEqual(key) }
    }
  }

  /// Reads the next value. The first reason why a value is invalid is stored as the problem.
  private mutating func take(
    _ member: Member, _ cursor: inout JSONCursor, _ nesting: Int, _ problem: inout RequestError?
  ) throws(JSONFault) {
    _ = cursor.peek()
    let start = cursor.at
    let value = try cursor.value(nesting: nesting)
    do throws(RequestError) {
      try take(member, value)
    } catch {
      problem = problem ?? error
    }
    if member == .placements {
      repeats = repeats || !placementsRange.isEmpty
      placementsRange = start..<cursor.at
    }
  }

  private mutating func take(_ member: Member, _ value: Value) throws(RequestError) {
    if value == .null { return }
    func wrong(_ expected: String) -> RequestError { .wrong(member.rawValue, expected) }
    func truth() throws(RequestError) -> Bool {
      guard let truth = value.truth else { throw wrong("true or false") }
      return truth
    }
    switch member {
    case .placements:
      let names = value.elements?.compactMap { $0.text }
      guard let names, names.count == value.elements?.count, names.count <= Self.mostPlacements
      else { throw wrong("a list of up to \(Self.mostPlacements) names") }
      placements = names
      if names.count > 1 {
        // As in a batch, a repeated name counts once.
        var seen: Set<[UInt8]> = []
        placements = names.filter { seen.insert(Array($0.utf8)).inserted }
      }
    case .explain: explains = try truth()
    case .reasons: givesReasons = try truth()
    case .texts: givesTexts = try truth()
    case .products: givesProducts = try truth()
    case .record: records = try truth()
    case .now: now = try RequestTime.instant(value, "now")
    case .seed:
      guard let text = value.text else { throw wrong("a string") }
      seed = text
    case .platform:
      guard let word = value.text else { throw wrong("ios, android or web") }
      platform = try SDKName(requested: word)
    case .sdkVersion: sdkVersion = try SDKSelection(value)
    case .requestId:
      // The database ends strings at U+0000.
      guard let text = value.text, !text.isEmpty, text.utf8.count <= 200, !text.utf8.contains(0)
      else { throw wrong("a string of 1 to 200 bytes without U+0000") }
      requestID = text
    }
  }

  private static let mostPlacements = 1_000
}
