import Testing

@testable import Expressions

/// One context for the tables below.
private let context: Value = [
  "user": [
    "plan": "free", "age": 29, "score": 4.5, "name": "Ada Lovelace", "vip": true, "nothing": .null,
    "tags": ["beta", "ios"], "sub": ["tier": "pro", "renews": false], "big": .uint(.max),
    "long": "a text of more than fifteen bytes", "unicode": "Müller",
  ],
  "device": ["country": "DE", "version": "002.014.003"],
]

private func evaluate(_ source: String) -> String {
  let compiled = Environment().compile(source)
  guard let program = compiled.output else {
    return "diagnostic " + compiled.diagnostics.map(\.code.rawValue).joined(separator: " ")
  }
  do throws(EvaluationError) {
    return try program.evaluate(context).json
  } catch {
    return "error \(error.kind.slug)"
  }
}

@Suite("Evaluation of the core language")
struct EvaluationTests {
  @Test(arguments: [
    ("1", "1"), ("-9223372036854775808", "-9223372036854775808"), ("18446744073709551615u", "18446744073709551615"),
    ("1.5", "1.5"), (".5", "0.5"), ("1e3", "1000.0"), ("0x1F", "31"), ("'a'", "\"a\""),
    (#""\u00e9\n""#, "\"é\\n\""), ("r'\\d'", #""\\d""#), ("'''a\n'b'''", #""a\n'b""#),
    ("null", "null"), ("[1, 'a', [true]]", #"[1,"a",[true]]"#), ("{'a': 1, 2: 'b'}", #"{"a":1,"2":"b"}"#),
    ("007", "7"), ("// comment\n1", "1"),
  ])
  func literals(source: String, expected: String) {
    #expect(evaluate(source) == expected)
  }

  @Test(arguments: [
    ("user.plan", "\"free\""), ("user['plan']", "\"free\""), ("user.sub.tier", "\"pro\""),
    ("user.tags[1]", "\"ios\""), ("user.tags[1.0]", "\"ios\""), ("user.nothing", "null"),
    ("user.missing", "error no-such-attribute"), ("user.plan.x", "error no-such-overload"),
    ("user.tags[2]", "error index-out-of-range"), ("user.tags[-1]", "error index-out-of-range"),
    ("user.tags['a']", "error no-such-overload"), ("params", "{}"), ("params.x", "error no-such-attribute"),
    ("{'a': 1}.a", "1"), ("{'a': 1}['b']", "error no-such-attribute"), ("{1: 'x'}[1u]", "\"x\""),
    ("{'a': {'b': 7}}.a.b", "7"), ("user.sub == {'tier': 'pro', 'renews': false}", "true"),
    ("nosuch.plan", "diagnostic unknown-attribute"),
  ])
  func attributes(source: String, expected: String) {
    #expect(evaluate(source) == expected)
  }

  @Test(arguments: [
    ("has(user.plan)", "true"), ("has(user.missing)", "false"), ("has(user.nothing)", "true"),
    ("has(user.sub.tier)", "true"), ("has(user.sub.x)", "false"),
    ("has(user.missing.x)", "error no-such-attribute"), ("has(user.plan.x)", "error no-such-overload"), ("has(params.x)", "false"),
    ("has({'a': 1}.a)", "true"), ("has({'a': 1}.b)", "false"), ("has(user)", "diagnostic syntax-error"),
    ("has(user['plan'])", "diagnostic syntax-error"),
  ])
  func presence(source: String, expected: String) {
    #expect(evaluate(source) == expected)
  }

  @Test(arguments: [
    ("user.plan == 'free'", "true"), ("user.plan != 'free'", "false"), ("'free' == user.plan", "true"),
    ("user.plan == 1", "false"), ("user.plan == null", "false"), ("user.nothing == null", "true"),
    ("user.missing == 'x'", "error no-such-attribute"), ("user.long == 'a text of more than fifteen bytes'", "true"),
    ("user.long != 'a text of more than fifteen bytez'", "true"),
    ("1 == 1.0", "true"), ("1 == 1u", "true"), ("2 < 2.5", "true"), ("user.age >= 29", "true"),
    ("user.age > 28.5", "true"), ("9223372036854775807 < 9223372036854775808.0", "false"),
    ("9007199254740993 == 9007199254740992", "false"), ("user.big > 1", "true"),
    ("-1 < user.big", "true"), ("'a' < 'b'", "true"), ("'Z' < 'a'", "true"), ("'a' < 'ab'", "true"),
    ("device.version >= '002.003.000'", "true"), ("false < true", "true"), ("1 < 'a'", "error no-such-overload"),
    ("null < 1", "error no-such-overload"), ("[1] < [2]", "error no-such-overload"),
    ("[1, 2.0] == [1.0, 2]", "true"), ("{'a': 1} == {'a': 1.0}", "true"), ("0.0 == -0.0", "true"),
    ("0.0/0.0 == 0.0/0.0", "false"), ("[0.0/0.0] == [0.0/0.0]", "false"), ("0.0/0.0 < 1.0", "false"),
    ("user.unicode == 'Mu\\u0308ller'", "false"), ("1 == 1 == true", "true"),
  ])
  func comparing(source: String, expected: String) {
    #expect(evaluate(source) == expected)
  }

  @Test(arguments: [
    ("true && true", "true"), ("user.vip && user.age > 3", "true"), ("user.vip && false", "false"),
    ("user.missing && false", "false"), ("false && user.missing", "false"),
    ("user.missing && true", "error no-such-attribute"), ("user.vip && user.missing == 1", "error no-such-attribute"),
    ("user.missing || user.vip", "true"), ("user.vip || user.missing", "true"),
    ("user.missing == 1 || user.age == 1", "error no-such-attribute"),
    ("user.age == 1 || user.missing == 1 || user.vip", "true"),
    ("user.missing == 1 && user.vip && user.age == 1", "false"),
    ("(user.missing == 1 || user.vip) && user.plan == 'free'", "true"),
    ("(user.missing == 1 && user.vip) || (user.x == 2 && !user.vip)", "error no-such-attribute"),
    ("!user.vip", "false"), ("!user.plan", "error no-such-overload"), ("!!user.vip", "true"),
    ("user.plan && true", "error no-such-overload"), ("user.plan || true", "true"),
    ("user.vip ? 1 : user.missing", "1"), ("user.missing ? 1 : 2", "error no-such-attribute"),
    ("user.plan ? 1 : 2", "error no-such-overload"), ("(user.vip ? 'a' : 'b') == 'a'", "true"),
    ("user.age > 18 ? user.plan == 'free' : false", "true"),
    ("user.vip == (user.age > 3 && user.plan == 'free')", "true"),
    ("(user.vip && user.age > 3) in [true]", "true"),
  ])
  func logic(source: String, expected: String) {
    #expect(evaluate(source) == expected)
  }

  @Test(arguments: [
    ("1 + 2 * 3", "7"), ("(1 + 2) * 3", "9"), ("7 / 2", "3"), ("-7 / 2", "-3"), ("-7 % 3", "-1"),
    ("7.0 / 2.0", "3.5"), ("user.age * 2 + 1", "59"), ("1 + 1.0", "error no-such-overload"),
    ("9223372036854775807 + 1", "error overflow"), ("-9223372036854775808 / -1", "error overflow"),
    ("-(-9223372036854775808)", "error overflow"), ("0u - 1u", "error overflow"), ("1 / 0", "error division-by-zero"),
    ("1 % 0", "error modulo-by-zero"), ("1.0 / 0.0 > 1.0", "true"), ("5-3", "2"), ("user.age-9", "20"),
    ("'a' + 'b'", "\"ab\""), ("user.plan + '-' + device.country", "\"free-DE\""),
    ("user.long + user.long == user.long + user.long", "true"),
    ("[1] + user.tags", #"[1,"beta","ios"]"#), ("-user.score", "-4.5"), ("-user.plan", "error no-such-overload"),
    ("user.missing + 1 == 2", "error no-such-attribute"),
  ])
  func arithmetic(source: String, expected: String) {
    #expect(evaluate(source) == expected)
  }

  @Test(arguments: [
    ("device.country in ['US', 'DE']", "true"), ("device.country in ['US']", "false"),
    ("device.country in []", "false"), ("user.age in [1, 29.0]", "true"), ("'beta' in user.tags", "true"),
    ("'tier' in user.sub", "true"), ("'x' in user.sub", "false"), ("user.plan in {'free': 1}", "true"),
    ("user.missing in ['a']", "error no-such-attribute"), ("user.age in [1,2,3,4,5,6,7,8,9,10,29]", "true"),
    ("device.country in ['a','b','c','d','e','f','g','h','i','DE']", "true"),
    ("user.long in ['x', 'a text of more than fifteen bytes']", "true"), ("1 in 'a'", "error no-such-overload"),
    ("user.plan in [user.plan]", "true"), ("29 in [user.age]", "true"),
    ("size(user.name)", "12"), ("user.unicode.size()", "6"), ("size(user.tags)", "2"), ("size(user.sub)", "2"),
    ("size(1)", "error no-such-overload"), ("user.name.contains('Love')", "true"), ("user.name.contains('')", "true"),
    ("user.name.startsWith('Ada')", "true"), ("user.name.endsWith('lace')", "true"), ("user.name.endsWith('Ada')", "false"),
    ("user.age.contains('a')", "error no-such-overload"), ("user.name.contains(1)", "error no-such-overload"),
    ("user.missing.contains('a') || true", "true"), ("'abc'.contains('b')", "true"),
  ])
  func collectionsAndTexts(source: String, expected: String) {
    #expect(evaluate(source) == expected)
  }

  @Test(arguments: [
    ("user.plan == ", "diagnostic syntax-error"), ("user.plan = 'free'", "diagnostic syntax-error"),
    ("device.daysSince('a') > 1", "diagnostic not-supported"), ("user.tags.map(1, 2)", "diagnostic unknown-function"),
    ("Message{a: 1}", "diagnostic not-supported"),
    ("user.plan.conatins('a')", "diagnostic unknown-function"), ("contains(user.plan, 'a')", "diagnostic unknown-function"),
    ("size()", "diagnostic unknown-function"), ("user.plan and true", "diagnostic syntax-error"),
    ("99999999999999999999", "diagnostic syntax-error"), ("'abc", "diagnostic syntax-error"),
    ("(1 + 2", "diagnostic syntax-error"), ("[1, 2", "diagnostic syntax-error"), ("", "diagnostic syntax-error"),
    ("1 +* 2 == ) user.a", "diagnostic syntax-error syntax-error"),
    ("'a' == \u{201C}x\u{201D}", "diagnostic syntax-error syntax-error"),
  ])
  func rejected(source: String, expected: String) {
    #expect(evaluate(source) == expected)
  }
}
