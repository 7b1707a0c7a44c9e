import Testing

@testable import Expressions

@Suite("Math extension")
struct MathExtensionTests {
  @Test(arguments: [
    ("greatest(-5)", "-5"), ("greatest(5.0)", "5.0"), ("greatest(5u)", "5u"),
    ("greatest(1, 1.0)", "1"), ("greatest(1.0, 1)", "1.0"), ("greatest(1u, 1)", "1u"),
    ("greatest(3, -3)", "3"), ("greatest(-7, 5)", "5"), ("greatest(-7, 5u)", "5u"),
    ("greatest(9223372036854775807, 1)", "9223372036854775807"),
    ("greatest(1, -9223372036854775808)", "1"), ("greatest(1, 1u, 1u)", "1"),
    ("greatest(10, 1, 3)", "10"), ("greatest(1, 3, 10)", "10"), ("greatest(-1, -2, -3)", "-1"),
    ("greatest(5.4, 10, 3u, -5.0, 9223372036854775807)", "9223372036854775807"),
    ("greatest(1, 1.797693e308)", "1.797693e+308"), ("greatest(-1.797693e308, 1.5)", "1.5"),
    ("greatest([5.4, 10.5, 3u, -5.0, 3.5])", "10.5"), ("greatest([5.4, 10u, 3u, -5.0])", "10u"),
    ("greatest(5.4, 10, 3u, -5.0, 18446744073709551615u)", "18446744073709551615u"),
    ("greatest(9223372036854775807, 9223372036854775808u)", "9223372036854775808u"),
    ("greatest([])", "error index-out-of-range"), ("greatest('a')", "error no-such-overload"),
    ("greatest(1, 'a')", "error no-such-overload"),
    ("greatest(1, 2, 'a')", "error no-such-overload"),
    ("greatest([1, 'a'])", "error no-such-overload"),
    ("greatest([1], [2])", "error no-such-overload"),
    ("greatest(1, 2, missing)", "error no-such-attribute"),
    ("greatest(1, 2, unknown)", "error unknown-value"), ("greatest(toDouble('NaN'), 1.0)", "nan"),
    ("greatest(1.0, toDouble('NaN'))", "1.0"), ("least(-5)", "-5"), ("least(5.5)", "5.5"),
    ("least(5u)", "5u"), ("least(1, 1u)", "1"), ("least(1.0, 1)", "1.0"), ("least(5, -7)", "-7"),
    ("least(-3, 3u)", "-3"), ("least(1, -9223372036854775808)", "-9223372036854775808"),
    ("least(0, 1, 3)", "0"), ("least(5.4, 10, 3u, -5.0, 9223372036854775807)", "-5.0"),
    ("least(1u, 10u, 3u)", "1u"), ("least([5.4, 10u, 3u, 1u, 3.5])", "1u"),
    ("least([-1.5, -2.5, -3.5])", "-3.5"), ("least(18446744073709551615u, 1u, 5u)", "1u"),
    ("least([])", "error index-out-of-range"),
  ])
  func extremes(call: String, expected: String) {
    #expect(CallNotation.result(call) == expected)
  }

  @Test(arguments: [
    ("ceil(-1.2)", "-1.0"), ("ceil(1.2)", "2.0"), ("ceil(1)", "error no-such-overload"),
    ("floor(-1.2)", "-2.0"), ("floor(1.2)", "1.0"), ("floor(1)", "error no-such-overload"),
    ("round(-1.6)", "-2.0"), ("round(-1.4)", "-1.0"), ("round(-1.5)", "-2.0"),
    ("round(1.2)", "1.0"), ("round(1.5)", "2.0"), ("round(2.5)", "3.0"), ("round(-2.5)", "-3.0"),
    ("round(0.49999999999999994)", "0.0"), ("round(1)", "error no-such-overload"),
    ("isNaN(round(toDouble('NaN')))", "true"), ("trunc(-1.2)", "-1.0"), ("trunc(1.9)", "1.0"),
    ("trunc(1u)", "error no-such-overload"), ("round(missing)", "error no-such-attribute"),
    ("abs(1u)", "1u"), ("abs(1)", "1"), ("abs(-11)", "11"), ("abs(1.5)", "1.5"),
    ("abs(-11.5)", "11.5"), ("abs(-9223372036854775808)", "error overflow"),
    ("abs('a')", "error no-such-overload"), ("sign(100u)", "1u"), ("sign(0u)", "0u"),
    ("sign(100)", "1"), ("sign(-11)", "-1"), ("sign(0)", "0"), ("sign(100.5)", "1.0"),
    ("sign(-32.0)", "-1.0"), ("sign(0.0)", "0.0"), ("sign(toDouble('NaN'))", "nan"),
    ("sign(true)", "error no-such-overload"), ("isNaN(toDouble('NaN'))", "true"),
    ("isNaN(toDouble('Infinity'))", "false"), ("isNaN(true)", "error no-such-overload"),
    ("isInf(toDouble('-Infinity'))", "true"), ("isInf(1.5)", "false"),
    ("isInf(1)", "error no-such-overload"), ("isFinite(1.5)", "true"),
    ("isFinite(toDouble('NaN'))", "false"), ("isFinite(toDouble('Infinity'))", "false"),
    ("isFinite(true)", "error no-such-overload"), ("sqrt(49.0)", "7.0"), ("sqrt(49)", "7.0"),
    ("sqrt(4u)", "2.0"), ("isNaN(sqrt(-1))", "true"), ("sqrt('4')", "error no-such-overload"),
  ])
  func rounding(call: String, expected: String) {
    #expect(CallNotation.result(call) == expected)
  }

  @Test(arguments: [
    ("bitAnd(1, 2)", "0"), ("bitAnd(1, 3)", "1"), ("bitAnd(1, -1)", "1"), ("bitAnd(1u, 3u)", "1u"),
    ("bitAnd(2u, '')", "error no-such-overload"), ("bitAnd(1, 1u)", "error no-such-overload"),
    ("bitAnd(1.0, 1.0)", "error no-such-overload"), ("bitOr(1, 2)", "3"), ("bitOr(4, -2)", "-2"),
    ("bitOr(1u, 4u)", "5u"), ("bitOr(1, null)", "error no-such-overload"), ("bitXor(1, 3)", "2"),
    ("bitXor(1u, 3u)", "2u"), ("bitXor(3u, missing)", "error no-such-attribute"),
    ("bitNot(1)", "-2"), ("bitNot(-1)", "0"), ("bitNot(0)", "-1"),
    ("bitNot(1u)", "18446744073709551614u"), ("bitNot(0u)", "18446744073709551615u"),
    ("bitNot('')", "error no-such-overload"), ("bitShiftLeft(1, 2)", "4"),
    ("bitShiftLeft(1, 63)", "-9223372036854775808"), ("bitShiftLeft(1, 64)", "0"),
    ("bitShiftLeft(1, 200)", "0"), ("bitShiftLeft(-1, 200)", "0"), ("bitShiftLeft(1u, 2)", "4u"),
    ("bitShiftLeft(1u, -1)", "error index-out-of-range"),
    ("bitShiftLeft(1, -9223372036854775808)", "error index-out-of-range"),
    ("bitShiftLeft(4.3, 1)", "error no-such-overload"),
    ("bitShiftLeft(4, 1u)", "error no-such-overload"), ("bitShiftRight(1024, 2)", "256"),
    ("bitShiftRight(-1024, 3)", "2305843009213693824"), ("bitShiftRight(-1024, 64)", "0"),
    ("bitShiftRight(-1, 0)", "-1"), ("bitShiftRight(1024u, 2)", "256u"),
    ("bitShiftRight(1024u, 9223372036854775807)", "0u"),
    ("bitShiftRight(1u, -1)", "error index-out-of-range"),
    ("bitShiftRight(b'123', 1)", "error no-such-overload"),
  ])
  func bits(call: String, expected: String) {
    #expect(CallNotation.result(call) == expected)
  }
}
