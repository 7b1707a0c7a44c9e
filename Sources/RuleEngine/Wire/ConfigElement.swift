package import Expressions

/// A piece of decoded JSON with its path, for decoding that continues after a bad element.
package struct ConfigElement {
  package var value: Value
  package var path: String

  package init(value: Value, path: String) {
    self.value = value
    self.path = path
  }

  /// The member under a key, or nil when it is missing or null.
  package func member(_ key: String) -> ConfigElement? {
    guard let value = value[key], value != .null else { return nil }
    return ConfigElement(value: value, path: memberPath(key))
  }

  package func memberPath(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  package func has(_ key: String) -> Bool { value[key] != nil }

  package var isObject: Bool { value.isObject }

  package var text: String? { value.text }

  var bool: Bool? { value.truth }

  /// The element as a whole number, even if it is written as 2.0.
  var wholeNumber: Int? { value.wholeNumber }

  /// The element as a number, with or without a fraction.
  var number: Double? { value.number }

  /// The type of the element, for messages.
  var kind: String { value.kindInJSON }

  /// The type of a member, which may be null.
  func kind(of key: String) -> String { (value[key] ?? .null).kindInJSON }

  /// The element's type, for a message in which `what` is expected. For a number with a fraction, the number itself.
  func kind(besides what: String) -> String {
    let isFraction = number != nil && what.hasPrefix("a whole number")
    return isFraction ? value.json : kind
  }

  package var keys: [String] {
    guard case .map(let entries) = value else { return [] }
    return entries.compactMap { $0.key.text }
  }

  package var elements: [ConfigElement]? {
    guard let values = value.elements else { return nil }
    return values.enumerated().map { ConfigElement(value: $1, path: "\(path)[\($0)]") }
  }
}

/// A key of an object, and the SDKs that require it.
package struct ConfigKey {
  package var name: String
  package var requiredBy: [Diagnostic.PeerEffect.Peer]
  /// The effect of the missing key in this engine, if any.
  var meaning: String?
  /// The effect on outcomes if the key is misspelt.
  var misspelt: String?

  package init(
    _ name: String, requiredBy peers: [Diagnostic.PeerEffect.Peer] = [],
    absent meaning: String? = nil, misspelt: String? = nil
  ) {
    self.name = name
    requiredBy = peers
    self.meaning = meaning
    self.misspelt = misspelt
  }
}

/// Collects diagnostics while decoding.
package struct DecodingLog {
  private var found: [Diagnostic] = []
  private var absences = AbsentKeys()
  /// All diagnostics so far.
  package var diagnostics: [Diagnostic] { found + absences.diagnostics }
  /// Other readers of the format, which reject a config that lacks a required key.
  let strictPeers: [Diagnostic.PeerEffect.Peer]

  /// Keys of values that affect decisions.
  private let deciding: Set<String>
  /// The paths of values that are not read as written, so that decisions differ from the config.
  private(set) var misread: Set<String> = []

  package init(strictPeers: [Diagnostic.PeerEffect.Peer], deciding: Set<String> = []) {
    self.strictPeers = strictPeers
    self.deciding = deciding
  }

  /// Records that a value is not read as written, if that affects outcomes.
  mutating func noteMisread(_ key: String, of element: ConfigElement) {
    if deciding.contains(key) { misread.insert(element.memberPath(key)) }
  }

  /// The effect of a missing or mistyped element on readers that require the element.
  var rejected: [Diagnostic.PeerEffect] {
    [Diagnostic.PeerEffect(strictPeers, .rejectsConfig)]
  }

  /// Reports a diagnostic. An element that makes a shipped SDK reject the whole config is an error, even if this engine
  /// can use the element.
  package mutating func report(
    _ code: Diagnostic.Code = .decodeFailure, _ message: String,
    severity: Diagnostic.Severity = .error, at path: String,
    related: [Diagnostic.Related] = [], notes: [String] = [], suggestion: String? = nil,
    peers: [Diagnostic.PeerEffect] = []
  ) {
    let peers = peers.filter { !$0.peers.isEmpty }
    let isRejected =
      severity != .error && peers.contains { $0.consequence == .rejectsConfig }
    found.append(
      Diagnostic(
        isRejected ? .wouldReject : code, message, severity: isRejected ? .error : severity,
        path: path, related: related, notes: notes, suggestion: suggestion, peers: peers))
  }

  /// Reports a missing key that SDKs require but this engine does not need.
  ///
  /// - Parameter meaning: the effect of the missing key, if it affects decisions. The key is then reported separately.
  mutating func absent(
    _ key: String, of element: ConfigElement, requiredBy peers: [Diagnostic.PeerEffect.Peer],
    meaning: String? = nil
  ) {
    guard !peers.isEmpty else { return }
    absences.add(AbsentKeys.Key(name: key, path: element.path, peers: peers, meaning: meaning))
  }

  /// Notes the missing keys that other readers need, and reports unknown keys as ignored, with
  /// suggestions.
  ///
  /// - Parameter reported: keys whose absence is reported elsewhere, with its effect in this engine.
  package mutating func checkKeys(
    of element: ConfigElement, _ keys: [ConfigKey], reported: [String] = []
  ) {
    for key in keys where element.member(key.name) == nil && !reported.contains(key.name) {
      tellAbsence(key, element)
    }
    let known = keys.map { $0.name }
    // Finding a member visits all members, and an object may have a million.
    let missing = keys.filter { element.member($0.name) == nil }
    for key in element.keys where !known.contains(key) {
      let close =
        Suggestion.closest(to: key, among: known)
        ?? beginning(key, among: missing.map { $0.name })
      let meant = missing.first { $0.name == close }?.misspelt
      if meant != nil { misread.insert(element.memberPath(key)) }
      report(
        .unknownKey,
        "'\(key)' is not a key of this object and is ignored" + (meant.map { ": \($0)" } ?? ""),
        severity: close == nil ? .note : .warning,
        at: element.memberPath(key),
        suggestion: close.map { "did you mean '\($0)'?" })
    }
  }

  /// The only name that begins with the singular of a key, such as `trigger_options` for `triggers`.
  private func beginning(_ key: String, among names: [String]) -> String? {
    let word = key.hasSuffix("s") ? String(key.dropLast()) : key
    let found = names.filter { $0.hasPrefix(word + "_") }
    return word.count > 3 && found.count == 1 ? found[0] : nil
  }

  /// Reports a missing or null key that SDKs require but this engine does not need.
  private mutating func tellAbsence(_ key: ConfigKey, _ element: ConfigElement) {
    guard element.has(key.name), !key.requiredBy.isEmpty else {
      return absent(
        key.name, of: element, requiredBy: key.requiredBy, meaning: key.meaning)
    }
    report(
      .wouldReject, "'\(key.name)' must not be null" + (key.meaning.map { "; \($0)" } ?? ""),
      at: element.memberPath(key.name),
      peers: [Diagnostic.PeerEffect(key.requiredBy, .rejectsConfig)])
  }

  /// Drops the missing keys of an element that is unreadable as a whole, which is already reported.
  mutating func forgetAbsences(of element: ConfigElement) {
    absences.remove(at: element.path)
  }

  // MARK: Members that are needed

  /// The string under a key that the element requires.
  mutating func text(_ key: String, of element: ConfigElement) -> String? {
    if let text = element.member(key)?.text { return text }
    missing(key, "a string", element)
    return nil
  }

  mutating func missing(
    _ key: String, _ what: String, _ element: ConfigElement,
    severity: Diagnostic.Severity = .error, peers: [Diagnostic.PeerEffect]? = nil
  ) {
    let isThere = element.has(key)
    let found = element.member(key).map { ", not \($0.kind(besides: what))" } ?? ""
    report(
      .decodeFailure,
      isThere
        ? "'\(key)' must be \(what)\(found)"
        : element.isObject
          ? "'\(key)' is missing; it must be \(what)"
          : "this must be an object with '\(key)', not \(element.kind)",
      severity: severity, at: isThere ? element.memberPath(key) : element.path,
      peers: peers ?? rejected)
  }

  /// Reports an optional key that is missing, or whose value has another type.
  ///
  /// - Parameter meaning: the effect in this engine.
  mutating func missing(
    _ key: String, _ what: String, _ element: ConfigElement, meaning: String?
  ) {
    guard element.has(key) else {
      return absent(key, of: element, requiredBy: strictPeers, meaning: meaning)
    }
    noteMisread(key, of: element)
    report(
      .decodeFailure,
      "'\(key)' must be \(what), not \(element.kind(of: key))"
        + (meaning.map { "; \($0)" } ?? ""),
      severity: .warning, at: element.memberPath(key), peers: rejected)
  }

  /// Reports a percentage that is not a number and therefore counts as 0.
  mutating func badPercentage(_ key: String, of element: ConfigElement) {
    noteMisread(key, of: element)
    // "40" and "40%" show the intended number.
    let written = element.member(key)?.text?.split { " %".contains($0) }.first
    report(
      .decodeFailure, "'\(key)' must be a number, not \(element.kind(of: key)); 0 is used",
      severity: .warning,
      at: element.memberPath(key),
      suggestion: written.flatMap { Double(String($0)) }.map { "write \($0.shortText)" },
      peers: rejected)
  }

  // MARK: Members that have a default

  /// Reports a member of the wrong type, which is replaced by the default.
  private mutating func mistyped(_ key: String, _ what: String, _ element: ConfigElement) {
    noteMisread(key, of: element)
    report(
      .decodeFailure,
      "'\(key)' must be \(what), not \(element.member(key)?.kind(besides: what) ?? "null"); it is ignored",
      severity: .warning,
      at: element.memberPath(key), peers: rejected)
  }

  mutating func optionalText(_ key: String, of element: ConfigElement) -> String? {
    optional(key, of: element, "a string") { $0.text }
  }

  package mutating func optionalBool(_ key: String, of element: ConfigElement) -> Bool? {
    optional(key, of: element, "true or false") { $0.bool }
  }

  mutating func optionalWholeNumber(_ key: String, of element: ConfigElement) -> Int? {
    optional(key, of: element, "a whole number") { $0.wholeNumber }
  }

  package mutating func optionalNumber(_ key: String, of element: ConfigElement) -> Double? {
    optional(key, of: element, "a number") { $0.number }
  }

  /// A member as a value, or nil with a diagnostic if the member is not `what`.
  private mutating func optional<Read>(
    _ key: String, of element: ConfigElement, _ what: String, _ read: (ConfigElement) -> Read?
  ) -> Read? {
    guard let member = element.member(key) else { return nil }
    let value = read(member)
    if value == nil { mistyped(key, what, element) }
    return value
  }

  /// An object under a key, or nil with a diagnostic if the value is not an object.
  package mutating func optionalObject(_ key: String, of element: ConfigElement) -> ConfigElement? {
    optional(key, of: element, "an object") { $0.isObject ? $0 : nil }
  }

  /// The elements of a list, or an empty list with a diagnostic if the value is not a list.
  mutating func list(
    _ key: String, of element: ConfigElement, severity: Diagnostic.Severity = .error
  ) -> [ConfigElement] {
    guard let member = element.member(key) else { return [] }
    if let elements = member.elements { return elements }
    report(
      .decodeFailure, "'\(key)' must be a list, not \(member.kind)", severity: severity,
      at: member.path,
      peers: rejected)
    return []
  }

  /// A list of strings. Other elements are dropped with a diagnostic.
  package mutating func texts(_ key: String, of element: ConfigElement) -> [String] {
    list(key, of: element, severity: .warning).compactMap { element in
      if element.text == nil {
        report(
          .decodeFailure, "this must be a string, not \(element.kind); it is ignored",
          severity: .warning,
          at: element.path, peers: rejected)
      }
      return element.text
    }
  }

  /// Reads a word of an enum. A missing or unknown word is replaced by the default, with a diagnostic.
  mutating func word<Word: RawRepresentable & CaseIterable>(
    _ key: String, of element: ConfigElement, default fallback: Word,
    peers: [Diagnostic.PeerEffect] = []
  ) -> Word where Word.RawValue == String {
    guard let text = optionalText(key, of: element) else { return fallback }
    if let word = Word(rawValue: text) { return word }
    let known = Word.allCases.map { $0.rawValue }
    noteMisread(key, of: element)
    report(
      .decodeFailure, "'\(text)' is not a valid '\(key)'; treated as \(fallback.rawValue)",
      severity: .warning, at: element.memberPath(key),
      suggestion: Suggestion.closest(to: text, among: known).map { "did you mean \($0)?" }
        ?? "write \(known.joined(separator: " or "))", peers: peers)
    return fallback
  }
}
