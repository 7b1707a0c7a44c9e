internal import Expressions
internal import RuleEngine

/// Looks for contexts in which an expression matches in one language and not in another.
final class DecisionSearch {
  private let text: String
  private let limits: Limits
  private let languages: [RuleLanguage]
  private var models: [RuleLanguage: ConditionModel] = [:]

  /// The maximum number of steps of one search.
  private static let budget = 5_000
  /// The maximum number of contexts to try for each language.
  private static let mostTries = 24
  private static let mostMatching = 3

  /// - Parameter languages: the languages in which the expression compiles.
  init(_ text: String, _ languages: [RuleLanguage], limits: Limits) {
    self.text = text
    self.languages = languages
    self.limits = limits
  }

  /// A sample with more attributes, with which the expression matches in a language.
  ///
  /// - Parameter decides: returns the sample or a similar one if the difference decides; nil to
  ///   continue with the next sample.
  func sample(
    keeping sample: Sample, _ difference: DialectReport.Finding.Difference,
    _ decides: (Sample) -> Sample?
  ) -> Sample? {
    for language in languages where difference.isAbout(language) {
      let model = model(language)
      var context = AnalysisWitness(attributes: sample.attributes)
      if let platform = language.platform {
        context.answers = model.program.questions.map {
          ($0, sample.history.answer(to: $0, at: Sample.clock, on: platform))
        }
      }
      let root = model.conditions[0].root
      let space = ChangeSpace(
        model, roots: [root], around: context, isFixed: sample.settles, sharesClasses: true)
      let open = space.space(changing: Array(space.places.indices))
      open.mostTries = Self.mostTries
      var found: Sample?
      var count = 0
      _ = open.answer(
        [ConditionSpace.Goal(root, .true)], budget: Self.budget
      ) { witness in
        found = decides(sample.joined(behind: witness.attributes))
        count += 1
        return found != nil || count == Self.mostMatching
      }
      if found != nil { return found }
    }
    return nil
  }

  private func model(_ language: RuleLanguage) -> ConditionModel {
    if let model = models[language] { return model }
    let made = ConditionModel(language.environment(limits: limits), [.expression(text)])
    models[language] = made
    return made
  }
}
