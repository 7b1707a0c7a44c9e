extension Audience {
  /// Where its expression stands in the config; empty if the audience has no path.
  package var expressionPath: String { path.isEmpty ? "" : "\(path).expression_cel" }

  /// Where its occurrence limit stands in a config of this format.
  package func limitPath(_ format: Config.Format) -> String {
    path + (format == .superwall ? ".occurrence" : ".frequency_cap")
  }

  /// Where a clause of its condition stands: in the expression, or as one of the filters. Without a clause,
  /// where the condition stands.
  package func conditionPath(clause: Int? = nil) -> String {
    if expression != nil { return expressionPath }
    return clause.map { "\(path).filters[\($0)]" } ?? path
  }
}
