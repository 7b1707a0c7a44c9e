internal import RuleEngine

// MARK: Surveys

extension SDKState {
  /// Shows the open paywall's first survey with this condition, if the user is selected. Each user is selected or
  /// rejected once per survey key, permanently.
  ///
  /// - Returns: whether a survey is shown. `closing` then continues with the answer.
  mutating func askSurvey(_ condition: Survey.Condition, before closing: Closing) -> Bool {
    guard let open = presentation,
      let survey = open.info.surveys.first(where: { $0.condition == condition }),
      person.meet(survey: survey.assignmentKey),
      entropy.fraction() < survey.probability
    else { return false }
    stage.advance { $0.survey(survey, before: closing) }
    outbox.add(.ask(id: open.id, survey))
    return true
  }

  /// Ends a survey without an answer, because its paywall disappeared.
  mutating func surveyIsGone() {
    guard let open = presentation, case .surveying(_, var closing) = open.phase else { return }
    closing.tellsHost = false
    stage.advance { $0.appear() }
    track(.surveyClose)
    decline(closing)
  }

  mutating func surveyAnswered(_ answer: SurveyAnswer, in id: String) {
    guard let open = presentation, open.id == id,
      case .surveying(let survey, let closing) = open.phase
    else { return }
    stage.advance { $0.appear() }
    switch answer {
    case .closed: track(.surveyClose)
    case .option(let optionID, let text):
      let option =
        optionID == Survey.Option.other.id
        ? .other : survey.options.first { $0.id == optionID } ?? .init(id: optionID, title: "")
      let next = open.completed == nil ? followUp(.surveyResponse) : nil
      track(
        .surveyResponse(
          survey: survey, selectedOption: option, customResponse: text, paywallInfo: open.info))
      if let next { return close(Closing(reason: .forNextPaywall, next: next)) }
    }
    decline(closing)
  }
}
