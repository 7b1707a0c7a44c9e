/// The nodes at a place in an expression that superscript rewrites before it evaluates.
enum Rewriting {
  /// Literals, and members that may be missing.
  case everything
  /// Only literals: inside `has(...)` and `hasFn(...)`.
  case literals
  /// No node: inside `[...]`, in a member on the left of a relation, and everywhere in the behavior `raw`.
  case nothing
}
