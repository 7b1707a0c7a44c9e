internal import Expressions

/// A piece of decoded JSON with its path, for decoding that goes on after a bad element.
struct ConfigElement {
  var value: Value
  var path: String

  /// The member under a key, or nil when it is absent or null.
  func member(_ key: String) -> ConfigElement? {
    guard let value = value[key], value != .null else { return nil }
    return ConfigElement(value: value, path: memberPath(key))
  }

  func memberPath(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  func has(_ key: String) -> Bool { value[key] != nil }

  var isObject: Bool { if case .map = value { true } else { false } }

  var text: String? { if case .string(let text) = value { text } else { nil } }

  var bool: Bool? { if case .bool(let bool) = value { bool } else { nil } }

  /// A whole number, also when it is written as 2.0.
  var wholeNumber: Int? {
    switch value {
    case .int(let number): Int(exactly: number)
    case .double(let number): Int(exactly: number)
    default: nil
    }
  }

  /// A number, whole or not.
  var number: Double? {
    switch value {
    case .int(let number): Double(number)
    case .uint(let number): Double(number)
    case .double(let number): number
    default: nil
    }
  }

  var keys: [String] {
    guard case .map(let entries) = value else { return [] }
    return entries.compactMap { if case .string(let key) = $0.key { key } else { nil } }
  }

  var elements: [ConfigElement]? {
    guard case .list(let values) = value else { return nil }
    return values.enumerated().map { ConfigElement(value: $1, path: "\(path)[\($0)]") }
  }
}

/// A key of an object, and who cannot do without it.
struct ConfigKey {
  var name: String
  var requiredBy: [Diagnostic.PeerEffect.Peer]

  init(_ name: String, requiredBy peers: [Diagnostic.PeerEffect.Peer] = []) {
    self.name = name
    requiredBy = peers
  }
}

/// Collects what there is to say while decoding.
struct DecodingLog {
  private(set) var diagnostics: [Diagnostic] = []
  /// Who reads the format elsewhere; they reject a config in which something is missing.
  let strictPeers: [Diagnostic.PeerEffect.Peer]

  init(strictPeers: [Diagnostic.PeerEffect.Peer]) { self.strictPeers = strictPeers }

  /// What a missing or mistyped element is for those who need it.
  var rejected: [Diagnostic.PeerEffect] {
    [Diagnostic.PeerEffect(strictPeers, .rejectsConfig)]
  }

  mutating func report(
    _ code: Diagnostic.Code = .decodeFailure, _ message: String,
    severity: Diagnostic.Severity = .error, at path: String, notes: [String] = [],
    suggestion: String? = nil, peers: [Diagnostic.PeerEffect] = []
  ) {
    diagnostics.append(
      Diagnostic(
        code, message, severity: severity, path: path, notes: notes, suggestion: suggestion,
        peers: peers))
  }

  /// Says which keys that others need are not there, in one diagnostic, and of keys that nobody
  /// reads that they are left alone, and what may have been meant.
  ///
  /// - Parameter reported: keys whose absence is told elsewhere, with what it means here.
  mutating func checkKeys(
    of element: ConfigElement, _ keys: [ConfigKey], reported: [String] = []
  ) {
    var missing: [[Diagnostic.PeerEffect.Peer]: [String]] = [:]
    for key in keys where !key.requiredBy.isEmpty && element.member(key.name) == nil {
      if !reported.contains(key.name) { missing[key.requiredBy, default: []].append(key.name) }
    }
    for (peers, names) in missing.sorted(by: { $0.value[0] < $1.value[0] }) {
      let list = names.map { "'\($0)'" }.joined(separator: ", ")
      report(
        .decodeFailure, "\(list) \(names.count == 1 ? "is" : "are") missing", severity: .warning,
        at: element.path, peers: [Diagnostic.PeerEffect(peers, .rejectsConfig)])
    }
    let known = keys.map(\.name)
    for key in element.keys where !known.contains(key) {
      let close = Suggestion.closest(to: key, among: known)
      report(
        .unknownKey, "'\(key)' is not a key of this object and is ignored",
        severity: close == nil ? .note : .warning,
        at: element.memberPath(key),
        suggestion: close.map { "did you mean '\($0)'?" })
    }
  }

  // MARK: Members that are needed

  /// The text under a key that the element cannot do without.
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
    report(
      .decodeFailure,
      isThere ? "'\(key)' must be \(what)" : "'\(key)' is missing; it must be \(what)",
      severity: severity, at: isThere ? element.memberPath(key) : element.path,
      peers: peers ?? rejected)
  }

  // MARK: Members that have a default

  /// Says that a member has another type than it must, and that the default counts.
  private mutating func mistyped(_ key: String, _ what: String, _ element: ConfigElement) {
    report(
      .decodeFailure, "'\(key)' must be \(what); it is ignored", severity: .warning,
      at: element.memberPath(key), peers: rejected)
  }

  mutating func optionalText(_ key: String, of element: ConfigElement) -> String? {
    optional(key, of: element, "a string") { $0.text }
  }

  mutating func optionalBool(_ key: String, of element: ConfigElement) -> Bool? {
    optional(key, of: element, "true or false") { $0.bool }
  }

  mutating func optionalWholeNumber(_ key: String, of element: ConfigElement) -> Int? {
    optional(key, of: element, "a whole number") { $0.wholeNumber }
  }

  mutating func optionalNumber(_ key: String, of element: ConfigElement) -> Double? {
    optional(key, of: element, "a number") { $0.number }
  }

  /// What a member reads as, or nil with a diagnostic when it is something else than `what`.
  private mutating func optional<Read>(
    _ key: String, of element: ConfigElement, _ what: String, _ read: (ConfigElement) -> Read?
  ) -> Read? {
    guard let member = element.member(key) else { return nil }
    let value = read(member)
    if value == nil { mistyped(key, what, element) }
    return value
  }

  /// An object under a key, or nil with a diagnostic when something else stands there.
  mutating func optionalObject(_ key: String, of element: ConfigElement) -> ConfigElement? {
    optional(key, of: element, "an object") { $0.isObject ? $0 : nil }
  }

  /// The elements of a list, or none with a diagnostic when something else stands there.
  mutating func list(
    _ key: String, of element: ConfigElement, severity: Diagnostic.Severity = .error
  ) -> [ConfigElement] {
    guard let member = element.member(key) else { return [] }
    if let elements = member.elements { return elements }
    report(
      .decodeFailure, "'\(key)' must be a list", severity: severity, at: member.path,
      peers: rejected)
    return []
  }

  /// A list of texts. Elements that are none are left out, with a diagnostic.
  mutating func texts(_ key: String, of element: ConfigElement) -> [String] {
    list(key, of: element, severity: .warning).compactMap { element in
      if element.text == nil {
        report(
          .decodeFailure, "this must be a string; it is left out", severity: .warning,
          at: element.path, peers: rejected)
      }
      return element.text
    }
  }

  /// One of the words of an enum; another word, and none, is the default, which is told.
  mutating func word<Word: RawRepresentable & CaseIterable>(
    _ key: String, of element: ConfigElement, default fallback: Word,
    peers: [Diagnostic.PeerEffect] = []
  ) -> Word where Word.RawValue == String {
    guard let text = optionalText(key, of: element) else { return fallback }
    if let word = Word(rawValue: text) { return word }
    let known = Word.allCases.map(\.rawValue)
    report(
      .decodeFailure, "'\(text)' is no value of '\(key)'; it counts as \(fallback.rawValue)",
      severity: .warning, at: element.memberPath(key),
      suggestion: Suggestion.closest(to: text, among: known).map { "did you mean \($0)?" }
        ?? "write \(known.joined(separator: " or "))", peers: peers)
    return fallback
  }
}
