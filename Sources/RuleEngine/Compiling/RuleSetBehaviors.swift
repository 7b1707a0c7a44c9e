package import Expressions

/// The rule sets of one config for several generations of Superwall's evaluator.
///
/// Most rules behave alike in several generations, because the rules compare strings with strings and numbers with
/// numbers. Generations that compile every condition identically share one rule set, so that their users can be decided
/// together.
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
  ///   - environment: returns the environment of a behavior; nil uses the environment of the language.
  package init(
    _ config: Config, language: RuleLanguage, limits: Limits = Limits(),
    behaviors: [EvaluatorBehavior] = EvaluatorBehavior.allCases,
    environment: ((EvaluatorBehavior) -> ExpressionEnvironment)? = nil
  ) {
    let environment = environment ?? { language.environment(limits: limits, behavior: $0) }
    // The rules that `text` and `skip` share need no numbers, so `text` and `skip` come first.
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

  /// The number of the rule set for a behavior; nil if the behavior was not compiled.
  package func place(of behavior: EvaluatorBehavior) -> Int? { places[behavior] }

  /// The rule set for a behavior; nil if the behavior was not compiled.
  package subscript(behavior: EvaluatorBehavior) -> RuleSet? {
    places[behavior].map { ruleSets[$0] }
  }

  /// The diagnostics of compiling for a behavior.
  package func diagnostics(of behavior: EvaluatorBehavior) -> [Diagnostic] {
    diagnostics[behavior] ?? []
  }
}
