extension ExpressionEnvironment {
  /// The operands that `&&` joins in an expression, as written. Any other expression is returned whole.
  package func conjuncts(of source: String) -> [String] {
    let (tree, problems) = dialect.parse(source, limits: limits)
    guard problems.isEmpty, !tree.nodes.isEmpty, tree[tree.root].kind == .and else {
      return [source]
    }
    let excerpts = ClauseProgram.Excerpts(source, TokenList(source, dialect))
    return tree.operands(of: tree[tree.root]).map { excerpts.text(tree[$0].range) }
  }
}
