package import Expressions

/// Answers superscript's input with its output. The input contains the host's answers, which
/// replace callbacks.
///
///     {"variables":{"map":{"user":{"type":"map","value":{"age":{"type":"int","value":3}}}}},
///      "device":{"daysSince":[{"type":"string","value":"event_name"}]}, "computed":{},
///      "answers":{"device.daysSince(\"x\")":{"type":"uint","value":4}},
///      "expression":"user.age > 2", "evaluator":"text"}
///     // {"Ok":{"type":"bool","value":true}}
///
/// With `"questions":true` the answer has the calls that need answers, and the expression is not evaluated:
///
///     {"questions":[{"call":"daysSince(\"x\")","function":"daysSince","argument":"x"}]}
///
/// A call whose argument is not a string, or is known only during the evaluation, has no `argument`. Such a call needs
/// an answer for each possible string, and one for its name without arguments, which is used for all other strings.
package enum SuperscriptEvaluation {
  /// - Throws: if the context itself is invalid. The result for an error in the expression is `{"Err":".."}`, with
  ///   `"panics":true` if it terminates the process of the original.
  package static func answer(_ context: Value) throws(RequestError) -> Value {
    guard let source = try context.givenText("expression") else {
      throw RequestError("'expression' is missing; expected the text of an expression")
    }
    let variables = try decodeMap(members(context, "variables")?["map"], "variables.map")
    let functions = HostFunctions(
      device: try names(context, "device"), computed: try names(context, "computed"))
    let environment = ExpressionEnvironment.superscript(
      roots: variables.compactMap { $0.key.text }, hostFunctions: functions,
      behavior: try behavior(context))
    let compiled = environment.compile(source)
    if try context.givenTruth("questions") == true {
      return ["questions": .list((compiled.output?.questions ?? []).compactMap(encode))]
    }
    guard let program = compiled.output else {
      let messages = compiled.diagnostics.map { $0.message }
      return failure(
        messages.joined(separator: "; "), compiled.diagnostics.contains { $0.abortsApp })
    }
    let answers = Answers(try decodeMap(context["answers"], "answers"))
    var frame = Frame(for: program)
    do throws(EvaluationError) {
      try frame.fill(.map(variables))
      for (number, question) in program.questions.enumerated() {
        try frame.answer(number, with: answers.reply(question))
      }
      return ["Ok": encode(try program.evaluate(in: &frame))]
    } catch {
      return failure("\(error.kind.slug): \(error)", error.kind.abortsApp)
    }
  }

  private static func failure(_ message: String, _ panics: Bool) -> Value {
    .members(["Err": .string(message), "panics": panics ? true : nil])
  }

  private static func behavior(_ context: Value) throws(RequestError) -> EvaluatorBehavior {
    guard let name = try context.givenText("evaluator") else { return .text }
    guard let behavior = EvaluatorBehavior(rawValue: name) else {
      throw .wrong("evaluator", "raw, numeric, skip or text")
    }
    return behavior
  }

  private static func encode(_ question: HostQuestion) -> Value? {
    let argument: Value?
    switch question.argument {
    case .text(let text): argument = .string(text)
    case .anyOther: argument = nil
    // Every call with this question also has the other question, so it is not listed.
    case .anyKnown: return nil
    }
    return .members([
      "call": .string(question.description), "function": .string(question.function),
      "argument": argument,
    ])
  }

  private static func names(_ context: Value, _ name: String) throws(RequestError) -> [String] {
    try members(context, name)?.members?.map { $0.key } ?? []
  }

  /// A member that is an object.
  private static func members(_ context: Value, _ name: String) throws(RequestError) -> Value? {
    guard let value = context.given(name) else { return nil }
    guard value.isObject else { throw .wrong(name, "an object") }
    return value
  }

  /// The host's answers, by the source text of the call.
  private struct Answers {
    private var texts: [String: Value] = [:]
    /// For each function, the answers for each first argument.
    private var replies: [String: [Value.Entry]] = [:]

    init(_ entries: [Value.Entry]) {
      for entry in entries {
        guard let call = entry.key.text else { continue }
        var bare = call
        for root in ["device.", "computed."] where call.hasPrefix(root) {
          bare = String(call.dropFirst(root.count))
        }
        texts[bare] = entry.value
        guard let open = bare.firstIndex(of: "("), bare.hasSuffix(")") else { continue }
        let argument = String(bare[bare.index(after: open)...].dropLast())
        guard case .string(let text)? = try? Value.parse(json: argument.utf8) else { continue }
        replies[String(bare[..<open]), default: []].append(
          Value.Entry(key: .string(text), value: entry.value))
      }
    }

    func reply(_ question: HostQuestion) -> Value {
      switch question.argument {
      case .text: texts[question.description] ?? texts[question.function] ?? .null
      case .anyKnown: .map(replies[question.function] ?? [])
      case .anyOther: texts[question.function] ?? .null
      }
    }
  }

  // MARK: Values with types

  private static func decodeMap(_ value: Value?, _ path: String) throws(RequestError)
    -> [Value.Entry]
  {
    guard let value, value != .null else { return [] }
    guard let members = value.members else { throw .wrong(path, "an object") }
    var entries: [Value.Entry] = []
    for (key, value) in members {
      entries.append(.init(key: .string(key), value: try decode(value, "\(path).\(key)")))
    }
    return entries
  }

  private static func decode(_ value: Value, _ path: String) throws(RequestError) -> Value {
    func wrong(_ expected: String) -> RequestError { .wrong(path, expected) }
    guard let type = value["type"]?.text else {
      throw wrong("a value with its type, such as {\"type\":\"int\",\"value\":3}")
    }
    let content = value["value"] ?? .null
    switch type.lowercased() {
    case "null": return .null
    case "bool":
      guard content.truth != nil else { throw wrong("true or false") }
      return content
    case "string":
      guard content.text != nil else { throw wrong("a string") }
      return content
    case "int":
      guard let number = whole(content) else { throw wrong("a whole number") }
      return .int(number)
    case "uint":
      if case .uint = content { return content }
      guard let number = whole(content), number >= 0 else { throw wrong("a number from 0") }
      return .uint(UInt64(number))
    case "float":
      guard let number = content.number else { throw wrong("a number") }
      return .double(number)
    case "bytes":
      guard let bytes = content.elements?.compactMap({ $0.wholeNumber.flatMap(UInt8.init) }) else {
        throw wrong("a list of bytes")
      }
      return .bytes(bytes)
    case "timestamp":
      guard let seconds = whole(content) else { throw wrong("seconds since 1970") }
      return .timestamp(seconds: seconds, nanoseconds: 0)
    case "list":
      guard let elements = content.elements else { throw wrong("a list") }
      var list: [Value] = []
      for (number, element) in elements.enumerated() {
        list.append(try decode(element, "\(path)[\(number)]"))
      }
      return .list(list)
    case "map": return .map(try decodeMap(content, path))
    default:
      throw RequestError(
        "'\(path)' has the type '\(type)'; types are null, bool, string, int, uint, float, bytes, "
          + "timestamp, list and map")
    }
  }

  /// A 64-bit whole number, even if `Int` has only 32 bits.
  private static func whole(_ value: Value) -> Int64? {
    switch value {
    case .int(let number): number
    case .uint(let number): Int64(exactly: number)
    case .double(let number): Int64(exactly: number)
    default: nil
    }
  }

  private static func typed(_ type: String, _ value: Value) -> Value {
    .object(["type": .string(type), "value": value])
  }

  private static func encode(_ value: Value) -> Value {
    switch value {
    case .null, .duration: typed("Null", .null)
    case .bool: typed("bool", value)
    case .int: typed("int", value)
    case .uint: typed("uint", value)
    case .double(let number): typed("float", number.isFinite ? value : .null)
    case .string: typed("string", value)
    case .bytes(let bytes): typed("bytes", .list(bytes.map { .int(Int64($0)) }))
    case .timestamp(let seconds, _): typed("timestamp", .int(seconds))
    case .list(let values): typed("list", .list(values.map(encode)))
    case .map(let entries):
      typed(
        "map",
        .map(
          entries.map { entry in
            let key: Value = entry.key.text == nil ? .string(entry.key.json) : entry.key
            return .init(key: key, value: encode(entry.value))
          }))
    case .function(let name): typed("function", [.string(name), .null])
    default: typed("Null", .null)
    }
  }
}
