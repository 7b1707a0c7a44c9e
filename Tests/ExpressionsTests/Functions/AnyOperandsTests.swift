import TestSupport
import Testing

@testable import Expressions

/// Every function of the table with operands of every type: a value or a fault, never a trap, and of the
/// types that its signatures say.
@Suite("Functions with any operands", .timeLimit(.minutes(30)))
struct AnyOperandsTests {
  private static let leaves = [
    "missing", "unknown", "null", "true", "false", "none", "0", "1", "-1", "2", "64", "1000",
    "9223372036854775807", "-9223372036854775808", "0u", "1u", "18446744073709551615u", "0.0",
    "-0.0",
    "1.5", "-2.5", "1e300", "5e-324", "toDouble('NaN')", "toDouble('Infinity')", "''", "'a'",
    "'é😀'",
    "'a,b,,c'", "','", "'%s %d %.3f'", "'%x%%%e'", "'%'", "'YWI='", "'1.2.3-rc.1'", "'10.0.0.0/8'",
    "'2001:db8::1'", "|40 'ab'", "|20 'é'", "b''", "b'abc'", "[]", "[1, 2, 3]", "[2.0, 1u, 3]",
    "['b', 'a', 'b']", "[[1], [2, [3]]]", "[null, {'a': [1]}]", "{}",
    "{'a': 1, 2: 'b', true: null}",
    "ip('1.2.3.4')", "ip('fe80::1')", "cidr('10.1.2.3/8')", "version('1.2.3-a')", "typeOf(1)",
    "toDuration('1h')", "toTimestamp('2020-01-01T00:00:00Z')", "'2026-11-21'", "'Europe/Berlin'",
    "toTimestamp('9999-12-31T23:59:59Z')",
  ]

  /// The result of a call with operands that no signature takes is a fault, which lints rely on.
  private func check(
    _ call: String, _ function: Function, _ operands: [TypeName], _ result: TypeName?
  ) {
    let taking = function.entry.signatures.filter { signature in
      signature.counts.contains(operands.count)
        && operands.enumerated().allSatisfy { place, type in
          signature.operand(place)?.types.contains(TypeSet(type)) == true
        }
    }
    guard let result else { return }
    let results = taking.reduce(into: TypeSet([])) { $0.formUnion($1.result.types) }
    #expect(results.contains(TypeSet(result)), "\(call) is of the type \(result.name)")
  }

  @Test func neverTraps() {
    var generator = SplitMix(seed: 3)
    var values = 0
    let functions = Function.allCases
    for number in 0..<Extent.count(40_000, or: 16_000) {
      let function = functions[number % functions.count]
      let counts = function.entry.counts.clamped(to: 0...5)
      let operands = (0..<Int.random(in: counts, using: &generator)).map { _ in
        AnyOperandsTests.leaves.randomElement(using: &generator) ?? ""
      }
      let call = "\(function)(\(operands.joined(separator: ", ")))"
      let result = CallNotation.result(call)
      #expect(!result.hasPrefix("tag"), "\(call)")
      values += result.hasPrefix("error") ? 0 : 1
      let types = CallNotation.types(call)
      let known = types.operands.compactMap(\.self)
      if known.count == operands.count { check(call, function, known, types.result) }
    }
    #expect(values > 1_000)
  }

  // MARK: In expressions

  /// Values by type, as both languages write them.
  private static let literals: [(text: String, type: TypeName)] = [
    ("null", .null), ("true", .bool), ("1", .int), ("-3", .int), ("uint(2)", .uint),
    ("1.5", .double),
    ("'a'", .string), ("'1'", .string), ("bytes('a')", .bytes), ("[1, 2]", .list),
    ("['a']", .list), ("{'a': 1}", .map), ("duration('1h')", .duration),
    ("timestamp('2026-03-01T12:00:00Z')", .timestamp),
  ]

  private static let literalsOfCEL: [(text: String, type: TypeName)] =
    literals + [
      ("type(1)", .type), ("optional.of(1)", .optional), ("optional.none()", .optional),
      ("ip('10.0.0.1')", .ip), ("cidr('10.0.0.0/8')", .cidr), ("version('1.2')", .version),
    ]

  /// The same with calls as people write them, also of functions that are instructions.
  @Test(arguments: [Dialect.cel, .superscript])
  func inExpressions(dialect: Dialect) throws {
    var generator = SplitMix(seed: 4)
    let isCEL = dialect == .cel
    let environment = isCEL ? ExpressionEnvironment() : .superscript()
    let literals = isCEL ? Self.literalsOfCEL : Self.literals
    var values = 0
    for entry in FunctionEntry.named(in: isCEL ? .cel : .superscript) {
      for count in entry.counts.clamped(to: 0...4) {
        for _ in 0..<Extent.count(1_000, or: 100) {
          let operands = (0..<count).compactMap { _ in literals.randomElement(using: &generator) }
          let written = operands.map { "(\($0.text))" }
          let call =
            if let name = entry.name {
              "\(name)(\(written.joined(separator: ", ")))"
            } else {
              "\(written[0]).\(entry.method ?? "")(\(written.dropFirst().joined(separator: ", ")))"
            }
          let program = try #require(environment.compile(isCEL ? "type(\(call))" : call).output)
          guard let value = try? program.evaluate(["user": [:]]) else { continue }
          values += 1
          // It is false for values that cannot contain anything.
          if entry.function == .containsAnything, value == .bool(false) { continue }
          // The other optional counts only if the first one has no value.
          if entry.function == .or, operands[1].type != .optional { continue }
          let name = if case .type(let name) = value { name } else { value.typeName }
          check(call, entry.function, operands.map(\.type), TypeName(named: name))
        }
      }
    }
    #expect(values > 200)
  }
}
