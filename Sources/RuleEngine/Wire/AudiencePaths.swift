extension Audience {
  /// The path of its expression in the config; empty if the audience has no path.
  package var expressionPath: String { path.isEmpty ? "" : "\(path).expression_cel" }

  /// The path of its occurrence limit in a config of this format.
  package func limitPath(_ format: Config.Format) -> String {
    path + (format == .superwall ? ".occurrence" : ".frequency_cap")
  }

  /// The path of a clause of its condition: that of the expression, or of one of the filters.
  /// Without a clause, the path of the condition.
  package func conditionPath(clause: Int? = nil) -> String {
    if expression != nil { return expressionPath }
    return clause.map { "\(path).filters[\($0)]" } ?? path
  }
}
