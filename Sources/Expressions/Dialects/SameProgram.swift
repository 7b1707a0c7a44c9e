extension ExpressionEnvironment {
  /// The environment, with strings converted to numbers where expressions read the strings. Results do not change. If
  /// no expression reads a converted string, frames can be filled as in the behavior `text`.
  package var readingNumbersInGraph: ExpressionEnvironment {
    var environment = self
    environment.readsNumbersInGraph = behavior.readsNumbers
    environment.binding.readsNumberTexts = false
    return environment
  }
}

extension Program {
  /// Whether all conditions of both programs have the same result on every frame, because the graphs are equal and the
  /// frames are filled in the same way. The result is false when in doubt.
  ///
  /// Replies of the host are not compared: generations read strings in them differently.
  package func evaluatesAs(_ other: Program) -> Bool {
    guard storage.binding == other.storage.binding, sources == other.sources else { return false }
    // Leave out nodes that checking added but no condition uses.
    let own = storage.graph.copy(of: storage.rootNodes)
    let others = other.storage.graph.copy(of: other.storage.rootNodes)
    return own.roots == others.roots && own.graph.isSame(as: others.graph)
  }
}
