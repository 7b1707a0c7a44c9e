/// How much of a place in an expression superscript rewrites before it evaluates.
enum Rewriting {
  /// Literals, and members that may be missing.
  case everything
  /// Literals alone: inside `has(...)` and `hasFn(...)`.
  case literals
  /// Nothing: inside `[...]`, in a member on the left of a relation, and everywhere in the behavior
  /// `raw`.
  case nothing
}
