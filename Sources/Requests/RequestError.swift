package import Expressions
package import RuleEngine

/// An error in a request, for programs and for people.
package struct RequestError: Error, Hashable, Sendable {
  /// The kind of error, for callers that distinguish kinds by number.
  package enum Kind: Sendable {
    /// A request that is not JSON.
    case malformed
    /// A request with an unknown or invalid member.
    case request
    /// A config that is invalid, or cannot be used for this request.
    case config
    /// A request that exceeds a limit.
    case tooLarge
  }

  package var kind: Kind
  /// A stable code in snake_case.
  package var code: String
  package var message: String
  /// Additional members of the error, besides code and message.
  package var details: [Value.Entry]

  package init(
    _ kind: Kind, _ code: String, _ message: String, details: [Value.Entry] = []
  ) {
    self.kind = kind
    self.code = code
    self.message = message
    self.details = details
  }

  /// The error as JSON: `{"code", "message"}` and the details.
  package var value: Value {
    .map(
      [
        .init(key: "code", value: .string(code)), .init(key: "message", value: .string(message)),
      ] + details)
  }
}

extension RequestError {
  package init(_ message: String) { self.init(.request, "bad_request", message) }

  /// The error for an invalid user record.
  package init(_ rejection: UserRecordReader.Rejection) {
    var details: [Value.Entry] = []
    if let offset = rejection.offset {
      details.append(.init(key: "offset", value: .int(Int64(offset))))
    }
    if let hint = rejection.hint { details.append(.init(key: "hint", value: .string(hint))) }
    self.init(.request, "bad_user", rejection.reason, details: details)
  }

  /// The error for invalid JSON.
  package init(_ fault: JSONFault, of what: String) {
    self.init(
      .malformed, "not_json", "\(what) is not JSON: \(fault.message) at byte \(fault.offset)",
      details: [.init(key: "offset", value: .int(Int64(fault.offset)))])
  }

  /// The error for a member with a wrong type or value.
  package static func wrong(_ member: String, _ expected: String) -> RequestError {
    about(member, "'\(member)' must be \(expected)")
  }

  /// The error for a missing member.
  static func missing(_ member: String, _ expected: String) -> RequestError {
    about(member, "'\(member)' is missing; expected \(expected)")
  }

  /// The error for an unknown member.
  package static func unknownMember(_ name: String, among known: [String]) -> RequestError {
    let hint = Suggestion.question(about: name, among: known).map { "; \($0)" } ?? ""
    return RequestError(
      .request, "unknown_member", "'\(name)' is not a member of this request\(hint)",
      details: [.init(key: "path", value: .string(name))])
  }

  /// The error for a member that occurs more than once, because readers disagree about which value
  /// counts.
  package static func repeatedMember(_ name: String) -> RequestError {
    RequestError(
      .request, "repeated_member", "'\(name)' occurs more than once; send it once",
      details: [.init(key: "path", value: .string(name))])
  }

  /// The error for a member with invalid content.
  static func unreadable(_ member: String, _ diagnostics: [Diagnostic]) -> RequestError {
    about(member, "'\(member)' cannot be read: \(diagnostics.first?.message ?? "")")
  }

  static func about(_ member: String, _ message: String) -> RequestError {
    RequestError(
      .request, "bad_request", message, details: [.init(key: "path", value: .string(member))])
  }
}

/// Reads the times in requests.
package enum RequestTime {
  package static func instant(_ value: Value, _ name: String) throws(RequestError) -> Instant {
    guard let text = value.text, let time = try? WireTime.instant(text) else {
      throw .wrong(name, "a time such as \"2026-03-01T12:00:00Z\"")
    }
    return time
  }
}

extension Value {
  /// A member of a request, or nil if it is missing or null.
  package func given(_ name: String) -> Value? {
    self[name].flatMap { $0 == .null ? nil : $0 }
  }

  package func givenText(_ name: String) throws(RequestError) -> String? {
    guard let value = given(name) else { return nil }
    guard let text = value.text else { throw .wrong(name, "a string") }
    return text
  }

  package func givenTruth(_ name: String) throws(RequestError) -> Bool? {
    guard let value = given(name) else { return nil }
    guard let truth = value.truth else { throw .wrong(name, "true or false") }
    return truth
  }

  package func givenTexts(_ name: String) throws(RequestError) -> [String]? {
    guard let value = given(name) else { return nil }
    let texts = value.elements?.compactMap { $0.text }
    guard let texts, texts.count == value.elements?.count else {
      throw .wrong(name, "a list of strings")
    }
    return texts
  }

  package func givenTime(_ name: String) throws(RequestError) -> Instant? {
    guard let value = given(name) else { return nil }
    return try RequestTime.instant(value, name)
  }

  package func givenZone(_ name: String) throws(RequestError) -> String? {
    guard let zone = try givenText(name) else { return nil }
    if let problem = WireTime.zoneProblem(zone) { throw .about(name, problem) }
    return zone
  }

  package func givenLanguage(_ name: String) throws(RequestError) -> RuleLanguage? {
    guard let word = try givenText(name) else { return nil }
    if let language = RuleLanguage(named: word) { return language }
    throw .wrong(name, "ios, android, web or cel")
  }

  /// The SDK that a request selects.
  package func givenSDKVersion() throws(RequestError) -> SDKSelection? {
    guard let value = given("sdkVersion") else { return nil }
    return try SDKSelection(value)
  }

  /// The platform whose newest SDK a request selects.
  package func givenPlatform() throws(RequestError) -> SDKName? {
    guard let word = try givenText("platform") else { return nil }
    return try SDKName(requested: word)
  }

  /// JSON in a request, as a string or as a value.
  package func givenJSON(_ name: String) -> [UInt8]? {
    switch given(name) {
    case nil: nil
    case .string(let text)?: Array(text.utf8)
    case .some(let value): Array(value.json.utf8)
    }
  }

  /// Lines of JSON in a request, as one string or as a list of values.
  package func givenLines(_ name: String, of what: String) throws(RequestError) -> [UInt8]? {
    switch given(name) {
    case nil: return nil
    case .string(let lines)?: return Array(lines.utf8)
    case .list(let records)?:
      var bytes: [UInt8] = []
      for record in records {
        JSONWriter.append(record, to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
      }
      return bytes
    default: throw .wrong(name, "a list of \(what), or a string with one per line")
    }
  }
}

extension RuleLanguage {
  /// The language of a platform's rules, or CEL.
  init?(named word: String) {
    if word == "cel" {
      self = .cel
    } else if let platform = Platform(rawValue: word) {
      self = .superscript(SDKProfile(platform))
    } else {
      return nil
    }
  }
}

extension SDKName {
  /// Reads the member `platform` of a request.
  package init(requested word: String) throws(RequestError) {
    guard let platform = Platform(rawValue: word) else {
      throw .wrong("platform", "ios, android or web")
    }
    self = SDKProfile(platform).sdk
  }
}

extension SDKSelection {
  /// Reads the member `sdkVersion` of a request.
  init(_ value: Value) throws(RequestError) {
    guard let text = value.text else {
      throw .wrong("sdkVersion", "newest, record, or a version such as 4.12.5")
    }
    try self.init(requested: text)
  }

  package init(requested text: String) throws(RequestError) {
    do throws(Fault) {
      self = try SDKSelection(text)
    } catch {
      throw .about("sdkVersion", error.message)
    }
  }
}
