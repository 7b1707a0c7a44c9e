internal import Expressions
internal import RuleEngine

/// A call of `getPresentationResult`.
struct Question: Hashable, Sendable {
  /// What has to be known before it can be decided.
  enum Wait: Hashable, Sendable {
    case status
    case identity
  }

  var token: Token
  var placement: String
  var params: Value
  var wait: Wait?
  /// What is answered when its paywall is available.
  var decision: PlacementDecision?
}

// MARK: getPresentationResult

extension SDKState {
  /// Says what the placement would do. Nothing is presented and no occurrence is used up; the
  /// assignment that the answer promises is confirmed (decision D42).
  mutating func ask(_ question: Question) {
    var question = question
    question.wait = stored.status == .unknown ? .status : isIdentityReady ? nil : .identity
    questions[question.token] = question
    switch question.wait {
    case .status: startTimer(.status(question.token), options.timeouts.subscriptionStatus)
    case .identity: break
    case nil: decide(question)
    }
  }

  mutating func continueQuestions() {
    let ready = questions.values.filter { question in
      switch question.wait {
      case .status: stored.status != .unknown
      case .identity: isIdentityReady
      case nil: false
      }
    }
    // Tokens count up, so this is the order of the calls.
    for question in ready.sorted(by: { $0.token.number < $1.token.number }) {
      cancelTimer(.status(question.token))
      ask(question)
    }
  }

  private mutating func decide(_ question: Question) {
    let decision = decide(
      question.placement, params: question.params, for: .getPresentationResult)
    guard case .paywall(let experiment) = decision.outcome else {
      return answer(question.token, PresentationResult(TriggerResult(decision.outcome)))
    }
    questions[question.token]?.decision = decision
    loadPaywall(
      experiment.variant.paywallID ?? "", for: .question(question.token),
      placement: question.placement)
  }

  mutating func paywallIsAvailable(for token: Token) {
    guard let decision = questions[token]?.decision else { return }
    apply(decision, .whenAvailable)
    answer(token, PresentationResult(TriggerResult(decision.outcome)))
  }

  mutating func answer(_ token: Token, _ reason: PresentationRequestReason) {
    answer(token, PresentationResult(reason))
  }

  private mutating func answer(_ token: Token, _ result: PresentationResult) {
    guard questions.removeValue(forKey: token) != nil else { return }
    complete(token, .presentation(result))
  }
}
