extension Audience {
  /// The path of the audience's expression in the config. Empty if the audience has no path.
  package var expressionPath: String { path.isEmpty ? "" : "\(path).expression_cel" }

  /// The path of the audience's occurrence limit in a config of this format.
  package func limitPath(_ format: Config.Format) -> String {
    path + (format == .superwall ? ".occurrence" : ".frequency_cap")
  }

  /// The path of a clause of the audience's condition: the path of the expression or of one filter. Without a clause,
  /// the path of the condition.
  package func conditionPath(clause: Int? = nil) -> String {
    if expression != nil { return expressionPath }
    return clause.map { "\(path).filters[\($0)]" } ?? path
  }
}
