import Testing

@testable import CivilTime
@testable import Expressions

@Suite("format() of the strings extension")
struct StringFormatTests {
  @Test(arguments: [
    ("'no substitution', []", "'no substitution'"), ("'%% and also %%', []", "'% and also %'"),
    ("'%%%s%%', ['text']", "'%text%'"), ("'%s%%', ['right']", "'right%'"),
    ("'%%%s', ['left']", "'%left'"), ("'', []", "''"), ("'%%%%', []", "'%%'"),
    ("'%s %s', ['a', 'b']", "'a b'"), ("'%s', [1, 2]", "'1'"),
    (
      "'%d %d %d, %s %s %s, %d %d %d, %s %s %s', [1, 2, 3, 'A', 'B', 'C', 4, 5, 6, 'D', 'E', 'F']",
      "'1 2 3, A B C, 4 5 6, D E F'"
    ),
    ("'é%s©', ['日本']", "'é日本©'"),
  ])
  func clauses(operands: String, expected: String) {
    #expect(CallNotation.result("format(\(operands))") == expected)
  }

  @Test(arguments: [
    ("%b", "5", "101"), ("%b", "-5", "-101"), ("%b", "64u", "1000000"), ("%b", "true", "1"),
    ("%b", "false", "0"), ("%b", "0", "0"), ("%.3b", "5", "101"),
    ("%b", "-9223372036854775808", "-1" + String(repeating: "0", count: 63)), ("%o", "11", "13"),
    ("%o", "65535u", "177777"), ("%o", "-8", "-10"), ("%x", "30", "1e"), ("%X", "30", "1E"),
    ("%X", "6000u", "1770"), ("%x", "-255", "-ff"), ("%X", "-255", "-FF"),
    ("%x", "-9223372036854775808", "-8000000000000000"),
    ("%x", "18446744073709551615u", "ffffffffffffffff"),
    ("%x", "'Hello world!'", "48656c6c6f20776f726c6421"), ("%x", "''", ""),
    ("%X", "b'byte string'", "6279746520737472696E67"), ("%X", "'ü'", "C3BC"), ("%d", "42", "42"),
    ("%d", "0", "0"), ("%d", "-64", "-64"), ("%d", "64u", "64"),
    ("%d", "18446744073709551615u", "18446744073709551615"),
    ("%d", "-9223372036854775808", "-9223372036854775808"), ("%.3d", "5", "5"),
    ("%d", "toDouble('NaN')", "NaN"), ("%d", "toDouble('Infinity')", "Infinity"),
    ("%d", "toDouble('-Infinity')", "-Infinity"), ("%d", "2.0", "2"), ("%d", "-1.5", "-1.5"),
    ("%d", "1e22", "10000000000000000000000"),
  ])
  func integers(clause: String, operand: String, expected: String) {
    #expect(CallNotation.result("format('\(clause)', [\(operand)])") == "'\(expected)'")
  }

  @Test(arguments: [
    ("%.3f", "1.2345", "1.234"), ("%f", "2", "2.000000"), ("%f", "3u", "3.000000"),
    ("%f", "2.71828", "2.718280"), ("%.0f", "3.5001", "4"), ("%.0f", "3.4999", "3"),
    ("%.0f", "1.5", "2"), ("%.0f", "2.5", "2"), ("%.0f", "0.5", "0"), ("%.0f", "-0.4", "-0"),
    ("%.3f", "123.4999", "123.500"), ("%.3f", "123.4994", "123.499"),
    ("%.3f", "-123.4999", "-123.500"), ("%.3f", "-123.4994", "-123.499"),
    ("%.5f", "-1.2", "-1.20000"), ("%.20f", "0.1", "0.10000000000000000555"),
    ("%f", "9223372036854775807", "9223372036854775808.000000"), ("%.1f", "99.95", "100.0"),
    ("%.1f", "0.05", "0.1"), ("%.1f", "0.04", "0.0"), ("%.3f", "0.0005", "0.001"),
    ("%.3f", "0.00049", "0.000"), ("%.03f", "1.5", "1.500"), ("%f", "-0.0", "-0.000000"),
    ("%.1f", "9.99e22", "99899999999999992659968.0"), ("%f", "toDouble('NaN')", "NaN"),
    ("%f", "toDouble('Infinity')", "Infinity"), ("%f", "toDouble('-Infinity')", "-Infinity"),
    ("%f", "'NaN'", "NaN"), ("%f", "'Infinity'", "Infinity"), ("%f", "'-Infinity'", "-Infinity"),
    ("%.6e", "1052.032911275", "1.052033e+03"), ("%e", "2.71828", "2.718280e+00"),
    ("%e", "2", "2.000000e+00"), ("%e", "3u", "3.000000e+00"), ("%e", "0.0", "0.000000e+00"),
    ("%e", "1e-7", "1.000000e-07"), ("%e", "1e100", "1.000000e+100"),
    ("%e", "5e-324", "4.940656e-324"), ("%.0e", "1.5", "2e+00"), ("%.0e", "2.5", "2e+00"),
    ("%.3e", "123456.0", "1.235e+05"), ("%.1e", "9.99", "1.0e+01"),
    ("%.20e", "0.1", "1.00000000000000005551e-01"), ("%e", "-0.0", "-0.000000e+00"),
    ("%e", "toDouble('NaN')", "NaN"), ("%e", "toDouble('Infinity')", "Infinity"),
    ("%e", "toDouble('-Infinity')", "-Infinity"), ("%e", "'Infinity'", "Infinity"),
  ])
  func fractions(clause: String, operand: String, expected: String) {
    #expect(CallNotation.result("format('\(clause)', [\(operand)])") == "'\(expected)'")
  }

  @Test(arguments: [
    ("'a string'", "a string"), ("999999999999", "999999999999"), ("-7", "-7"), ("3u", "3"),
    ("56.8", "56.8"), ("1.0", "1"), ("-0.0045", "-0.0045"), ("1e100", "1e+100"), ("true", "true"),
    ("false", "false"), ("null", "null"), ("b'xyz'", "xyz"), ("typeOf('test string')", "string"),
    ("typeOf(1)", "int"), ("typeOf(null)", "null_type"),
    ("typeOf(toTimestamp('2023-02-03T23:31:20Z'))", "google.protobuf.Timestamp"),
    ("toTimestamp('2023-02-03T23:31:20+00:00')", "2023-02-03T23:31:20Z"),
    ("toTimestamp('2020-01-01T00:00:00.100Z')", "2020-01-01T00:00:00.1Z"),
    ("toDuration('1h45m47s')", "6347s"), ("toDuration('-1.5s')", "-1.5s"),
    (
      "['abc', 3.14, null, [9, 8, 7, 6], toTimestamp('2023-02-03T23:31:20Z')]",
      "[abc, 3.14, null, [9, 8, 7, 6], 2023-02-03T23:31:20Z]"
    ),
    (
      "{'key1': b'xyz', 'key5': null, 'key2': toDuration('2h'), 'key4': true, 'key3': 2.71828}",
      "{key1: xyz, key2: 7200s, key3: 2.71828, key4: true, key5: null}"
    ),
    ("{'strKey': 'x', 6: toDuration('422s'), true: 42}", "{6: 422s, strKey: x, true: 42}"),
    ("{2: 1, 10: 2, -3: 4, 7u: 5}", "{-3: 4, 10: 2, 2: 1, 7: 5}"),
    ("{'é': 1, 'z': 2, 'Z': 3}", "{Z: 3, z: 2, é: 1}"), ("{}", "{}"), ("[]", "[]"),
    ("{'a': {'b': [1, null]}}", "{a: {b: [1, null]}}"), ("[typeOf(1)]", "[int]"),
    (
      "[toDouble('NaN'), toDouble('Infinity'), toDouble('-Infinity')]", "[NaN, Infinity, -Infinity]"
    ),
    ("[6, 4.2, 'a string']", "[6, 4.2, a string]"), ("ip('2001:DB8::1')", "2001:db8::1"),
    ("cidr('10.0.0.0/8')", "10.0.0.0/8"), ("version('v1.2-rc.1+5')", "1.2.0-rc.1"),
  ])
  func texts(operand: String, expected: String) {
    #expect(CallNotation.result("format('%s', [\(operand)])") == "'\(expected)'")
  }

  @Test(arguments: [
    ("'%a', [1]", "conversion"), ("'%', []", "conversion"), ("'%', [1]", "conversion"),
    ("'%.', [1]", "conversion"), ("'%.3', [1.0]", "conversion"), ("'%.f', [1.5]", "conversion"),
    ("'%.-1f', [1.5]", "conversion"), ("'%.3%', [1]", "conversion"), ("'%5d', [1]", "conversion"),
    ("'%.1001f', [0.1]", "conversion"), ("'%.99999999999999999999f', [1.5]", "conversion"),
    ("'%é', ['a']", "conversion"), ("'%S', ['a']", "conversion"),
    ("'%s', []", "index-out-of-range"), ("'%d %d %d', [0, 1]", "index-out-of-range"),
    ("'%f', ['abc']", "conversion"), ("'string is %b', ['abc']", "no-such-overload"),
    ("'%d', ['3']", "no-such-overload"), ("'%d', [true]", "no-such-overload"),
    ("'%d', [toDuration('30m2s')]", "no-such-overload"), ("'%d', [[1]]", "no-such-overload"),
    ("'octal: %o', ['a string']", "no-such-overload"), ("'%o', [true]", "no-such-overload"),
    ("'double is %x', [0.5]", "no-such-overload"), ("'%x', [true]", "no-such-overload"),
    ("'%f', [true]", "no-such-overload"), ("'null: %d', [null]", "no-such-overload"),
    ("'null: %e', [null]", "no-such-overload"), ("'null: %f', [null]", "no-such-overload"),
    ("'null: %x', [null]", "no-such-overload"), ("'null: %b', [null]", "no-such-overload"),
    ("'null: %o', [null]", "no-such-overload"), ("'%s', [none]", "no-such-overload"),
    ("'%s', [[none]]", "no-such-overload"), ("'%s', 'a'", "no-such-overload"),
    ("'%s', missing", "no-such-attribute"), ("1, [1]", "no-such-overload"),
    ("'%s', [base64Decode('/w==')]", "conversion"),
  ])
  func faults(operands: String, slug: String) {
    #expect(CallNotation.result("format(\(operands))") == "error \(slug)")
  }
}
