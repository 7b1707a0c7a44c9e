/// A set of types of values, as written in a signature.
package struct TypeSet: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package init(_ type: TypeName) { rawValue = 1 << UInt32(type.rawValue) }

  package static let any = Self(TypeName.allCases.map { Self($0) })
  package static let number = Self([.int, .uint, .double])

  private init(_ types: [TypeName]) { self.init(types.map { Self($0) }) }

  /// The words for types in signatures. Functions that create these types, such as `ip()`, have names in lower case.
  private static let words: [String: TypeSet] = [
    "any": .any, "T": .any, "null": Self(.null), "bool": Self(.bool), "number": .number,
    "int": Self(.int), "uint": Self(.uint), "double": Self(.double), "string": Self(.string),
    "bytes": Self(.bytes), "map": Self(.map), "timestamp": Self(.timestamp),
    "duration": Self(.duration), "type": Self(.type), "IP": Self(.ip), "CIDR": Self(.cidr),
    "version": Self(.version),
  ]

  /// The types of a word such as `string`, `number` or `any`; nil for other words.
  init?(word: String) {
    guard let types = Self.words[word] else { return nil }
    self = types
  }
}

/// One way of calling a function: the types of its operands and of its result.
///
/// A signature is written as `string.charAt(int) -> string`, `size(string|bytes) -> int` or `math.greatest(number, ...)
/// -> number`. `T` is any type, but the same type everywhere in the signature. `x`, `i`, `k` and `v` are variables that
/// the call names. `field` is `a.b`.
package struct FunctionSignature: Hashable, Sendable {
  /// The known facts about an operand or the result.
  package struct Part: Hashable, Sendable {
    package var types: TypeSet
    /// The types of the elements of a list, or all types if they are unknown.
    package var elements: TypeSet
    /// Whether the call names a variable or a field here instead of a value.
    package var isName: Bool

    package init(types: TypeSet, elements: TypeSet = .any, isName: Bool = false) {
      self.types = types
      self.elements = elements
      self.isName = isName
    }
  }

  /// The signature as it is written.
  package let text: String
  /// The name of the function, with its name space.
  package let name: String
  /// Whether the function is called on its first operand.
  package let isMethod: Bool
  /// The operands, the receiver of a method first.
  package let operands: [Part]
  /// Whether the last operand can be repeated.
  package let repeatsLast: Bool
  package let result: Part

  /// Parses a signature. Fails if the string is not a signature.
  package init?(_ text: String) {
    guard let signatures = FunctionSignature.all(in: text), signatures.count == 1 else {
      return nil
    }
    self = signatures[0]
  }

  /// Parses one of several signatures.
  fileprivate init?(_ reader: inout SignatureReader) {
    let start = reader.at
    guard let call = reader.call() else { return nil }
    text = reader.text(from: start)
    name = call.name
    isMethod = call.receiver != nil
    operands = (call.receiver.map { [$0] } ?? []) + call.parameters
    repeatsLast = call.repeatsLast
    result = call.result
  }

  /// The signatures in a row of a table, separated by semicolons, or nil if one is invalid.
  static func all(in text: String) -> [FunctionSignature]? {
    var reader = SignatureReader(text)
    var signatures: [FunctionSignature] = []
    repeat {
      guard let signature = FunctionSignature(&reader) else { return nil }
      signatures.append(signature)
    } while reader.take(";", " ")
    return reader.isAtEnd ? signatures : nil
  }

  /// The possible numbers of operands.
  package var counts: ClosedRange<Int> {
    operands.count...(repeatsLast ? Int(UInt8.max) : operands.count)
  }

  /// The known facts about the operand at a place.
  package func operand(_ place: Int) -> Part? {
    operands.indices.contains(place) ? operands[place] : repeatsLast ? operands.last : nil
  }
}

/// Parses signatures. The first compilation of a process parses all of the tables, so the reader works
/// on bytes.
private struct SignatureReader {
  typealias Part = FunctionSignature.Part

  private let bytes: [UInt8]
  private(set) var at = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  var isAtEnd: Bool { at == bytes.count }

  func text(from start: Int) -> String { String(decoding: bytes[start..<at], as: UTF8.self) }

  mutating func call() -> (
    receiver: Part?, name: String, parameters: [Part], repeatsLast: Bool, result: Part
  )? {
    let start = at
    var receiver = union()
    if receiver == nil || !take(".") {
      // The part before the dot is the beginning of the name, not a receiver.
      receiver = nil
      at = start
    }
    let name = taken { SignatureReader.isLetter($0) || $0 &- 0x30 < 10 || $0 == 0x2E || $0 == 0x5F }
    guard !name.isEmpty, take("(") else { return nil }
    var parameters: [Part] = []
    var repeatsLast = false
    while !take(")") {
      guard parameters.isEmpty || take(",", " "), !repeatsLast else { return nil }
      if !parameters.isEmpty, take(".", ".") {
        guard take(".") else { return nil }
        repeatsLast = true
      } else {
        guard let part = union() else { return nil }
        parameters.append(part)
      }
    }
    guard take(" ", "-"), take(">", " "), let result = union() else { return nil }
    return (receiver, name, parameters, repeatsLast, result)
  }

  /// Parses types such as `string|bytes`, with or without parentheses.
  private mutating func union() -> Part? {
    if take("(") {
      let part = union()
      return take(")") ? part : nil
    }
    guard var part = atom() else { return nil }
    while take("|") {
      guard let next = atom() else { return nil }
      if next.types.contains(TypeSet(.list)) { part.elements = next.elements }
      part.types.formUnion(next.types)
    }
    return part
  }

  private mutating func atom() -> Part? {
    let start = at
    let word = taken(SignatureReader.isLetter)
    switch word {
    case "list":
      guard take("("), let element = union(), take(")") else { break }
      return Part(types: TypeSet(.list), elements: element.types)
    case "optional":
      guard take("("), union() != nil, take(")") else { break }
      return Part(types: TypeSet(.optional))
    case "x", "i", "k", "v", "field": return Part(types: .any, isName: true)
    default:
      if let types = TypeSet(word: word) { return Part(types: types) }
    }
    at = start
    return nil
  }

  // MARK: Bytes

  private mutating func take(_ wanted: Unicode.Scalar) -> Bool {
    guard at < bytes.count, bytes[at] == UInt8(ascii: wanted) else { return false }
    at += 1
    return true
  }

  mutating func take(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Bool {
    guard at + 1 < bytes.count, bytes[at] == UInt8(ascii: first),
      bytes[at + 1] == UInt8(ascii: second)
    else { return false }
    at += 2
    return true
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

  private mutating func taken(_ isPart: (UInt8) -> Bool) -> String {
    let start = at
    while at < bytes.count, isPart(bytes[at]) { at += 1 }
    return text(from: start)
  }
}

extension TypeSet {
  /// The types in words, such as `a string, a list or a map`. Other types than those of JSON are only named if there
  /// are no JSON types.
  package var words: String {
    let json: [(TypeSet, String)] = [
      (Self(.bool), "a bool"), (.number, "a number"), (Self(.string), "a string"),
      (Self(.list), "a list"), (Self(.map), "a map"),
    ]
    let others: [(TypeSet, String)] = [
      (Self(.timestamp), "a timestamp"), (Self(.duration), "a duration"), (Self(.bytes), "bytes"),
      (Self(.optional), "an optional"), (Self(.ip), "an IP address"),
      (Self(.cidr), "an address range"), (Self(.version), "a version"), (Self(.type), "a type"),
      (Self(.null), "null"),
    ]
    func words(_ table: [(TypeSet, String)]) -> [String] {
      table.filter { !isDisjoint(with: $0.0) }.map { $0.1 }
    }
    let names = words(words(json).isEmpty ? others : json)
    guard let last = names.last, names.count > 1 else { return names.first ?? "nothing" }
    return names.dropLast().joined(separator: ", ") + " or " + last
  }
}
