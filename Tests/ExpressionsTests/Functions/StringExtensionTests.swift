import Testing

@testable import Expressions

@Suite("Strings extension")
struct StringExtensionTests {
  @Test(arguments: [
    ("charAt('tacocat', 3)", "'o'"), ("charAt('tacocat', 7)", "''"), ("charAt('', 0)", "''"),
    ("charAt('©αT', 0)", "'©'"), ("charAt('©αT', 1)", "'α'"), ("charAt('©αT', 2)", "'T'"),
    ("charAt('a😀b', 1)", "'😀'"), ("charAt('tacocat', 8)", "error index-out-of-range"),
    ("charAt('tacocat', 30)", "error index-out-of-range"),
    ("charAt('tacocat', -1)", "error index-out-of-range"),
    ("charAt('a', 9223372036854775807)", "error index-out-of-range"),
    ("charAt('a', -9223372036854775808)", "error index-out-of-range"),
    ("charAt('abc', 1u)", "error no-such-overload"), ("charAt(1, 1)", "error no-such-overload"),
    ("charAt('text', missing)", "error no-such-attribute"),
    ("charAt(unknown, 1)", "error unknown-value"),
  ])
  func charAt(call: String, expected: String) {
    #expect(CallNotation.result(call) == expected)
  }

  @Test(arguments: [
    ("indexOf('tacocat', '')", "0"), ("indexOf('tacocat', 'ac')", "1"),
    ("indexOf('tacocat', 'none')", "-1"), ("indexOf('tacocat', '', 3)", "3"),
    ("indexOf('tacocat', 'a', 3)", "5"), ("indexOf('tacocat', 'at', 3)", "5"),
    ("indexOf('ta©o©αT', '©α')", "4"), ("indexOf('ta©o©αT', '©', 3)", "4"),
    ("indexOf('ta©o©αT', '©α', 3)", "4"), ("indexOf('ta©o©αT', '©α', 5)", "-1"),
    ("indexOf('ijk', 'k')", "2"), ("indexOf('hello wello', 'hello wello')", "0"),
    ("indexOf('hello wello', 'ello', 6)", "7"), ("indexOf('hello wello', 'elbo room!!')", "-1"),
    ("indexOf('hello wello', 'elbo room!!!')", "-1"), ("indexOf('', 'a')", "-1"),
    ("indexOf('', '')", "0"), ("indexOf('tacocat', 'a', 7)", "-1"),
    ("indexOf('tacocat', '', 7)", "7"), ("indexOf('tacocat', '', 8)", "error index-out-of-range"),
    ("indexOf('tacocat', 'a', 30)", "error index-out-of-range"),
    ("indexOf('tacocat', 'a', -1)", "error index-out-of-range"),
    ("indexOf(24, '2')", "error no-such-overload"),
    ("indexOf('hello', true)", "error no-such-overload"),
    ("indexOf('42', 4, 0)", "error no-such-overload"),
    ("indexOf('42', '4', '0')", "error no-such-overload"),
    ("indexOf('42', '4', missing)", "error no-such-attribute"),
    ("indexOf(|100 'ab', |40 'ba')", "1"), ("indexOf(|100 'ab', |40 'ba', 100)", "101"),
    ("indexOf(|100 'ab', |40 'ba', 150)", "-1"), ("indexOf(|99 'é', |40 'é', 7)", "7"),
  ])
  func indexOf(call: String, expected: String) {
    #expect(CallNotation.result(call) == expected)
  }

  @Test(arguments: [
    ("lastIndexOf('', '@@')", "-1"), ("lastIndexOf('tacocat', '')", "7"),
    ("lastIndexOf('tacocat', 'at')", "5"), ("lastIndexOf('tacocat', 'none')", "-1"),
    ("lastIndexOf('tacocat', '', 3)", "3"), ("lastIndexOf('tacocat', 'a', 3)", "1"),
    ("lastIndexOf('tacocat', 'a', 6)", "5"), ("lastIndexOf('tacocat', 't', 0)", "0"),
    ("lastIndexOf('ta©o©αT', '©')", "4"), ("lastIndexOf('ta©o©αT', '©', 3)", "2"),
    ("lastIndexOf('ta©o©αT', '©α', 4)", "4"), ("lastIndexOf('ta©o©αT', '©α', 3)", "-1"),
    ("lastIndexOf('hello wello', 'ello', 6)", "1"), ("lastIndexOf('hello wello', 'low')", "-1"),
    ("lastIndexOf('hello wello', 'elbo room!!')", "-1"),
    ("lastIndexOf('hello wello', 'hello wello')", "0"), ("lastIndexOf('bananananas', 'nana')", "6"),
    ("lastIndexOf('tacocat', 'a', 7)", "5"), ("lastIndexOf('', '')", "0"),
    ("lastIndexOf('tacocat', 'a', -1)", "error index-out-of-range"),
    ("lastIndexOf('tacocat', 'a', 30)", "error index-out-of-range"),
    ("lastIndexOf('tacocat', '', 8)", "error index-out-of-range"),
    ("lastIndexOf(|100 'ab', |40 'ba')", "119"), ("lastIndexOf(|100 'ab', |40 'ba', 8)", "7"),
    ("lastIndexOf(true, 'a')", "error no-such-overload"),
  ])
  func lastIndexOf(call: String, expected: String) {
    #expect(CallNotation.result(call) == expected)
  }

  @Test(arguments: [
    ("lowerAscii('TacoCat')", "'tacocat'"), ("lowerAscii('TacoCÆt Xii')", "'tacocÆt xii'"),
    ("upperAscii('tacoCat')", "'TACOCAT'"), ("upperAscii('tacoCαt')", "'TACOCαT'"),
    ("upperAscii('a text of more than 15 bytes é')", "'A TEXT OF MORE THAN 15 BYTES é'"),
    ("lowerAscii('@[`{')", "'@[`{'"), ("lowerAscii('')", "''"),
    ("upperAscii(1)", "error no-such-overload"), ("lowerAscii(missing)", "error no-such-attribute"),
    ("reverse('gums')", "'smug'"), ("reverse('☺')", "'☺'"), ("reverse('Ta©oCαt')", "'tαCo©aT'"),
    ("reverse('')", "''"), ("reverse('a😀')", "'😀a'"), ("reverse([1, 'b', 3])", "[3, 'b', 1]"),
    ("reverse([])", "[]"), ("reverse(1)", "error no-such-overload"),
    ("trim(' \u{C}\n\r\t\u{B}text  ')", "'text'"), ("trim('')", "''"), ("trim('   ')", "''"),
    ("trim('\u{85}\u{A0}\u{1680}text')", "'text'"),
    (
      "trim('text\u{2000}\u{2001}\u{2009}\u{200A}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}')",
      "'text'"
    ),
    ("trim('\u{180E}text\u{200B}')", "'\u{180E}text\u{200B}'"),
    ("trim('\u{FEFF}text\u{200D}')", "'\u{FEFF}text\u{200D}'"), ("trim(' é ')", "'é'"),
    ("trim(' a text of more than 15 bytes ')", "'a text of more than 15 bytes'"),
    ("trim(b'a')", "error no-such-overload"),
  ])
  func characters(call: String, expected: String) {
    #expect(CallNotation.result(call) == expected)
  }

  @Test(arguments: [
    ("substring('tacocat', 4)", "'cat'"), ("substring('tacocat', 7)", "''"),
    ("substring('tacocat', 0, 4)", "'taco'"), ("substring('tacocat', 4, 4)", "''"),
    ("substring('tacocat', 0, 7)", "'tacocat'"), ("substring('ta©o©αT', 2, 6)", "'©o©α'"),
    ("substring('ta©o©αT', 7, 7)", "''"), ("substring('', 0, 0)", "''"),
    ("substring('ta©o©αT is a longer text', 2)", "'©o©αT is a longer text'"),
    ("substring('tacocat', 40)", "error index-out-of-range"),
    ("substring('tacocat', -1)", "error index-out-of-range"),
    ("substring('tacocat', 1, 50)", "error index-out-of-range"),
    ("substring('tacocat', 49, 50)", "error index-out-of-range"),
    ("substring('tacocat', 4, 3)", "error index-out-of-range"),
    ("substring('tacocat', -9223372036854775808, 9223372036854775807)", "error index-out-of-range"),
    ("substring('tacocat', 1, 9223372036854775807)", "error index-out-of-range"),
    ("substring('tacocat', true, 3)", "error no-such-overload"),
    ("substring('tacocat', 1, 3.0)", "error no-such-overload"),
    ("substring('tacocat', 1, unknown)", "error unknown-value"),
  ])
  func substring(call: String, expected: String) {
    #expect(CallNotation.result(call) == expected)
  }

  @Test(arguments: [
    ("replace('12 days 12 hours', '{0}', '2')", "'12 days 12 hours'"),
    ("replace('{0} days {0} hours', '{0}', '2')", "'2 days 2 hours'"),
    ("replace(replace('{0} days {0} hours', '{0}', '2', 1), '{0}', '23')", "'2 days 23 hours'"),
    ("replace('1 ©αT taco', 'αT', 'o©α')", "'1 ©o©α taco'"), ("replace('aaa', 'a', '')", "''"),
    ("replace('aaaa', 'aa', 'b')", "'bb'"), ("replace('aaa', 'a', 'b', 2)", "'bba'"),
    ("replace('aaa', 'a', 'b', 0)", "'aaa'"), ("replace('aaa', 'a', 'b', -2)", "'bbb'"),
    ("replace('abc', '', '-')", "'-a-b-c-'"), ("replace('abc', '', '-', 1)", "'-abc'"),
    ("replace('abc', '', '-', 4)", "'-a-b-c-'"), ("replace('aé', '', '-')", "'-a-é-'"),
    ("replace('', '', 'x')", "'x'"), ("replace('', 'a', 'x')", "''"),
    (
      "replace('abc', 'abc', 'a text of more than fifteen bytes')",
      "'a text of more than fifteen bytes'"
    ),
    ("replace('abc', 'abc', 'abc', 9223372036854775807)", "'abc'"),
    ("replace(42, 2, 1)", "error no-such-overload"),
    ("replace('42', 2, 1)", "error no-such-overload"),
    ("replace('42', '2', 1)", "error no-such-overload"),
    ("replace('42', '2', '1', false)", "error no-such-overload"),
    ("replace('42', '2', missing)", "error no-such-attribute"),
    ("split('hello world events!', ' ')", "['hello', 'world', 'events!']"),
    ("split('hello world events!', ' ', 0)", "[]"),
    ("split('hello world events!', ' ', 1)", "['hello world events!']"),
    ("split('o©o©o©o', '©', -1)", "['o', 'o', 'o', 'o']"),
    ("split('a-b-c', '-', 2)", "['a', 'b-c']"),
    ("split('a-b-c', '-', 9223372036854775807)", "['a', 'b', 'c']"), ("split('', '-')", "['']"),
    ("split('-', '-')", "['', '']"), ("split('--a', '-')", "['', '', 'a']"),
    ("split('aaaa', 'aa')", "['', '', '']"), ("split('aé©', '')", "['a', 'é', '©']"),
    ("split('aé©', '', 2)", "['a', 'é©']"), ("split('aé©', '', 1)", "['aé©']"),
    ("split('aé©', '', 0)", "[]"), ("split('', '')", "[]"),
    ("split(42, '2')", "error no-such-overload"), ("split(42, '')", "error no-such-overload"),
    ("split('42', 2, 1)", "error no-such-overload"),
    ("split('42', '2', '1')", "error no-such-overload"), ("join(['x', 'y'])", "'xy'"),
    ("join(['x', 'y'], '-')", "'x-y'"), ("join([], '-')", "''"), ("join([])", "''"),
    ("join(['', ''], '-')", "'-'"), ("join(['a'], '-')", "'a'"),
    ("join(['a text of more', 'than fifteen bytes'], ' ')", "'a text of more than fifteen bytes'"),
    ("join(['a', 1], '-')", "error no-such-overload"), ("join(['a'], 1)", "error no-such-overload"),
    ("join('a', '-')", "error no-such-overload"),
  ])
  func parts(call: String, expected: String) {
    #expect(CallNotation.result(call) == expected)
  }

  @Test(arguments: [
    ("first\nsecond", #""first\nsecond""#), ("bell\u{7}", #""bell\a""#),
    ("\u{8}backspace", #""\bbackspace""#), ("\u{C}form feed", #""\fform feed""#),
    ("carriage \r return", #""carriage \r return""#), ("horizontal tab\t", #""horizontal tab\t""#),
    ("vertical \u{B} tab", #""vertical \v tab""#), (#"double \\ slash"#, #""double \\\\ slash""#),
    (#"two escape sequences \a\n"#, #""two escape sequences \\a\\n""#),
    ("verbatim", #""verbatim""#), (#"ends with \"#, #""ends with \\""#),
    (#"\ starts with"#, #""\\ starts with""#), (#"mid string " quote"#, #""mid string \" quote""#),
    ("завтра", #""завтра""#), ("\u{1F431}\u{1F600}\u{1F61B}", "\"\u{1F431}\u{1F600}\u{1F61B}\""),
    ("ta©o©αT", #""ta©o©αT""#), ("\u{0}\u{1F}\u{7F}", "\"\u{0}\u{1F}\u{7F}\""), ("", #""""#),
  ])
  func quote(text: String, expected: String) {
    #expect(CallNotation.result("quote('\(text)')") == "'\(expected)'")
  }
}
