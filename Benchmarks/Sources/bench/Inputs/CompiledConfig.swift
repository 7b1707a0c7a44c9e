internal import Expressions
internal import RuleEngine

/// Compiles a config to a rule set.
enum CompiledConfig {
  /// Compiles a file, or the generated config when none is named.
  static func load(_ path: String?, placements: Int) throws(InputError) -> RuleSet {
    if let path { return try compile(try InputFile.read(path), place: path) }
    let text = GeneratedConfig.make(placements: placements).json
    return try compile(Array(text.utf8), place: "the generated config")
  }

  /// Audiences of known shape: ``GeneratedConfig/shapes``.
  static func loadShapes() throws(InputError) -> RuleSet {
    try compile(Array(GeneratedConfig.makeShapes().json.utf8), place: "the generated config")
  }

  /// A rule that does not work would make all later rules look fast, so it stops the run.
  private static func compile(_ bytes: [UInt8], place: String) throws(InputError) -> RuleSet {
    let config = Config.decode(superwall: bytes)
    let ruleSet = config.output.map { RuleSet.compile($0) }
    let problems = (config.diagnostics + (ruleSet?.diagnostics ?? [])).filter {
      $0.severity == .error
    }
    guard problems.isEmpty, let output = ruleSet?.output else {
      let text = problems.map { "\n  \($0.path) \($0.message)" }.joined()
      throw InputError(place, "the config cannot be measured\(text)")
    }
    return output
  }
}
