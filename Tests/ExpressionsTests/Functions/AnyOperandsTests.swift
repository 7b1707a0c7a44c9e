import TestSupport
import Testing

@testable import Expressions

/// Every function of the extensions with operands of every kind: a value or a fault, never a trap.
@Suite("Extensions with any operands", .timeLimit(.minutes(30)))
struct AnyOperandsTests {
  /// The functions and the numbers of their operands.
  private static let functions: [(name: String, operands: ClosedRange<Int>)] = [
    ("charAt", 2...2), ("indexOf", 2...3), ("lastIndexOf", 2...3), ("lowerAscii", 1...1),
    ("upperAscii", 1...1), ("replace", 3...4), ("split", 2...3), ("substring", 2...3),
    ("trim", 1...1), ("join", 1...2), ("quote", 1...1), ("reverse", 1...1), ("format", 2...2),
    ("greatest", 1...5), ("least", 1...5), ("ceil", 1...1), ("floor", 1...1), ("round", 1...1),
    ("trunc", 1...1), ("abs", 1...1), ("sign", 1...1), ("isNaN", 1...1), ("isInf", 1...1),
    ("isFinite", 1...1), ("sqrt", 1...1), ("bitAnd", 2...2), ("bitOr", 2...2), ("bitXor", 2...2),
    ("bitNot", 1...1), ("bitShiftLeft", 2...2), ("bitShiftRight", 2...2), ("range", 1...1),
    ("slice", 3...3), ("flatten", 1...2), ("sort", 1...1), ("distinct", 1...1),
    ("sortByKeys", 2...2), ("setContains", 2...2), ("setEquivalent", 2...2),
    ("setIntersects", 2...2), ("base64Encode", 1...1), ("base64Decode", 1...1), ("ip", 1...1),
    ("cidr", 1...1), ("isIP", 1...1), ("isCIDR", 1...1), ("isCanonicalIP", 1...1),
    ("ipFamily", 1...1), ("isUnspecified", 1...1), ("isLoopback", 1...1),
    ("isGlobalUnicast", 1...1), ("isLinkLocalMulticast", 1...1), ("isLinkLocalUnicast", 1...1),
    ("containsIP", 2...2), ("containsCIDR", 2...2), ("ipOfCIDR", 1...1), ("masked", 1...1),
    ("prefixLength", 1...1), ("version", 1...1), ("date", 1...2), ("days", 1...1),
    ("startOfDay", 1...2), ("addDays", 2...3), ("addMonths", 2...3), ("daysUntil", 2...3),
  ]

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

  @Test func neverTraps() {
    var generator = SplitMix(seed: 3)
    var values = 0
    for number in 0..<10_000 {
      let function = AnyOperandsTests.functions[number % AnyOperandsTests.functions.count]
      let operands = (0..<Int.random(in: function.operands, using: &generator)).map { _ in
        AnyOperandsTests.leaves.randomElement(using: &generator) ?? ""
      }
      let call = "\(function.name)(\(operands.joined(separator: ", ")))"
      let result = CallNotation.result(call)
      #expect(!result.hasPrefix("tag"), "\(call)")
      values += result.hasPrefix("error") ? 0 : 1
    }
    #expect(values > 500)
  }
}
