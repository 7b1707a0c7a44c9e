internal import Expressions
internal import Foundation
internal import Scenarios

/// Suite `cel`: the tests of the CEL specification. Cases that need protobuf messages, enums, deduced types, custom
/// functions or unknowns are skipped by name.
enum CELCases {
  /// The features that a case may require.
  private static let supported: Set<String> = [
    "ext:strings", "ext:math", "ext:optionals", "ext:encoders", "ext:bindings", "ext:block",
    "ext:comprehensions2", "ext:network",
  ]

  static func run(_ testCase: Case) throws(CaseFileError) -> Verdict {
    if let needs = testCase.content["needs"]?.elements {
      for case .string(let need) in needs where !supported.contains(need) {
        return .skipped("needs \(need)")
      }
    }
    guard let source = testCase.content["expr"]?.text else {
      throw CaseFileError(message: "case \(testCase.id) has no 'expr'")
    }
    let expected = testCase.content["expect"] ?? .null
    let wantsError = expected["error"] != nil
    let got = evaluate(source, testCase)
    switch got {
    case .failure(let error):
      let shown: Value = ["error": .string(error.text)]
      return wantsError ? .passed(got: shown) : .failed(expected: expected, got: shown)
    case .success(let value):
      let shown: Value = ["value": CELValues.encode(value)]
      guard let wanted = expected["value"].flatMap(CELValues.decode), !wantsError else {
        return .failed(expected: expected, got: shown)
      }
      return CELValues.areSame(value, wanted)
        ? .passed(got: shown) : .failed(expected: expected, got: shown)
    }
  }

  private struct Failure: Error {
    var text: String
  }

  private static func evaluate(_ source: String, _ testCase: Case) -> Result<Value, Failure> {
    var bindings: [Value.Entry] = []
    var names: [String] = []
    if case .map(let entries)? = testCase.content["bindings"] {
      for entry in entries {
        guard let name = entry.key.text, let value = CELValues.decode(entry.value) else {
          return .failure(Failure(text: "a binding is not understood"))
        }
        bindings.append(Value.Entry(key: entry.key, value: value))
        names.append(name)
      }
    }
    if let declared = testCase.content["type_env"]?.elements {
      for case .string(let name)? in declared.map({ $0["name"] }) where !names.contains(name) {
        names.append(name)
      }
    }
    var environment = ExpressionEnvironment(roots: [], variables: names)
    environment.allowsUnknownNames = testCase.content["disable_check"] == .bool(true)
    if let container = testCase.content["container"]?.text {
      environment.container = container
    }
    let compiled = environment.compile(source)
    guard let program = compiled.output else {
      let texts = compiled.diagnostics.map { "\($0.code.rawValue): \($0.message)" }
      return .failure(Failure(text: texts.joined(separator: "; ")))
    }
    do throws(EvaluationError) {
      return .success(try program.evaluate(.map(bindings)))
    } catch {
      return .failure(Failure(text: "\(error.kind.slug) \(error.operandTypes)"))
    }
  }
}

/// The typed values of the suite: `{"int":"-5"}`, `{"list":[..]}`, `{"map":[[k,v]..]}` and so on.
enum CELValues {
  static func decode(_ value: Value) -> Value? {
    guard case .map(let entries) = value, entries.count == 1,
      let type = entries[0].key.text
    else { return nil }
    let content = entries[0].value
    switch (type, content) {
    case ("null", _): return .null
    case ("bool", .bool): return content
    case ("string", .string): return content
    case ("int", .string(let text)): return Int64(text).map { .int($0) }
    case ("uint", .string(let text)): return UInt64(text).map { .uint($0) }
    case ("double", _): return double(content)
    case ("bytes", .string(let text)):
      return Foundation.Data(base64Encoded: text).map { .bytes(Array($0)) }
    case ("type", .string(let name)): return .type(name)
    case ("timestamp", .string(let text)): return evaluated("timestamp('\(text)')")
    case ("duration", .string(let text)): return evaluated("duration('\(text)')")
    case ("list", .list(let values)):
      let decoded = values.map(decode)
      return decoded.contains { $0 == nil } ? nil : .list(decoded.compactMap { $0 })
    case ("map", .list(let pairs)):
      var decoded: [Value.Entry] = []
      for case .list(let pair) in pairs where pair.count == 2 {
        guard let key = decode(pair[0]), let value = decode(pair[1]) else { return nil }
        decoded.append(Value.Entry(key: key, value: value))
      }
      return decoded.count == pairs.count ? .map(decoded) : nil
    default: return nil
    }
  }

  private static func double(_ value: Value) -> Value? {
    switch value {
    case .double: value
    case .int(let number): .double(Double(number))
    case .string("NaN"): .double(.nan)
    case .string("Infinity"): .double(.infinity)
    case .string("-Infinity"): .double(-.infinity)
    case .string("-0.0"): .double(-0.0)
    default: nil
    }
  }

  private static func evaluated(_ source: String) -> Value? {
    guard let program = ExpressionEnvironment().compile(source).output else { return nil }
    return try? program.evaluate(.map([]))
  }

  /// Whether two values are equal in type and value. The order of maps does not matter, and NaN equals NaN.
  static func areSame(_ a: Value, _ b: Value) -> Bool {
    switch (a, b) {
    case (.double(let x), .double(let y)): return x == y || x.isNaN && y.isNaN
    case (.string(let x), .string(let y)): return x.utf8.elementsEqual(y.utf8)
    case (.list(let x), .list(let y)):
      return x.count == y.count && zip(x, y).allSatisfy { areSame($0, $1) }
    case (.map(let x), .map(let y)):
      return x.count == y.count
        && x.allSatisfy { entry in
          y.contains { areSame(entry.key, $0.key) && areSame(entry.value, $0.value) }
        }
    default: return a == b
    }
  }

  /// Encodes a value in the suite's form.
  static func encode(_ value: Value) -> Value {
    switch value {
    case .null: ["null": true]
    case .bool: ["bool": value]
    case .int(let number): ["int": .string(String(number))]
    case .uint(let number): ["uint": .string(String(number))]
    case .double(let number):
      [
        "double": number.isFinite
          ? value : .string(number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity")
      ]
    case .string: ["string": value]
    case .bytes(let bytes): ["bytes": .string(Foundation.Data(bytes).base64EncodedString())]
    case .list(let values): ["list": .list(values.map(encode))]
    case .map(let entries):
      ["map": .list(entries.map { .list([encode($0.key), encode($0.value)]) })]
    case .timestamp: ["timestamp": .string(value.json.filter { $0 != "\"" })]
    case .duration: ["duration": .string(value.json.filter { $0 != "\"" })]
    case .type(let name), .function(let name): ["type": .string(name)]
    case .optional(let inner): ["optional": inner.map(encode) ?? .null]
    }
  }
}
