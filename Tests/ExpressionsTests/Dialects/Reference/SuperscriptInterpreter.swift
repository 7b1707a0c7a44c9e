import Expressions

/// What a host says, beside attributes.
struct SuperscriptHost {
  var functions: HostFunctions
  /// Replies by function and argument.
  var replies: [String: [String: Value]]

  func reply(
    _ function: String, _ argument: String, _ behavior: EvaluatorBehavior = .text
  ) -> Value {
    SuperscriptInterpreter.passed(
      replies[function]?[argument] ?? .string("\(function) of something else"), behavior)
  }
}

/// Evaluates superscript by walking the rewritten tree, one rule after the other, without any
/// cleverness.
///
/// A function as a value is an optional of its name and of what it is a member of: the language
/// has no optionals.
struct SuperscriptInterpreter {
  enum Failure: Error, Hashable {
    case undeclared, nullComparison, missing, other
    /// Nothing recovers from it.
    case fatal
  }

  let host: SuperscriptHost
  let behavior: EvaluatorBehavior
  private var scopes: [(name: String, value: Value)]

  /// - Parameters:
  ///   - context: a map of what names are bound to.
  ///   - kept: paths whose strings stay strings.
  init(
    context: Value, host: SuperscriptHost, behavior: EvaluatorBehavior = .text,
    kept: Set<String> = []
  ) {
    self.host = host
    self.behavior = behavior
    scopes = []
    if case .map(let entries) = context {
      for case let entry in entries {
        if case .string(let name) = entry.key {
          scopes.append((name, Self.passed(entry.value, behavior, kept, name)))
        }
      }
    }
    bind("computed", host.functions.computed, [])
    var device: [Value.Entry] = []
    if case .map(let entries)? = scopes.first(where: { $0.name == "device" })?.value {
      device = entries
    }
    bind("device", host.functions.device, device)
  }

  private mutating func bind(_ name: String, _ functions: [String], _ entries: [Value.Entry]) {
    let members = functions.filter { name in !entries.contains { $0.key == .string(name) } }.map {
      Value.Entry(key: .string($0), value: SuperscriptInterpreter.function($0, ["event_name"]))
    }
    scopes.append((name, .map(members + entries)))
  }

  static func passed(
    _ value: Value, _ behavior: EvaluatorBehavior, _ kept: Set<String> = [], _ path: String = ""
  ) -> Value {
    if behavior == .raw { return value }
    switch value {
    case "true": return true
    case "false": return false
    case .string(let text) where behavior.readsNumbers && !kept.contains(path):
      return SuperscriptNumbers.normalized(text) ?? value
    case .list(let values): return .list(values.map { passed($0, behavior, kept, path) })
    case .map(let entries):
      return .map(
        entries.map {
          let below = if case .string(let key) = $0.key { "\(path).\(key)" } else { path }
          return Value.Entry(key: $0.key, value: passed($0.value, behavior, kept, below))
        })
    default: return value
    }
  }

  static func function(_ name: String, _ member: Value) -> Value {
    .optional(.list([.string(name), member]))
  }

  /// A value as the engine gives it out.
  static func result(_ value: Value) -> Value {
    switch value {
    case .optional(.list(let parts)?):
      if case .string(let name) = parts[0] { .function(name) } else { .null }
    case .list(let values): .list(values.map(result))
    case .map(let entries):
      .map(entries.map { Value.Entry(key: $0.key, value: result($0.value)) })
    default: value
    }
  }

  // MARK: Nodes

  mutating func value(_ tree: SuperscriptTree) throws(Failure) -> Value {
    switch tree {
    case .literal(let value): return value
    case .name(let name):
      for scope in scopes.reversed() where scope.name == name { return scope.value }
      throw .undeclared
    case .nullIfMissing(let member): return try isThere(member) ? value(member) : .null
    case .orDefault(let left, let zero): return try isThere(left) ? value(left) : zero
    case .ifThere(let left, let relation): return try isThere(left) ? value(relation) : false
    case .member(let tree, let name):
      let value = try value(tree)
      if let found = value[name] { return found }
      guard isFunction(name) else { throw .missing }
      return SuperscriptInterpreter.function(name, value)
    case .index(let tree, let key): return try index(value(tree), value(key))
    case .list(let elements):
      var values: [Value] = []
      for element in elements { values.append(try value(element)) }
      return .list(values)
    case .map(let entries): return try map(entries)
    case .and(let a, let b):
      let (a, b) = (try value(a), try value(b))
      return .bool(SuperscriptOperations.isTrue(a) && SuperscriptOperations.isTrue(b))
    case .or(let a, let b):
      let first = try value(a)
      return SuperscriptOperations.isTrue(first) ? first : try value(b)
    case .choice(let test, let yes, let no):
      return try value(SuperscriptOperations.isTrue(value(test)) ? yes : no)
    case .unary(let sign, let tree): return try SuperscriptOperations.unary(sign, value(tree))
    case .arithmetic(let a, let sign, let b):
      return try SuperscriptOperations.arithmetic(value(a), sign, value(b))
    case .relation(let a, let sign, let b):
      return try SuperscriptOperations.relation(value(a), sign, value(b))
    case .call(let name, let receiver, let arguments):
      return try call(name, receiver, arguments)
    }
  }

  private mutating func isThere(_ tree: SuperscriptTree) throws(Failure) -> Bool {
    do {
      _ = try value(tree)
      return true
    } catch .missing {
      return false
    } catch {
      throw error
    }
  }

  private func isFunction(_ name: String) -> Bool {
    if isOfHost(name) { return true }
    if behavior == .raw, SuperscriptInterpreter.lateFunctions.contains(name) { return false }
    return SuperscriptInterpreter.functions.contains(name)
  }

  private func isOfHost(_ name: String) -> Bool {
    host.functions.device.contains(name) || host.functions.computed.contains(name)
  }

  /// Those that the behavior `raw` lacks.
  private static let lateFunctions: Set = [
    "hasFn", "intToString", "uintToString", "floatToString", "boolToString", "unknownFunction",
    "test_custom_func",
  ]

  static let functions: Set = [
    "contains", "size", "has", "map", "filter", "all", "max", "startsWith", "endsWith", "string",
    "bytes", "double", "exists", "exists_one", "int", "uint", "matches", "duration", "timestamp",
    "maybe", "hasFn", "intToString", "uintToString", "floatToString", "boolToString",
    "unknownFunction", "test_custom_func",
  ]

  private func index(_ value: Value, _ key: Value) throws(Failure) -> Value {
    switch (value, key) {
    case (.list(let elements), .int(let place)):
      return elements.indices.contains(Int(place)) ? elements[Int(place)] : .null
    case (.string(let text), .int(let place)):
      let bytes = Array(text.utf8)
      guard bytes.indices.contains(Int(place)), bytes[Int(place)] < 0x80 else { return .null }
      return .string(String(Unicode.Scalar(bytes[Int(place)])))
    case (.map(let entries), _) where SuperscriptOperations.isKey(key):
      return entries.last { $0.key == key }?.value ?? .null
    default: throw .other
    }
  }

  private mutating func map(_ entries: [(key: SuperscriptTree, value: SuperscriptTree)])
    throws(Failure)
    -> Value
  {
    var all: [Value.Entry] = []
    for entry in entries {
      let key = try value(entry.key)
      guard SuperscriptOperations.isKey(key) else { throw .other }
      SuperscriptOperations.put(Value.Entry(key: key, value: try value(entry.value)), into: &all)
    }
    return .map(all)
  }

  // MARK: Calls

  /// What is left of a call's operands.
  private struct Operands {
    var receiver: Value?
    var arguments: ArraySlice<SuperscriptTree>

    mutating func next() throws(Failure) -> SuperscriptTree {
      guard let next = arguments.popFirst() else { throw .other }
      return next
    }
  }

  private mutating func call(
    _ name: String, _ receiver: SuperscriptTree?, _ arguments: [SuperscriptTree]
  ) throws(Failure) -> Value {
    guard isFunction(name) else { throw .undeclared }
    var operands = Operands(receiver: nil, arguments: arguments[...])
    if let receiver { operands.receiver = try value(receiver) }
    if isOfHost(name) { return try ask(name, arguments) }
    switch name {
    case "has": return .bool(try isThere(operands.next()))
    case "hasFn": return try announces(arguments)
    case "size": return try SuperscriptOperations.size(value(operands.next()))
    case "bytes", "duration", "timestamp":
      return try SuperscriptOperations.convert(name, value(operands.next()))
    case "string", "double", "int", "uint", "intToString", "uintToString", "floatToString",
      "boolToString":
      return try SuperscriptOperations.convert(name, subject(&operands))
    case "contains":
      let value = try subject(&operands)
      return try SuperscriptOperations.contains(value, self.value(operands.next()))
    case "startsWith", "endsWith", "matches":
      let text = try SuperscriptOperations.text(subject(&operands))
      return try SuperscriptOperations.test(
        text, name, SuperscriptOperations.text(value(operands.next())))
    case "max":
      var values: [Value] = []
      for argument in arguments { values.append(try value(argument)) }
      return try SuperscriptOperations.greatest(values)
    case "maybe":
      _ = try subject(&operands)
      guard operands.arguments.count > 1 else { throw .fatal }
      let (first, second) = (try operands.next(), try operands.next())
      do {
        return try value(first)
      } catch .fatal {
        throw .fatal
      } catch {
        return try value(second)
      }
    case "all", "exists", "exists_one", "map", "filter": return try loop(name, &operands)
    default: return .null
    }
  }

  /// The receiver, or the first argument, whose failure becomes another.
  private mutating func subject(_ operands: inout Operands) throws(Failure) -> Value {
    if let receiver = operands.receiver { return receiver }
    let argument = try operands.next()
    do {
      return try value(argument)
    } catch {
      throw error == .fatal ? .fatal : .other
    }
  }

  private mutating func ask(_ name: String, _ arguments: [SuperscriptTree]) throws(Failure) -> Value
  {
    var values: [Value] = []
    for argument in arguments {
      do { values.append(try value(argument)) } catch { throw .fatal }
    }
    if case .string(let text)? = values.first { return host.reply(name, text, behavior) }
    return host.reply(name, values.isEmpty ? "" : "something else", behavior)
  }

  private mutating func announces(_ arguments: [SuperscriptTree]) throws(Failure) -> Value {
    guard let first = arguments.first else { throw .fatal }
    let name = try SuperscriptOperations.text(value(first))
    for (root, functions) in [
      ("device.", host.functions.device), ("computed.", host.functions.computed),
    ] where name.hasPrefix(root) {
      let function = String(name.dropFirst(root.count))
      return .bool(functions.contains(function) || Self.own.contains(function))
    }
    return .bool(Self.own.contains(name) || isOfHost(name))
  }

  /// Functions of superscript's own, as it announces them.
  static let own: Set = [
    "maybe", "hasFn", "toString", "intToString", "uintToString", "floatToString", "boolToString",
  ]

  private mutating func loop(_ name: String, _ operands: inout Operands) throws(Failure) -> Value {
    let range = try subject(&operands)
    guard case .name(let variable) = try operands.next() else { throw .other }
    let body = try operands.next()
    let elements: [Value]
    switch range {
    case .list(let values): elements = values
    case .map(let entries) where name != "map" && name != "filter": elements = entries.map(\.key)
    default: throw .other
    }
    var kept: [Value] = []
    for element in elements {
      scopes.append((variable, element))
      let result = Result { [self] () throws(Failure) in
        var inner = self
        return try inner.value(body)
      }
      scopes.removeLast()
      let value = try result.get()
      switch name {
      case "all": if value == false { return false }
      case "exists": if value == true { return true }
      case "map": kept.append(value)
      default: if value == true { kept.append(element) }
      }
      if name == "exists_one", kept.count > 1 { return false }
    }
    switch name {
    case "all": return true
    case "exists": return false
    case "exists_one": return .bool(kept.count == 1)
    default: return .list(kept)
    }
  }
}
