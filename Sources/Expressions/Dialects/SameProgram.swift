extension ExpressionEnvironment {
  /// The same with numbers made where expressions read strings. It evaluates to the same, and where
  /// no expression reads one, frames can be filled as in the behavior `text`.
  package var readingNumbersInGraph: ExpressionEnvironment {
    var environment = self
    environment.readsNumbersInGraph = behavior.readsNumbers
    environment.binding.readsNumberTexts = false
    return environment
  }
}

extension Program {
  /// Whether both evaluate to the same on every frame, by their conditions: equal graphs, filled in
  /// the same way. Says no when in doubt.
  ///
  /// Replies of the host are not compared: generations read strings in them differently.
  package func evaluatesAs(_ other: Program) -> Bool {
    guard storage.binding == other.storage.binding, sources == other.sources else { return false }
    // Without what checking left behind.
    let own = storage.graph.copy(of: storage.rootNodes)
    let others = other.storage.graph.copy(of: other.storage.rootNodes)
    return own.roots == others.roots && own.graph.isSame(as: others.graph)
  }
}
