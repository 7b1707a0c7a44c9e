package import Expressions

/// The rule sets of one config for several generations of Superwall's evaluator.
///
/// Most rules decide alike in several of them: they compare strings with words and numbers with
/// numbers. Generations for which every condition compiles alike share one rule set, so that users
/// of both can be decided together.
package struct RuleSetBehaviors: Sendable {
  /// The distinct rule sets.
  package private(set) var ruleSets: [RuleSet] = []
  /// By behavior, its index in ``ruleSets``.
  private var places: [EvaluatorBehavior: Int] = [:]
  /// By behavior, the diagnostics of compiling.
  private var diagnostics: [EvaluatorBehavior: [Diagnostic]] = [:]

  /// Compiles a config once for each behavior.
  ///
  /// - Parameters:
  ///   - environment: makes the environment of a behavior; nil is that of the language.
  package init(
    _ config: Config, language: RuleLanguage, limits: Limits = Limits(),
    behaviors: [EvaluatorBehavior] = EvaluatorBehavior.allCases,
    environment: ((EvaluatorBehavior) -> ExpressionEnvironment)? = nil
  ) {
    let environment = environment ?? { language.environment(limits: limits, behavior: $0) }
    // The rules that `text` and `skip` share need no numbers, so these come first.
    let order: [EvaluatorBehavior] = [.text, .skip, .numeric, .raw]
    for behavior in order where behaviors.contains(behavior) {
      let own = environment(behavior)
      var compiled = RuleSet.compile(
        config, language: language, environment: own.readingNumbersInGraph)
      var place = compiled.output.flatMap { made in
        ruleSets.firstIndex { $0.program.evaluatesAs(made.program) }
      }
      if place == nil, own.binding != own.readingNumbersInGraph.binding {
        // Filling a frame with numbers is faster than converting them on every read.
        compiled = RuleSet.compile(config, language: language, environment: own)
      }
      diagnostics[behavior] = compiled.diagnostics
      if place == nil, let made = compiled.output {
        place = ruleSets.count
        ruleSets.append(made)
      }
      places[behavior] = place
    }
  }

  /// The number of the rule set for a behavior; nil for one that was not compiled.
  package func place(of behavior: EvaluatorBehavior) -> Int? { places[behavior] }

  /// The rule set for a behavior; nil for one that was not compiled.
  package subscript(behavior: EvaluatorBehavior) -> RuleSet? {
    places[behavior].map { ruleSets[$0] }
  }

  /// The diagnostics of compiling for a behavior.
  package func diagnostics(of behavior: EvaluatorBehavior) -> [Diagnostic] {
    diagnostics[behavior] ?? []
  }
}
