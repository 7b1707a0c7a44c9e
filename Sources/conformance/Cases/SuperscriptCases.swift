internal import Expressions
internal import Scenarios

/// Runs the suite `superscript`: an expression in a context, with the result of the original evaluator.
///
/// Errors and panics of the original must be errors of any kind. Values must be equal in type and content. In every
/// case, both must agree on whether a rule would match.
enum SuperscriptCases {
  static func run(_ testCase: Case) throws(CaseFileError) -> Verdict {
    guard let source = testCase.content["expression"]?.text,
      let name = testCase.content["context"]?.text
    else { throw CaseFileError(message: "case \(testCase.id) needs 'expression' and 'context'") }
    let contexts = try testCase.companions.value("superscript-contexts.json")
    guard let context = contexts[name] else {
      throw CaseFileError(message: "case \(testCase.id): there is no context '\(name)'")
    }
    let expected = testCase.content["expect"] ?? .null
    let got = SuperscriptContext(context).evaluate(source)
    let wantsMatch = testCase.content["matches"] == .bool(true)
    let isSame = judge(got, expected) && (got["value"] == .bool(true)) == wantsMatch
    return isSame ? .passed(got: got) : .failed(expected: expected, got: got)
  }

  /// Runs a case that contains its context (suite `superwall-rules`, kind `cel`).
  static func runInline(_ testCase: Case) -> Verdict {
    guard let source = testCase.input("expression")?.text,
      let input = testCase.content["input"], let expected = testCase.content["expect"]
    else { return .failed(expected: .null, got: ["error": "the input is not understood"]) }
    let got = SuperscriptContext(input).evaluate(source)
    let matches = got["value"] == .bool(true)
    let isSame = judge(got, expected) && expected["matches"].map { $0 == .bool(matches) } != false
    return isSame ? .passed(got: got) : .failed(expected: expected, got: got)
  }

  /// Compares a result with the recorded result.
  static func judge(_ got: Value, _ expected: Value) -> Bool {
    guard let wanted = expected["value"] else { return got["error"] != nil }
    guard let value = got["value"], expected["type"].map({ $0 == got["type"] }) != false else {
      return false
    }
    return CaseComparison.matches(value, wanted, partial: false)
  }
}

/// A context of the suite: variables, and host functions with their replies.
struct SuperscriptContext {
  private let environment: ExpressionEnvironment
  private let variables: Value
  private let replies: Value

  init(_ context: Value, behavior: EvaluatorBehavior = .text) {
    variables = context["variables"].map(SuperscriptValues.decode) ?? .map([])
    replies = context["host"].map(SuperscriptValues.decode) ?? .map([])
    var names: [String] = []
    if case .map(let entries) = variables {
      for case .string(let name) in entries.map(\.key) { names.append(name) }
    }
    environment = .superscript(
      roots: names,
      hostFunctions: HostFunctions(
        device: SuperscriptContext.names(context["device_functions"]),
        computed: SuperscriptContext.names(context["computed_functions"])),
      behavior: behavior)
  }

  private static func names(_ value: Value?) -> [String] {
    guard let values = value?.elements else { return [] }
    return values.compactMap(\.text)
  }

  /// The result of an expression, as `{"value", "type"}` or `{"error"}`.
  func evaluate(_ source: String) -> Value {
    let compiled = environment.compile(source)
    guard let program = compiled.output else {
      let texts = compiled.diagnostics.map { "\($0.code.rawValue): \($0.message)" }
      return ["error": .string(texts.joined(separator: "; "))]
    }
    do throws(EvaluationError) {
      return SuperscriptValues.result(try evaluate(program))
    } catch {
      return ["error": .string("\(error.kind.slug) \(error.operandTypes)")]
    }
  }

  /// Whether an expression makes the original terminate the process.
  func abortsApp(_ source: String) -> Bool {
    let compiled = environment.compile(source)
    guard let program = compiled.output else {
      return compiled.diagnostics.contains(where: \.abortsApp)
    }
    do throws(EvaluationError) {
      _ = try evaluate(program)
      return false
    } catch {
      return error.kind.abortsApp
    }
  }

  private func evaluate(_ program: Program) throws(EvaluationError) -> Value {
    var frame = Frame(for: program)
    try frame.fill(variables)
    for (number, question) in program.questions.enumerated() {
      try frame.answer(number, with: reply(question))
    }
    return try program.evaluate(in: &frame)
  }

  /// The reply to a question, which does not depend on the arguments.
  private func reply(_ question: HostQuestion) -> Value {
    question.argument == .anyKnown ? .map([]) : replies[question.function] ?? .null
  }
}

/// Decodes the values of the suite: plain JSON, `{"$uint":n}` and `{"$float":x}`. Results may also
/// contain `{"$bytes":[...]}`, `{"$timestamp":seconds}` and `{"$function":name}`.
enum SuperscriptValues {
  static func decode(_ value: Value) -> Value {
    switch value {
    case .list(let values): return .list(values.map(decode))
    case .map(let entries):
      if let wrapped = wrapped(value) { return wrapped }
      return .map(entries.map { Value.Entry(key: $0.key, value: decode($0.value)) })
    default: return value
    }
  }

  /// The value in a wrapper such as `{"$uint":n}`, or nil for other values.
  static func wrapped(_ value: Value) -> Value? {
    guard case .map(let entries) = value, entries.count == 1,
      let key = entries[0].key.text
    else { return nil }
    return decode(entries[0].value, as: key)
  }

  private static func decode(_ value: Value, as wrapper: String) -> Value? {
    switch (wrapper, value) {
    case ("$uint", .int(let number)): .uint(UInt64(bitPattern: number))
    case ("$uint", .uint): value
    case ("$float", .int(let number)): .double(Double(number))
    case ("$float", .uint(let number)): .double(Double(number))
    case ("$float", .double): value
    case ("$raw", _): .null
    default: nil
    }
  }

  /// A result with the name of its type. A duration is reported as null.
  static func result(_ value: Value) -> Value {
    ["value": encode(value), "type": .string(typeName(value))]
  }

  private static func typeName(_ value: Value) -> String {
    switch value {
    case .null, .duration: "null"
    case .double: "float"
    case .timestamp: "timestamp"
    default: value.typeName
    }
  }

  private static func encode(_ value: Value) -> Value {
    switch value {
    case .uint: ["$uint": value]
    case .double(let number): ["$float": number.isFinite ? value : .null]
    case .bytes(let bytes): ["$bytes": .list(bytes.map { .int(Int64($0)) })]
    case .timestamp(let seconds, _): ["$timestamp": .int(seconds)]
    case .function(let name): ["$function": .string(name)]
    case .duration: .null
    case .list(let values): .list(values.map(encode))
    case .map(let entries):
      .map(entries.map { Value.Entry(key: key($0.key), value: encode($0.value)) })
    default: value
    }
  }

  /// JSON contains keys of other types in their string form.
  private static func key(_ key: Value) -> Value {
    if case .string = key { return key }
    return .string(key.json)
  }
}
