extension Superscript {
  /// Calls that do more than pass the values of their arguments to a function.
  enum Form: String, CaseIterable {
    case has, hasFn, maybe, all, exists, map, filter
    case existsOne = "exists_one"

    var row: Macro.Row {
      switch self {
      case .has:
        Macro.Row(
          .missing, "has(field) -> bool", "Tests whether an attribute exists.",
          "has({'a': 1}.a) == true")
      case .hasFn:
        Macro.Row(
          .missing, "hasFn(string) -> bool", "Tests whether the SDK has a device function.",
          "hasFn('device.noSuchFunction') == false")
      case .maybe:
        Macro.Row(
          .missing, "any.maybe(any, any) -> any",
          "Returns the first argument, or the second argument if the first fails.",
          "user.maybe(int('x'), 0) == 0")
      case .all:
        Macro.Row(
          .loops, "(list(T)|map).all(x, any) -> bool",
          "Tests whether a condition is true for every element or key.",
          "[1, 2, 3].all(x, x > 0) == true")
      case .exists:
        Macro.Row(
          .loops, "(list(T)|map).exists(x, any) -> bool",
          "Tests whether a condition is true for an element or key.",
          "['a', 'b'].exists(x, x == 'b') == true")
      case .existsOne:
        Macro.Row(
          .loops, "(list(T)|map).exists_one(x, any) -> bool",
          "Tests whether a condition is true for exactly one element or key.",
          "[1, 2, 3].exists_one(x, x > 2) == true")
      case .map:
        Macro.Row(
          .loops, "list(T).map(x, any) -> list(any)", "Returns a value for every element.",
          "[1, 2].map(x, x * 2) == [2, 4]")
      case .filter:
        Macro.Row(
          .loops, "list(T).filter(x, any) -> list(T)",
          "Returns the elements for which a condition is true.",
          "[1, 2, 3].filter(x, x > 1) == [2, 3]")
      }
    }
  }
}
