internal import Expressions
internal import RuleEngine

// MARK: getPresentationResult

extension SDKState {
  /// Determines the result that a placement would have, without presenting a paywall or consuming an occurrence. The
  /// assignment in the result is confirmed.
  mutating func ask(_ question: Question) {
    var question = question
    question.wait = ownership.status == .unknown ? .status : person.isReady ? nil : .identity
    turns.ask(question)
    switch question.wait {
    case .status: startStatusTimer()
    case .identity: break
    case nil: decide(question)
    }
  }

  mutating func continueQuestions() {
    let ready = turns.questions.values.filter { question in
      switch question.wait {
      case .status: ownership.status != .unknown
      case .identity: person.isReady
      case nil: false
      }
    }
    // Tokens are numbered, so sorting restores the order of the calls.
    for question in ready.sorted(by: { $0.token.number < $1.token.number }) {
      ask(question)
    }
  }

  /// Answers the waiting questions, because the subscription status stayed unknown.
  mutating func giveUpQuestions() {
    for question in turns.questions.values.sorted(by: { $0.token.number < $1.token.number })
    where question.wait == .status {
      answer(question.token, .subscriptionStatusTimeout)
    }
  }

  /// Cancels a question, because its task was cancelled.
  ///
  /// - Returns: whether the question was open.
  mutating func cancelQuestion(_ token: Token) -> Bool {
    guard turns.endQuestion(token) else { return false }
    outbox.fail(token, .cancelled)
    return true
  }

  private mutating func decide(_ question: Question) {
    let decision = decide(
      question.placement, params: question.params, for: .getPresentationResult)
    guard case .paywall(let experiment) = decision.outcome else {
      return answer(question.token, PresentationResult(TriggerResult(decision.outcome)))
    }
    var question = question
    question.decision = decision
    turns.ask(question)
    loadPaywall(
      experiment.variant.paywallID ?? "", for: .question(question.token),
      placement: question.placement)
  }

  mutating func paywallIsAvailable(for token: Token) {
    guard let decision = turns.questions[token]?.decision else { return }
    apply(decision, .whenAvailable)
    answer(token, PresentationResult(TriggerResult(decision.outcome)))
  }

  mutating func answer(_ token: Token, _ reason: PresentationRequestReason) {
    answer(token, PresentationResult(reason))
  }

  private mutating func answer(_ token: Token, _ result: PresentationResult) {
    guard turns.endQuestion(token) else { return }
    outbox.complete(token, .presentation(result))
  }
}
