internal import CivilTime

/// A value of the expression language, as evaluations take and return it.
///
/// Values can be written as Swift literals, parsed from JSON and written as JSON.
///
/// ```swift
/// let user: Value = ["plan": "free", "age": 29, "score": 4.5, "tags": ["a", "b"]]
/// user["age"]  // .int(29)
/// user["plan"]?.text  // "free"
/// user["score"]?.wholeNumber  // nil
/// user["tags"]?.elements?.count  // 2
/// user.members?.map(\.key)  // ["plan", "age", "score", "tags"]
/// user.json  // #"{"plan":"free","age":29,"score":4.5,"tags":["a","b"]}"#
/// try Value.parse(json: "[1, 1.0, 18446744073709551615]".utf8)  // [1, 1.0, .uint(.max)]
/// ```
public enum Value: Hashable, Sendable {
  case null
  case bool(Bool)
  case int(Int64)
  case uint(UInt64)
  case double(Double)
  case string(String)
  case bytes([UInt8])
  case list([Value])
  case map([Entry])
  /// An instant: the seconds since 1970 in UTC, rounded down, and the remaining nanoseconds.
  case timestamp(seconds: Int64, nanoseconds: Int32)
  /// A span of time in nanoseconds.
  case duration(nanoseconds: Int64)
  /// A type, by its name in the CEL specification.
  case type(String)
  /// The name of a function that is used as a value. Only superscript has such values.
  case function(String)
  /// A value that may be absent.
  indirect case optional(Value?)

  /// One entry of a map. Maps preserve the order of their entries.
  public struct Entry: Hashable, Sendable {
    public var key: Value
    public var value: Value

    public init(key: Value, value: Value) {
      self.key = key
      self.value = value
    }
  }

  /// A map with string keys, like a JSON object.
  public static func object(_ entries: KeyValuePairs<String, Value>) -> Value {
    .map(entries.map { Entry(key: .string($0.key), value: $0.value) })
  }

  /// The value of a string key in a map, or nil. If the key is repeated, the last entry is used, as in JSON.
  public subscript(key: String) -> Value? {
    guard case .map(let entries) = self else { return nil }
    var index = entries.count - 1
    while index >= 0 {
      // Compare bytes, because Swift's string equality normalizes. String equality comes first, because it rejects most
      // keys quickly.
      if case .string(let name) = entries[index].key, name == key,
        name.utf8.elementsEqual(key.utf8)
      {
        return entries[index].value
      }
      index -= 1
    }
    return nil
  }

  /// The name of the type in the language.
  public var typeName: String {
    switch self {
    case .null: "null_type"
    case .bool: "bool"
    case .int: "int"
    case .uint: "uint"
    case .double: "double"
    case .string: "string"
    case .bytes: "bytes"
    case .list: "list"
    case .map: "map"
    case .timestamp: "google.protobuf.Timestamp"
    case .duration: "google.protobuf.Duration"
    case .type: "type"
    case .function: "function"
    case .optional: "optional_type"
    }
  }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int64) { self = .int(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
  public init(arrayLiteral elements: Value...) { self = .list(elements) }
  public init(dictionaryLiteral elements: (Value, Value)...) {
    self = .map(elements.map { Entry(key: $0.0, value: $0.1) })
  }
}

extension Value {
  /// The value of a cell, copied from any memory. Cells that are not values become null.
  package init(_ cell: Cell) {
    // SAFETY: Elements and bytes are read through views with their counts, and copied. Pointers to
    // local cells stay in their closures. Tests: JSONReaderTests, WorstCaseTests.
    switch cell.tag {
    case Tag.bool: self = .bool(cell.boolValue)
    case Tag.int: self = .int(cell.intValue)
    case Tag.uint: self = .uint(cell.uintValue)
    case Tag.double: self = .double(cell.doubleValue)
    case Tag.bytes: self = .bytes(withUnsafePointer(to: cell) { Array($0.textBytes) })
    case Tag.list: self = .list(cell.elements.map { Value($0) })
    case Tag.map:
      let entries = cell.entries
      self = .map(
        stride(from: 0, to: entries.count, by: 2).map {
          Entry(key: Value(entries[$0]), value: Value(entries[$0 + 1]))
        })
    case Tag.timestamp:
      let time = cell.timestampValue
      self = .timestamp(seconds: time.seconds, nanoseconds: time.nanoseconds)
    case Tag.duration: self = .duration(nanoseconds: cell.intValue)
    case Tag.type:
      self = .type(TypeName(rawValue: UInt8(truncatingIfNeeded: cell.high))?.name ?? "dyn")
    case Tag.function: self = .function(cell.elements.first?.text ?? "")
    case Tag.optional: self = .optional(cell.elements.first.map { Value($0) })
    case Tag.longText, Tag.shortText...: self = .string(cell.text)
    // Callers receive strings for types that only the language has.
    case Tag.ip, Tag.cidr, Tag.version:
      var arena = Arena(limit: .max)
      let text = withUnsafePointer(to: cell) { Conversions.text($0, &arena) }
      self = text.isText ? .string(text.text) : .null
    default: self = .null
    }
  }
}

/// Members of large maps by name. A program may read hundreds of members, and a map searches its entries one by one.
/// For a program that reads few members, an index would cost more than searching the map. Names are bytes, because
/// Swift's string equality normalises.
struct MemberIndex {
  private typealias Members = [[UInt8]: Value]

  /// The number of members that may be read.
  let reads: Int

  private static let largestPlain = 32
  private var maps: [(path: [String], members: Members)] = []
  private var last = 0

  init(reads: Int) { self.reads = reads }

  /// The result of `map[name]`, for the map at a path.
  mutating func member(_ name: String, of map: Value, at path: ArraySlice<String>) -> Value? {
    guard reads > MemberIndex.largestPlain, case .map(let entries) = map,
      entries.count > MemberIndex.largestPlain
    else {
      return map[name]
    }
    if last >= maps.count || !MemberIndex.isSame(maps[last].path, path) {
      last = maps.firstIndex { MemberIndex.isSame($0.path, path) } ?? add(entries, at: path)
    }
    return maps[last].members[Array(name.utf8)]
  }

  private mutating func add(_ entries: [Value.Entry], at path: ArraySlice<String>) -> Int {
    var members: Members = [:]
    for entry in entries {
      if case .string(let key) = entry.key { members[Array(key.utf8)] = entry.value }
    }
    maps.append((Array(path), members))
    return maps.count - 1
  }

  private static func isSame(_ a: [String], _ b: ArraySlice<String>) -> Bool {
    guard a.count == b.count else { return false }
    for (x, y) in zip(a, b) where !x.utf8.elementsEqual(y.utf8) { return false }
    return true
  }
}

extension Arena {
  /// A cell for the value, or nil if the arena's limit or the nesting is reached.
  package mutating func cell(_ value: Value, nesting: Int = 64) -> Cell? {
    // SAFETY: The copy has room for all bytes of the array or string, whose view stays in the
    // closure. Tests: FrameFillTests.
    guard nesting > 0 else { return nil }
    switch value {
    case .null: return .null
    case .bool(let value): return Cell(value)
    case .int(let value): return Cell(value)
    case .uint(let value): return Cell(value)
    case .double(let value): return Cell(value)
    case .string(var value): return value.withUTF8 { text(copying: $0) }
    case .bytes(let value):
      guard let copy = allocate(max(value.count, 1)) else { return nil }
      value.withUnsafeBytes {
        if let start = $0.baseAddress { copy.copyMemory(from: start, byteCount: $0.count) }
      }
      return Cell(tag: Tag.bytes, count: value.count, at: copy)
    case .timestamp(let seconds, let nanoseconds):
      return Timestamp(seconds: seconds, nanoseconds: nanoseconds).map { Cell($0) }
    case .duration(let nanoseconds): return Cell(TimeSpan(nanoseconds: nanoseconds))
    case .type(let name): return TypeName(named: name).map { Cell($0) }
    case .function(let name):
      return outside(Tag.function, 2, [.string(name), .null], nesting)
    case .optional(let value):
      return outside(Tag.optional, value == nil ? 0 : 1, value.map { [$0] } ?? [], nesting)
    case .list(let values):
      return outside(Tag.list, values.count, values, nesting)
    case .map(let entries):
      var cells: [Cell] = []
      for entry in entries {
        guard let key = cell(entry.key, nesting: nesting - 1),
          let value = cell(entry.value, nesting: nesting - 1)
        else { return nil }
        cells += [key, value]
      }
      return map(lastOfRepeated: cells)
    }
  }

  /// A map of keys and values. A repeated key counts once, with its last value.
  package mutating func map(lastOfRepeated cells: [Cell]) -> Cell? {
    // SAFETY: There is memory for `distinct.count` cells, and all are written before the map's cell
    // is made. Tests: FrameFillTests.
    let distinct = FlatMap.lastOfRepeated(cells)
    guard let memory = self.cells(max(distinct.count, 1)) else { return nil }
    for (i, cell) in distinct.enumerated() { memory[i] = cell }
    return Cell(tag: Tag.map, count: distinct.count / 2, at: memory)
  }

  private mutating func outside(_ tag: UInt8, _ count: Int, _ values: [Value], _ nesting: Int)
    -> Cell?
  {
    // SAFETY: All cells are written before the cell that points to them is made.
    // Tests: FrameFillTests.
    guard let cells = cells(max(values.count, 1)) else { return nil }
    for (i, value) in values.enumerated() {
      guard let cell = cell(value, nesting: nesting - 1) else { return nil }
      cells[i] = cell
    }
    return Cell(tag: tag, count: count, at: cells)
  }
}
