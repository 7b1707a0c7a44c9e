internal import Expressions

/// A value of a manifest or a checkpoint, with its path in the file.
struct RecordedValue {
  /// A problem with a recorded value, and its place.
  struct Fault: Error, CustomStringConvertible {
    var description: String

    init(_ path: String, _ reason: String) { description = "\(path): \(reason)" }
  }

  var path: String
  var value: Value

  /// The value under a key; nil if it is missing or null.
  func member(_ key: String) -> RecordedValue? {
    guard let value = value[key], value != .null else { return nil }
    return RecordedValue(path: memberPath(key), value: value)
  }

  private func memberPath(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  func required(_ key: String) throws(Fault) -> RecordedValue {
    guard value.isObject else { throw mismatch("an object") }
    guard let member = member(key) else {
      throw Fault(memberPath(key), value[key] == nil ? "it is missing" : "it must not be null")
    }
    return member
  }

  func text() throws(Fault) -> String {
    guard let text = value.text else { throw mismatch("a string") }
    return text
  }

  func number() throws(Fault) -> Int {
    guard case .int(let number) = value else { throw mismatch("a whole number") }
    return Int(number)
  }

  func truth() throws(Fault) -> Bool {
    guard let truth = value.truth else { throw mismatch("true or false") }
    return truth
  }

  func elements() throws(Fault) -> [RecordedValue] {
    guard let values = value.elements else { throw mismatch("a list") }
    return values.enumerated().map { RecordedValue(path: "\(path)[\($0)]", value: $1) }
  }

  /// A string that must be one of these words.
  ///
  /// - Parameter noun: the kind of the words, for messages.
  func word(_ noun: String, _ words: [String]) throws(Fault) -> String {
    let text = try text()
    guard words.contains(text) else {
      throw fault("there is no \(noun) '\(text)'; write \(listed(words, "or"))")
    }
    return text
  }

  func fault(_ reason: String) -> Fault { Fault(path, DiagnosticText.visible(reason)) }

  func mismatch(_ wanted: String) -> Fault {
    fault("it must be \(wanted), not \(value.kindInJSON)")
  }

  // MARK: Members

  func text(_ key: String) throws(Fault) -> String { try required(key).text() }

  func optionalText(_ key: String) throws(Fault) -> String? { try member(key)?.text() }
}
