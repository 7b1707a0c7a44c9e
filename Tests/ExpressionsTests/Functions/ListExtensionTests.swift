import Testing

@testable import Expressions

@Suite("Lists and sets extensions")
struct ListExtensionTests {
  @Test(arguments: [
    ("range(4)", "[0, 1, 2, 3]"), ("range(0)", "[]"), ("range(-1)", "[]"),
    ("range(9223372036854775807)", "error limit-exceeded"), ("range(1u)", "error no-such-overload"),
    ("slice([1, 2, 3, 4], 0, 4)", "[1, 2, 3, 4]"), ("slice([1, 2, 3, 4], 1, 3)", "[2, 3]"),
    ("slice([1, 2, 3, 4], 2, 2)", "[]"), ("slice([], 0, 0)", "[]"),
    ("slice(['short', 'a text of more than 15 bytes'], 1, 2)", "['a text of more than 15 bytes']"),
    ("slice([1, 2, 3, 4], -5, 10)", "error index-out-of-range"),
    ("slice([1, 2, 3, 4], -5, -3)", "error index-out-of-range"),
    ("slice([1, 2, 3, 4], 3, 0)", "error index-out-of-range"),
    ("slice([1, 2, 3, 4], 0, 5)", "error index-out-of-range"),
    ("slice([1], 0, 9223372036854775807)", "error index-out-of-range"),
    ("slice('abcd', 0, 1)", "error no-such-overload"),
    ("slice([1], 0, 1u)", "error no-such-overload"),
    ("slice([1], 0, missing)", "error no-such-attribute"), ("flatten([])", "[]"),
    ("flatten([1, 2, 3, 4])", "[1, 2, 3, 4]"), ("flatten([1, [2, [3, 4]]])", "[1, 2, [3, 4]]"),
    ("flatten([1, 2, [], [], [3, 4]])", "[1, 2, 3, 4]"),
    ("flatten([1, [2, [3, [4]]]], 2)", "[1, 2, 3, [4]]"), ("flatten([[[1]]], 0)", "[[[1]]]"),
    ("flatten([1, [2, [3, [4]]]], 9223372036854775807)", "[1, 2, 3, 4]"),
    ("flatten([1, [2]], -1)", "error index-out-of-range"),
    ("flatten('a')", "error no-such-overload"), ("flatten([[]], 1.0)", "error no-such-overload"),
    ("flatten([{'a': [1]}])", "[{'a', [1]}]"),
  ])
  func shape(call: String, expected: String) {
    #expect(CallNotation.result(call) == expected)
  }

  @Test(arguments: [
    ("sort([4, 3, 2, 1])", "[1, 2, 3, 4]"), ("sort(['d', 'a', 'b', 'c'])", "['a', 'b', 'c', 'd']"),
    (
      "sort(['é', 'z', 'Z', '', 'a text of more than 15 bytes'])",
      "['', 'Z', 'a text of more than 15 bytes', 'z', 'é']"
    ),
    ("sort([true, false, true])", "[false, true, true]"), ("sort([2u, 1u])", "[1u, 2u]"),
    ("sort([1.5, -0.5, toDouble('NaN'), 0.5])", "[-0.5, 0.5, 1.5, nan]"),
    ("sort([toDouble('NaN'), 2.0, toDouble('NaN'), 1.0])", "[1.0, 2.0, nan, nan]"),
    ("sort([b'd', b'a', b'aa'])", "[b'a', b'aa', b'd']"),
    ("sort([toDuration('2h'), toDuration('1s')])", "[1s, 7200s]"),
    (
      "sort([toTimestamp('2024-01-03T00:00:00Z'), toTimestamp('2024-01-01T00:00:00Z')])",
      "[2024-01-01T00:00:00Z, 2024-01-03T00:00:00Z]"
    ),
    (
      "sort([version('1.10'), version('1.9'), version('1.10-rc.1')])",
      "[1.9.0, 1.10.0-rc.1, 1.10.0]"
    ),
    ("sort([])", "[]"), ("sort([7])", "[7]"), ("sort([[1]])", "error no-such-overload"),
    ("sort([null])", "error no-such-overload"),
    ("sort(['d', 3, 2, 'c'])", "error no-such-overload"),
    ("sort([1, 2.0])", "error no-such-overload"), ("sort([1, 2u])", "error no-such-overload"),
    ("sort([ip('::1'), ip('::2')])", "error no-such-overload"),
    ("sort(1)", "error no-such-overload"),
    ("sortByKeys(['foo', 'bar', 'baz', 'bing'], [3, 2, 3, 4])", "['bar', 'foo', 'baz', 'bing']"),
    ("sortByKeys([1, 'a', null], ['c', 'b', 'a'])", "[null, 'a', 1]"), ("sortByKeys([], [])", "[]"),
    ("sortByKeys([1, 2, 3, 4, 5, 6, 7], [1, 0, 1, 0, 1, 0, 1])", "[2, 4, 6, 1, 3, 5, 7]"),
    ("sortByKeys([1, 2], [1])", "error index-out-of-range"),
    ("sortByKeys([1, 2], [1, 'a'])", "error no-such-overload"),
    ("sortByKeys([1, 2], missing)", "error no-such-attribute"),
    ("reverse([[1, 2], 3])", "[3, [1, 2]]"),
  ])
  func order(call: String, expected: String) {
    #expect(CallNotation.result(call) == expected)
  }

  @Test(arguments: [
    ("distinct([])", "[]"), ("distinct([1])", "[1]"),
    ("distinct([-2, 5, -2, 1, 1, 5, -2])", "[-2, 5, 1]"), ("distinct([1, 1.0, 1u, 2])", "[1, 2]"),
    ("distinct([0.0, -0.0])", "[0.0]"),
    (
      "distinct([9007199254740993, 9007199254740992, 9007199254740992.0])",
      "[9007199254740993, 9007199254740992]"
    ),
    ("distinct(['c', 'a', 'a', 'b', 'a', 'b', 'c', 'c'])", "['c', 'a', 'b']"),
    (
      "distinct(['a text of more than 15 bytes', 'a text of more than 15 bytes'])",
      "['a text of more than 15 bytes']"
    ),
    ("distinct([1, 'a', true, null, null, b'a', true, 'a'])", "[1, 'a', true, null, b'a']"),
    ("distinct([[1, 2], [2, 1], [1.0, 2u], []])", "[[1, 2], [2, 1], []]"),
    ("distinct([{'a': 1, 'b': 2}, {'b': 2, 'a': 1}, {'a': 1}])", "[{'a', 1, 'b', 2}, {'a', 1}]"),
    ("distinct([{1: 'a'}, {1u: 'a'}, {2: 'a'}])", "[{1, 'a'}, {2, 'a'}]"),
    ("distinct([toDouble('NaN'), toDouble('NaN')])", "[nan, nan]"),
    ("distinct([[toDouble('NaN')], [toDouble('NaN')]])", "[[nan], [nan]]"),
    ("distinct([ip('::1'), ip('0::1'), ip('::2')])", "[::1, ::2]"),
    ("distinct([version('1'), version('1.0'), version('1.0-a')])", "[1.0.0, 1.0.0-a]"),
    ("distinct([toDuration('1h'), toDuration('60m'), 3600])", "[3600s, 3600]"),
    ("distinct(1)", "error no-such-overload"), ("distinct(missing)", "error no-such-attribute"),
  ])
  func distinct(call: String, expected: String) {
    #expect(CallNotation.result(call) == expected)
  }

  @Test(arguments: [
    ("setContains([], [])", "true"), ("setContains([], [1])", "false"),
    ("setContains([1, 2, 3, 4], [2, 3])", "true"), ("setContains([1], [1, 1])", "true"),
    ("setContains([1], [1, 1.0, 1u])", "true"), ("setContains([1, 2, 3], [4])", "false"),
    ("setContains([[1], [2, 3]], [[2, 3.0]])", "true"), ("setContains(['a'], [])", "true"),
    ("setContains([toDouble('NaN')], [toDouble('NaN')])", "false"),
    ("setContains([1], 1)", "error no-such-overload"),
    ("setContains([1], missing)", "error no-such-attribute"), ("setEquivalent([], [])", "true"),
    ("setEquivalent([1], [1, 1])", "true"), ("setEquivalent([1], [1u, 1.0])", "true"),
    ("setEquivalent([1, 2, 3], [3u, 2.0, 1])", "true"),
    ("setEquivalent([1, 2], [2, 2, 2])", "false"), ("setEquivalent([1], [])", "false"),
    ("setEquivalent([], [1])", "false"), ("setEquivalent(1, [])", "error no-such-overload"),
    ("setIntersects([1], [])", "false"), ("setIntersects([], [])", "false"),
    ("setIntersects([1], [1, 2])", "true"),
    ("setIntersects([[1], [2, 3]], [[1, 2], [2, 3.0]])", "true"),
    ("setIntersects(['a', 'b'], ['c'])", "false"), ("setIntersects([null], [null])", "true"),
    ("setIntersects({}, [])", "error no-such-overload"),
  ])
  func sets(call: String, expected: String) {
    #expect(CallNotation.result(call) == expected)
  }
}
