/// Macros by name. `CheckerMacros.swift` expands the macros.
enum Macro: String, CaseIterable {
  case has, all, exists, existsOne, map, filter, sortBy, optMap, optFlatMap
  case transformList, transformMap, transformMapEntry

  /// How a call is written under each of its names, for messages.
  var usages: [String: String] {
    switch self {
    case .has: ["has": "has(user.plan)"]
    case .all: ["all": "list.all(x, condition)"]
    case .exists: ["exists": "list.exists(x, condition)"]
    case .existsOne:
      [
        "existsOne": "list.existsOne(x, condition)",
        "exists_one": "list.exists_one(x, condition)",
      ]
    case .map: ["map": "list.map(x, value)"]
    case .filter: ["filter": "list.filter(x, condition)"]
    case .sortBy: ["sortBy": "list.sortBy(x, key)"]
    case .optMap: ["optMap": "optional.optMap(x, value)"]
    case .optFlatMap: ["optFlatMap": "optional.optFlatMap(x, optional)"]
    case .transformList: ["transformList": "list.transformList(i, x, value)"]
    case .transformMap: ["transformMap": "map.transformMap(k, v, value)"]
    case .transformMapEntry:
      ["transformMapEntry": "map.transformMapEntry(k, v, {key: value})"]
    }
  }

  /// The entry of a macro in the reference.
  struct Row {
    var family: FunctionFamily
    var signatures: StaticString
    var summary: StaticString
    var example: StaticString

    init(
      _ family: FunctionFamily, _ signatures: StaticString, _ summary: StaticString,
      _ example: StaticString
    ) {
      self.family = family
      self.signatures = signatures
      self.summary = summary
      self.example = example
    }
  }

  var row: Row {
    switch self {
    case .has:
      Row(
        .missing, "has(field) -> bool", "Tests whether a map has a member.",
        "has({'a': 1}.a) == true")
    case .all:
      Row(
        .loops, "(list(T)|map).all(x, bool) -> bool; (list(T)|map).all(i, x, bool) -> bool",
        "Tests whether a condition is true for every element or key.",
        "[1, 2, 3].all(x, x > 0) == true")
    case .exists:
      Row(
        .loops, "(list(T)|map).exists(x, bool) -> bool; (list(T)|map).exists(i, x, bool) -> bool",
        "Tests whether a condition is true for an element or key.",
        "['a', 'b'].exists(x, x == 'b') == true")
    case .existsOne:
      Row(
        .loops,
        "(list(T)|map).existsOne(x, bool) -> bool; (list(T)|map).existsOne(i, x, bool) -> bool; (list(T)|map).exists_one(x, bool) -> bool; (list(T)|map).exists_one(i, x, bool) -> bool",
        "Tests whether a condition is true for exactly one element or key.",
        "[1, 2, 3].existsOne(x, x > 2) == true")
    case .map:
      Row(
        .loops,
        "(list(T)|map).map(x, any) -> list(any); (list(T)|map).map(x, bool, any) -> list(any)",
        "Returns a value for every element or key. The optional condition selects elements.",
        "[1, 2].map(x, x * 2) == [2, 4]")
    case .filter:
      Row(
        .loops, "(list(T)|map).filter(x, bool) -> list(T)",
        "Returns the elements or keys for which a condition is true.",
        "[1, 2, 3].filter(x, x > 1) == [2, 3]")
    case .sortBy:
      Row(
        .loops, "list(T).sortBy(x, any) -> list(T)", "Sorts the elements by a key.",
        "['ccc', 'a', 'bb'].sortBy(x, x.size()) == ['a', 'bb', 'ccc']")
    case .optMap:
      Row(
        .missing, "optional(T).optMap(x, any) -> optional(any)",
        "Replaces the value of an optional, if it has one.",
        "optional.of(2).optMap(x, x * 2).value() == 4")
    case .optFlatMap:
      Row(
        .missing, "optional(T).optFlatMap(x, optional(any)) -> optional(any)",
        "Replaces an optional that has a value with another optional.",
        "optional.of([1]).optFlatMap(x, x.first()).value() == 1")
    case .transformList:
      Row(
        .loops,
        "(list(T)|map).transformList(i, x, any) -> list(any); (list(T)|map).transformList(i, x, bool, any) -> list(any)",
        "Returns a list with a value for every index and element, or key and value.",
        "[5, 6].transformList(i, x, i + x) == [5, 7]")
    case .transformMap:
      Row(
        .loops,
        "(list(T)|map).transformMap(k, v, any) -> map; (list(T)|map).transformMap(k, v, bool, any) -> map",
        "Replaces the value of every key in a map.",
        "{'a': 1}.transformMap(k, v, v + 1) == {'a': 2}")
    case .transformMapEntry:
      Row(
        .loops,
        "(list(T)|map).transformMapEntry(k, v, map) -> map; (list(T)|map).transformMapEntry(k, v, bool, map) -> map",
        "Replaces every entry with the entry that the last argument returns as a map.",
        "{'a': 1}.transformMapEntry(k, v, {v: k}) == {1: 'a'}")
    }
  }
}
