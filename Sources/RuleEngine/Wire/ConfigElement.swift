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

  /// A whole number, also when it is written as 2.0.
  var wholeNumber: Int? {
    switch value {
    case .int(let number): Int(exactly: number)
    case .double(let number): Int(exactly: number)
    default: nil
    }
  }

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

/// Collects what there is to say while decoding.
struct DecodingLog {
  private(set) var diagnostics: [Diagnostic] = []
  /// What the SDKs in the field do with an element that they need and do not find.
  static let fatalForSDKs = "the iOS and Android SDKs reject the whole config because of this"

  mutating func report(
    _ code: Diagnostic.Code = .decodeFailure, _ message: String,
    severity: Diagnostic.Severity = .error, at path: String, notes: [String] = [],
    suggestion: String? = nil
  ) {
    diagnostics.append(
      Diagnostic(
        code, message, severity: severity, path: path, notes: notes, suggestion: suggestion))
  }

  /// The text under a required key; reports when there is none.
  mutating func text(_ key: String, of element: ConfigElement) -> String? {
    if let text = element.member(key)?.text { return text }
    missing(key, "a string", element)
    return nil
  }

  mutating func missing(_ key: String, _ what: String, _ element: ConfigElement) {
    let isThere = element.has(key)
    report(
      isThere ? "'\(key)' must be \(what)" : "'\(key)' is missing; it must be \(what)",
      at: isThere ? element.memberPath(key) : element.path, notes: [DecodingLog.fatalForSDKs])
  }

  private mutating func report(_ message: String, at path: String, notes: [String]) {
    report(.decodeFailure, message, at: path, notes: notes)
  }

  /// Says of keys that nobody reads that they are left alone, and what may have been meant.
  mutating func checkKeys(of element: ConfigElement, known: [String]) {
    for key in element.keys where !known.contains(key) {
      let close = Suggestion.closest(to: key, among: known)
      report(
        .unknownKey, "'\(key)' is not a key of this object and is ignored",
        severity: close == nil ? .note : .warning,
        at: element.memberPath(key),
        suggestion: close.map { "did you mean '\($0)'?" })
    }
  }
}
