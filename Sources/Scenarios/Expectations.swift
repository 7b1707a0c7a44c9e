internal import Expressions
internal import SDK

/// Compares a scenario's results with its expectations: partial objects, lists element by element, and matchers such as
/// `{"$re": ".."}`.
struct Expectations {
  /// A difference between a result and an expectation.
  struct Mismatch: Error {
    var message: String

    init(_ message: String) { self.message = message }
  }

  /// The values that `$capture` matchers stored, by name.
  private(set) var captured: [String: Value] = [:]

  /// Replaces `{"$use": name}` with the captured value.
  func resolve(_ value: Value) -> Value {
    switch value {
    case .map(let entries):
      if entries.count == 1, let name = value["$use"]?.text { return captured[name] ?? .null }
      return .map(entries.map { Value.Entry(key: $0.key, value: resolve($0.value)) })
    case .list(let values): return .list(values.map { resolve($0) })
    default: return value
    }
  }

  /// - Parameter exactly: whether objects may have no other members.
  mutating func match(_ want: Value, _ got: Value, _ path: String, exactly: Bool = false)
    throws(Mismatch)
  {
    switch want {
    case .map:
      if try matcher(want, got, path) { return }
      guard got.isObject else { throw Mismatch("\(path): expected an object, got \(got.json)") }
      for member in want.members ?? [] {
        let place = "\(path).\(member.key)"
        if member.value["$absent"] != nil {
          if got[member.key] != nil { throw Mismatch("\(place) must be absent") }
          continue
        }
        guard let value = got[member.key] else { throw Mismatch("\(place) is missing") }
        try match(member.value, value, place, exactly: exactly)
      }
      let known = Set((want.members ?? []).map(\.key))
      if exactly, let extra = (got.members ?? []).first(where: { !known.contains($0.key) }) {
        throw Mismatch("\(path).\(extra.key) is not expected")
      }
    case .list(let wanted):
      guard let values = got.elements, values.count == wanted.count else {
        throw Mismatch("\(path): expected \(wanted.count) elements, got \(got.json)")
      }
      for (index, pair) in zip(wanted, values).enumerated() {
        try match(pair.0, pair.1, "\(path)[\(index)]", exactly: exactly)
      }
    default:
      guard Self.isSame(want, got) else {
        throw Mismatch("\(path): expected \(want.json), got \(got.json)")
      }
    }
  }

  /// The kinds that `$any` can require.
  static let kinds = ["string", "number", "object"]

  /// - Parameter kind: one of ``kinds``, or nil for any value.
  private static func isOfKind(_ value: Value, _ kind: String?) -> Bool {
    switch kind {
    case "string": value.text != nil
    case "number": value.number != nil
    case "object": value.isObject
    default: true
    }
  }

  /// Whether two values are equal. Numbers are compared by value, and all other values by type and value.
  private static func isSame(_ a: Value, _ b: Value) -> Bool {
    if let a = a.number, let b = b.number { return a == b }
    return a == b
  }

  /// Matches a value if `want` is a matcher, and returns whether it is one.
  private mutating func matcher(_ want: Value, _ got: Value, _ path: String) throws(Mismatch)
    -> Bool
  {
    guard let key = want.members?.first?.key, key.hasPrefix("$"), let operand = want[key] else {
      return false
    }
    switch key {
    case "$any":
      guard Self.isOfKind(got, operand.text) else {
        throw Mismatch("\(path): \(got.json) does not have the type \(operand.text ?? "")")
      }
    case "$absent": throw Mismatch("\(path) must be absent")
    case "$capture": captured[operand.text ?? ""] = got
    case "$use": try match(captured[operand.text ?? ""] ?? .null, got, path)
    case "$re":
      guard let text = got.text, Self.finds(operand.text ?? "", in: text) else {
        throw Mismatch("\(path): \(got.json) does not match \(operand.json)")
      }
    case "$len":
      guard let count = got.elements?.count, count == operand.wholeNumber else {
        throw Mismatch("\(path): expected \(operand.json) elements, got \(got.json)")
      }
    case "$set":
      let sorted = { (value: Value) in (value.elements ?? []).map(\.sorted.json).sorted() }
      guard got.elements != nil, sorted(got) == sorted(operand) else {
        throw Mismatch("\(path): \(got.json) is not the set \(operand.json)")
      }
    case "$contains": try contains(operand, got, path)
    default: return false
    }
    return true
  }

  private mutating func contains(_ wanted: Value, _ got: Value, _ path: String) throws(Mismatch) {
    for want in wanted.elements ?? [] {
      let isThere = (got.elements ?? []).contains { element in
        var trial = self
        return (try? trial.match(want, element, path)) != nil
      }
      if !isThere { throw Mismatch("\(path) does not contain \(want.json)") }
    }
  }

  private static func finds(_ pattern: String, in text: String) -> Bool {
    let environment = ExpressionEnvironment(roots: [], variables: ["text", "pattern"])
    let call = environment.compile("text.matches(pattern)").output
    let result = try? call?.evaluate(["text": .string(text), "pattern": .string(pattern)])
    return result == .bool(true)
  }

  /// The name of an entry in `observe`, `ignore` or `only`.
  static func tag(_ entry: Value) -> String {
    if let name = entry["sw"]?.text { return "sw:\(name)" }
    if let command = entry["host"]?.text { return "host:\(command)" }
    if let subscriber = entry["to"]?.text { return "to:\(subscriber)" }
    return entry["ev"]?.text ?? ""
  }

  private mutating func matchEntry(_ want: Value, _ got: Value) throws(Mismatch) {
    let (wanted, tag) = (Self.tag(want), Self.tag(got))
    guard wanted == tag else { throw Mismatch("expected \(wanted), got \(tag)") }
    if let callback = want["cb"], callback != got["cb"] {
      throw Mismatch("expected the callback \(callback.json), got \(got["cb"]?.json ?? "none")")
    }
    if let payload = want["p"] {
      let exactly = want["complete"]?.truth ?? false
      try match(payload, got["p"] ?? .null, tag, exactly: exactly)
    }
  }

  /// Compares the observed entries of a step with the expected entries, in order.
  mutating func matchEntries(_ wanted: [Value], _ got: [Value]) throws(Mismatch) {
    var rest = got[...]
    for want in wanted {
      if let optional = want["optional"] {
        var trial = self
        if let next = rest.first, (try? trial.matchEntry(optional, next)) != nil {
          self = trial
          rest = rest.dropFirst()
        }
      } else if let group = want["unordered"]?.elements {
        try matchGroup(group, &rest)
      } else {
        guard let next = rest.first else {
          throw Mismatch("expected \(Self.tag(want)), but nothing more happened")
        }
        try matchEntry(want, next)
        rest = rest.dropFirst()
      }
    }
    if let extra = rest.first {
      throw Mismatch(
        "\(Self.tag(extra)) is not expected: \((extra["p"] ?? .null).json.prefix(160))")
    }
  }

  /// Matches the next entries in any order.
  private mutating func matchGroup(_ group: [Value], _ rest: inout ArraySlice<Value>)
    throws(Mismatch)
  {
    var open = Array(rest.prefix(group.count))
    for want in group {
      var trial = self
      let place = open.firstIndex { entry in
        var attempt = self
        guard (try? attempt.matchEntry(want, entry)) != nil else { return false }
        trial = attempt
        return true
      }
      guard let place else {
        let tags = rest.prefix(group.count).map { Self.tag($0) }.joined(separator: ", ")
        throw Mismatch("expected \(Self.tag(want)) among the next entries: \(tags)")
      }
      self = trial
      open.remove(at: place)
    }
    rest = rest.dropFirst(group.count)
  }

  /// Checks that the expected requests were sent in this order, possibly among others.
  mutating func matchRequests(_ wanted: [Value], _ got: [Value]) throws(Mismatch) {
    var rest = got[...]
    for want in wanted {
      var found = false
      while !found, let next = rest.popFirst() {
        var trial = self
        if (try? trial.match(want, next, "request")) != nil {
          self = trial
          found = true
        }
      }
      if !found {
        let sent = got.map { "\($0["method"]?.text ?? "") \($0["path"]?.text ?? "")" }
        throw Mismatch("the request \(want.json) was not sent; sent requests: \(sent)")
      }
    }
  }
}

extension Value {
  /// The value with sorted members, so that equal values have equal JSON.
  fileprivate var sorted: Value {
    switch self {
    case .map:
      .map(
        (members ?? []).sorted { $0.key < $1.key }
          .map { Entry(key: .string($0.key), value: $0.value.sorted) })
    case .list(let values): .list(values.map(\.sorted))
    default: self
    }
  }
}
