internal import Expressions

/// The reason why an Arrow table cannot be used, and the column with the problem.
package struct ArrowError: Error, Hashable, Sendable {
  /// The name of the column, with the structs around it from the outside in; empty for the table itself.
  package var column: String
  package var reason: String
  /// The row of the batch or of the stream, from 0, if the problem is in a single row.
  package var row: Int?
  /// Whether a value is unreadable although the array is valid. Only the row with the unreadable value has no outcome.
  package var isOfValue: Bool

  package init(_ column: String, _ reason: String, row: Int? = nil, isOfValue: Bool = false) {
    self.column = column
    self.reason = reason
    self.row = row
    self.isOfValue = isOfValue
  }

  /// The problem, in words.
  package var message: String {
    place + (row.map { ", row \($0)" } ?? "") + ": " + reason
  }

  /// The problem in words, for a message that already names the row.
  package var messageOfRow: String { "\(place): \(reason)" }

  private var place: String { column.isEmpty ? "the table" : "column '\(column)'" }
}

/// The Arrow types that correspond to values of the engine.
package enum ArrowType: Hashable, Sendable {
  /// Every value is NULL.
  case null
  case bool
  case integer(ArrowInteger)
  /// Floating point numbers of two, four and eight bytes.
  case half, float, double
  /// UTF-8 strings: with offsets of four bytes, with offsets of eight bytes, and as views.
  case text, largeText, textView
  /// A point in time, with this many units in a second.
  case timestamp(unitsPerSecond: Int64)
  case list, largeList
  /// Fixed-size lists.
  case fixedList(Int)
  case structure
  case map
  /// A type that has no value in the engine: its name, and advice on what to use instead.
  case other(name: String, hint: String)

  /// Reads a format string of the C data interface.
  package init(format: String) {
    let bytes = Array(format.utf8)
    if let plain = ArrowType.plain[format] {
      self = plain
    } else if format.hasPrefix("ts"), bytes.count >= 4, bytes[3] == UInt8(ascii: ":") {
      self = ArrowType.timestamp(bytes)
    } else if format.hasPrefix("+w:"), let length = Int32(format.dropFirst(3)), length >= 0 {
      self = .fixedList(Int(length))
    } else {
      self = ArrowType.unusable(format)
    }
  }

  private static let plain: [String: ArrowType] = [
    "n": .null, "b": .bool, "c": .integer(.int8), "C": .integer(.uint8), "s": .integer(.int16),
    "S": .integer(.uint16), "i": .integer(.int32), "I": .integer(.uint32), "l": .integer(.int64),
    "L": .integer(.uint64), "e": .half, "f": .float, "g": .double, "u": .text, "U": .largeText,
    "vu": .textView, "+l": .list, "+L": .largeList, "+s": .structure, "+m": .map,
  ]

  private static func timestamp(_ format: [UInt8]) -> ArrowType {
    let units: [UInt8: Int64] = [
      UInt8(ascii: "s"): 1, UInt8(ascii: "m"): 1_000, UInt8(ascii: "u"): 1_000_000,
      UInt8(ascii: "n"): 1_000_000_000,
    ]
    guard let unit = units[format[2]] else {
      return unusable(String(decoding: format, as: UTF8.self))
    }
    // A timestamp without a zone is a local time, not a point in time.
    guard format.count > 4 else {
      return .other(name: "a timestamp without a time zone", hint: "give it one, such as UTC")
    }
    return .timestamp(unitsPerSecond: unit)
  }

  /// An unsupported type, recognized by the beginning of its format string.
  private static func unusable(_ format: String) -> ArrowType {
    let kinds: [(start: String, name: String, hint: String)] = [
      ("d:", "a decimal", "cast it to a double or a string"),
      ("td", "a date", "cast it to a string or to a timestamp with a time zone"),
      ("tt", "a time of day", "cast it to a string"),
      ("tD", "a duration", "cast it to a number"), ("ti", "an interval", "cast it to a number"),
      ("z", "binary data", "cast it to a string"), ("Z", "binary data", "cast it to a string"),
      ("vz", "binary data", "cast it to a string"), ("w:", "binary data", "cast it to a string"),
      ("+v", "a list view", "cast it to a list"), ("+u", "a union", "cast it to a single type"),
      ("+r", "run-end encoded", "decode it"),
    ]
    if let kind = kinds.first(where: { format.hasPrefix($0.start) }) {
      return .other(name: kind.name, hint: kind.hint)
    }
    let shown = format.utf8.count > 30 ? String(format.unicodeScalars.prefix(30)) + "..." : format
    return .other(name: "of the unknown format '\(shown)'", hint: "cast it to a known type")
  }

  /// The name of the type in messages.
  package var name: String {
    switch self {
    case .null: "NULL"
    case .bool: "a bool"
    case .integer: "an integer"
    case .half, .float, .double: "a floating point number"
    case .text, .largeText, .textView: "a string"
    case .timestamp: "a timestamp"
    case .list, .largeList, .fixedList: "a list"
    case .structure: "a struct"
    case .map: "a map"
    case .other(let name, _): name
    }
  }

  package var isFloat: Bool { self == .half || self == .float || self == .double }

  package var isText: Bool { self == .text || self == .largeText || self == .textView }

  package var isList: Bool {
    switch self {
    case .list, .largeList, .fixedList: true
    default: false
    }
  }

  /// The number of buffers of an array of the type; nil if it depends on the data.
  var bufferCount: Int? {
    switch self {
    case .structure, .fixedList: 1
    case .bool, .integer, .half, .float, .double, .timestamp, .list, .largeList, .map: 2
    case .text, .largeText: 3
    case .null, .textView, .other: nil
    }
  }

  /// The number of children of a field of the type; nil for any number.
  fileprivate var childCount: Int? {
    switch self {
    case .structure, .other: nil
    case .list, .largeList, .fixedList, .map: 1
    default: 0
    }
  }
}

/// Integer types by their layout in memory.
package enum ArrowInteger: Hashable, Sendable {
  case int8, uint8, int16, uint16, int32, uint32, int64, uint64
}

/// A column of a table as its schema describes it, including nested fields.
package struct ArrowField: Hashable, Sendable {
  package var name: String
  /// The type of the values. For a dictionary, this is the type of the dictionary's values.
  package var type: ArrowType
  package var children: [ArrowField]
  /// The type of the codes, if the values are in a dictionary; otherwise nil.
  package var codes: ArrowInteger?
  /// Whether the strings are JSON, by the extension type.
  package var isJSON = false

  /// The limits for nested fields and for the fields of a table, so that reading a circular schema ends.
  static let mostLevels = 64
  static let mostFields = 100_000

  package init(
    _ name: String, _ type: ArrowType, _ children: [ArrowField] = [], codes: ArrowInteger? = nil
  ) {
    self.name = name
    self.type = type
    self.children = children
    self.codes = codes
  }

  /// The indices of the children with a name.
  package func indexes(of name: String) -> [Int] {
    children.indices.filter { children[$0].name.utf8.elementsEqual(name.utf8) }
  }

  /// The reason why values of the type, or of nested types, cannot be read; nil if they can.
  ///
  /// - Parameter path: the name of the column, for messages.
  package func problem(_ path: String) -> ArrowError? {
    if case .other(let name, let hint) = type {
      return ArrowError(path, "is \(name), which rules have no value for; \(hint)")
    }
    if type == .map, !children[0].children[0].type.isText {
      return ArrowError(path, "is a map whose keys are not strings; cast them to strings")
    }
    // The entries of a map have meaningless names.
    if type == .map { return children[0].children[1].problem(path) }
    for child in children {
      // The element of a list has a meaningless name.
      let below = type == .structure ? "\(path).\(child.name)" : path
      if let problem = child.problem(below) { return problem }
    }
    return nil
  }
}

extension ArrowField {
  /// Checks that an array of codes or of list elements can be read as this type.
  fileprivate func checked(_ path: String) throws(ArrowError) -> ArrowField {
    if let wanted = type.childCount, children.count != wanted {
      throw ArrowError(path, "the schema has \(children.count) children; expected \(wanted)")
    }
    if type == .map,
      children[0].type != .structure || children[0].codes != nil
        || children[0].children.count != 2
    {
      throw ArrowError(path, "the entries of a map must be a struct of keys and values")
    }
    return self
  }

  /// Checks the type of a field from an external schema.
  static func checked(
    _ name: String, format: String, _ children: [ArrowField], dictionary: ArrowField?,
    path: String
  ) throws(ArrowError) -> ArrowField {
    let type = ArrowType(format: format)
    guard let dictionary else { return try ArrowField(name, type, children).checked(path) }
    guard case .integer(let codes) = type, children.isEmpty else {
      throw ArrowError(path, "the codes of a dictionary must be integers")
    }
    guard dictionary.codes == nil else {
      throw ArrowError(path, "is a dictionary of dictionaries; cast it to a string")
    }
    var field = ArrowField(name, dictionary.type, dictionary.children, codes: codes)
    field.isJSON = dictionary.isJSON
    return field
  }

  /// Applies an extension type. The field is read as its storage type only if rules have a value
  /// for the meaning of the extension type.
  mutating func apply(extension name: String) {
    switch name {
    case "arrow.json", "google:sqlType:json": isJSON = type.isText
    case "arrow.bool8": type = .other(name: "an eight-bit bool", hint: "cast it to a bool")
    case "arrow.uuid": break
    case _ where name.hasPrefix("google:sqlType:"): break
    default:
      let shown = name.utf8.count > 60 ? String(name.unicodeScalars.prefix(60)) + "..." : name
      type = .other(
        name: "of the extension type '\(shown)'",
        hint: "cast it to a string, a number or a timestamp")
      children = []
    }
  }
}
