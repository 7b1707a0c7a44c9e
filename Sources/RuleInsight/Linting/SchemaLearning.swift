package import Expressions
internal import RuleEngine

/// Learns attributes from user records: their types, the number of users that have them, the range
/// of numbers, and the words of strings with few distinct values.
package struct SchemaLearner: Sendable {
  package private(set) var users = 0
  package var refused = 0
  /// The data about each attribute, by root and name.
  private var attributes: [String: [String: Seen]] = [:]

  package static let roots = ["user", "device", "params"]

  package init() {}

  /// Learns from lines of records, one object per line.
  package mutating func add(lines: ByteView) {
    // SAFETY: Lines are slices between two line feeds. Values are copies.
    // Tests: SchemaCommandTests.
    var start = 0
    while start < lines.count {
      let end = lines[start...].firstIndex(of: UInt8(ascii: "\n")) ?? lines.count
      let line = UnsafeBufferPointer(rebasing: lines[start..<end])
      start = end + 1
      if line.allSatisfy({ $0 <= 0x20 }) { continue }
      add(record: line)
    }
  }

  private mutating func add(record: ByteView) {
    guard let value = try? Value.parse(json: record), case .map = value, value["userId"] != nil,
      Self.roots.allSatisfy({ value[$0].map { $0 == .null || $0.isObject } ?? true })
    else {
      refused += 1
      return
    }
    add(value)
  }

  /// Learns from a record.
  package mutating func add(_ value: Value) {
    users += 1
    for root in Self.roots {
      guard case .map(let entries)? = value[root] else { continue }
      for entry in entries {
        if case .string(let name) = entry.key { add(entry.value, root, name) }
      }
    }
    // Members of the record replace attributes that `device` lacks.
    if let status = value["subscriptionStatus"], value["device"]?["subscriptionStatus"] == nil {
      add(status, "device", "subscriptionStatus")
    }
    if let owned = value["entitlements"], value["device"]?["activeEntitlements"] == nil {
      add(owned, "device", "activeEntitlements")
    }
  }

  private mutating func add(_ value: Value, _ root: String, _ name: String) {
    // If keys are data, the number of keys is unlimited.
    if attributes[root]?[name] == nil, attributes[root]?.count ?? 0 >= Self.mostNames { return }
    attributes[root, default: [:]][name, default: Seen()].add(value)
  }

  private static let mostNames = 10_000

  /// The summary of each attribute, by root and name.
  var summaries: [AttributeSummary] {
    Self.roots.flatMap { root in
      (attributes[root] ?? [:]).sorted { $0.key < $1.key }.map {
        $0.value.summary(AttributePath([root, $0.key]))
      }
    }
  }

  /// The learned schema, as JSON that ``ContextSchema/decode(_:)`` reads, one line per attribute.
  package var json: String {
    var members = Self.roots.compactMap { root -> String? in
      guard let found = attributes[root] else { return nil }
      let lines = found.sorted { $0.key < $1.key }.map {
        "    \(Value.string($0.key).json): \($0.value.schema(users: users).json)"
      }
      return "  \"\(root)\": {\n\(lines.joined(separator: ",\n"))\n  }"
    }
    members.append("  \"learned\": {\"users\": \(users), \"refused\": \(refused)}")
    return "{\n\(members.joined(separator: ",\n"))\n}"
  }
}

/// The data about one attribute.
private struct Seen: Sendable {
  /// The number of values of each type. The keys are the words of schemas.
  private var types: [String: Int] = [:]
  private var present = 0
  private var least: Double?
  private var greatest: Double?
  /// The number of occurrences of each string; nil if there are too many, or if one is not a word.
  private var words: [String: Int]? = [:]
  /// The number of list elements of each type.
  private var elements: [String: Int] = [:]
  /// The first distinct values.
  private var examples: [Value] = []

  /// The limits for an enum: the maximum number of distinct values, and the minimum average of
  /// their occurrences.
  private static let mostWords = 12
  private static let leastRepetitions = 10

  mutating func add(_ value: Value) {
    present += 1
    types[Seen.word(value), default: 0] += 1
    if examples.count < 3, !examples.contains(value) { examples.append(value) }
    switch value {
    case .int(let number): add(Double(number))
    case .uint(let number): add(Double(number))
    case .double(let number): add(number)
    case .string(let text): add(text)
    case .list(let values):
      for element in values { elements[Seen.word(element), default: 0] += 1 }
    default: return
    }
  }

  private mutating func add(_ number: Double) {
    least = min(least ?? number, number)
    greatest = max(greatest ?? number, number)
  }

  private mutating func add(_ text: String) {
    guard words != nil else { return }
    // Versions, dates and identifiers are not words, because today's values do not predict tomorrow's.
    let isWord =
      !text.isEmpty && text.utf8.count <= 40
      && text.allSatisfy { $0.isLetter || " _-".contains($0) }
    if isWord { words?[text, default: 0] += 1 }
    if !isWord || words?.count ?? 0 > Seen.mostWords { words = nil }
  }

  private static func word(_ value: Value) -> String {
    switch value {
    case .bool: "bool"
    case .int, .uint: "int"
    case .double: "double"
    case .string: "string"
    case .list: "list"
    case .map: "map"
    case .null: "null"
    default: "any"
    }
  }

  /// The single type of all values; nil if there are several. Whole numbers count as doubles too.
  private static func only(_ types: [String: Int]) -> String? {
    let kinds = Set(types.keys).subtracting(["null"])
    if kinds == ["int", "double"] { return "double" }
    return kinds.count == 1 ? kinds.first : nil
  }

  func summary(_ path: AttributePath) -> AttributeSummary {
    AttributeSummary(
      path: path, present: present, kinds: types, least: least, greatest: greatest,
      words: words ?? [:], examples: examples)
  }

  func schema(users: Int) -> Value {
    var members: [(String, Value)] = []
    switch Seen.only(types) {
    case "string":
      if let words, types["null"] == nil, present >= words.count * Seen.leastRepetitions {
        members.append(("enum", .list(words.keys.sorted().map { .string($0) })))
        members.append(("counts", Seen.counts(words)))
      } else {
        members.append(("type", "string"))
      }
    case "list":
      members.append(("list", .string(Seen.only(elements) ?? "any")))
    case let type?:
      members.append(("type", .string(type)))
      if let least, let greatest {
        members.append(("min", Seen.number(least)))
        members.append(("max", Seen.number(greatest)))
      }
    case nil:
      members.append(("type", "any"))
      members.append(("types", Seen.counts(types)))
    }
    members.append(("required", .bool(present >= users && types["null"] == nil)))
    members.append(("present", .int(Int64(present))))
    members.append(
      ("share", .double((Double(present) / Double(max(users, 1)) * 1e4).rounded() / 1e4)))
    return .map(members.map { Value.Entry(key: .string($0.0), value: $0.1) })
  }

  private static func number(_ number: Double) -> Value {
    Int64(exactly: number).map { .int($0) } ?? .double(number)
  }

  private static func counts(_ counts: [String: Int]) -> Value {
    .map(
      counts.sorted { $0.key < $1.key }.map {
        Value.Entry(key: .string($0.key), value: .int(Int64($0.value)))
      })
  }
}
