internal import Expressions
internal import RuleEngine

// MARK: Choosing

extension SDKState {
  /// Assigns the user a variant of every experiment that is assigned when a config is applied.
  mutating func chooseAssignments() {
    guard let config = config?.config else { return }
    var entropy = entropy
    let chosen = config.chooseAssignments(
      existing: person.assignments, subjectID: person.subjectID
    ) { _ in .draw(entropy.fraction()) }
    self.entropy = entropy
    person.replaceAssignments(by: chosen, in: config)
  }

  /// Takes over the server's assignments. An assignment from the server replaces the user's own assignment if the
  /// config contains its experiment and variant.
  mutating func receiveAssignments(
    _ outcome: Result<[UInt8], BackendError>, identity: Int, call: Token?
  ) {
    defer {
      if let call, person.endRestoring(call) {
        outbox.complete(call)
        continueWaiting()
      }
    }
    if case .failure(let error) = outcome {
      warn("the assignments could not be fetched", error)
    }
    guard let body = decodeBody(outcome), identity == person.number else { return }
    let server = (body["assignments"]?.elements ?? []).compactMap {
      pair -> Assignment? in
      guard let experiment = pair["experiment_id"]?.text, let variant = pair["variant_id"]?.text
      else { return nil }
      return Assignment(experimentID: experiment, variantID: variant)
    }
    let pairs = person.assignments
    let config = config?.config
    person.replaceAssignments(
      by: config?.transferAssignments(server: server, local: pairs) ?? pairs, in: config)
  }
}

// MARK: Confirming

extension SDKState {
  /// Reports a variant of the user to the server. Variants that the server already has, or that are being sent, are not
  /// sent again. Variants that could not be sent are retried with the next decision.
  mutating func confirmAssignment(of experimentID: String) {
    guard let pair = person.beginConfirming(experimentID) else { return }
    send(AssignmentConfirmation(pairs: [pair], identity: person.number))
  }

  /// Confirms the assignments that the placements would make now, without parameters.
  mutating func confirmAllAssignments(_ token: Token) {
    track(.confirmAllAssignments)
    var pending: [Assignment] = []
    if let runner = catalog.runner, !hidesPaywalls {
      var entropy = entropy
      let state = decisionState
      let all = run(runner, params: .map([])) { rules, frame in
        rules.confirmAllAssignments(frame: &frame, state: state) { .draw(entropy.fraction()) }
      }
      self.entropy = entropy
      person.replaceAssignments(by: all.assignments, in: config?.config)
      pending = all.toConfirm
    }
    sendNext(
      AssignmentConfirmation(pairs: [], identity: person.number, rest: pending, call: token))
  }

  /// Sends the next batch, or completes the call.
  private mutating func sendNext(_ confirmation: AssignmentConfirmation) {
    guard !confirmation.rest.isEmpty, confirmation.identity == person.number else {
      return outbox.complete(confirmation.call, .assignments(person.assignments))
    }
    var next = confirmation
    next.pairs = Array(next.rest.prefix(Endpoints.confirmationLimit))
    next.rest.removeFirst(next.pairs.count)
    send(next)
  }

  private mutating func send(_ confirmation: AssignmentConfirmation) {
    let pairs = confirmation.pairs.map { ($0.experimentID, $0.variantID) }
    send(
      Endpoints.confirm(pairs, apiKey: settings.apiKey), for: .confirmation(confirmation),
      retries: 0)
  }

  mutating func receiveConfirmation(
    _ outcome: Result<[UInt8], BackendError>, _ confirmation: AssignmentConfirmation
  ) {
    var areSent = true
    if case .failure(let error) = outcome {
      areSent = false
      warn("assignments could not be confirmed", error)
    }
    if confirmation.identity == person.number {
      person.endConfirming(confirmation.pairs, areSent: areSent)
    }
    if confirmation.call != nil { sendNext(confirmation) }
  }

  /// Logs a warning, unless the app has no backend that could answer.
  private mutating func warn(_ message: String, _ error: BackendError) {
    if !settings.isAlone { log(.warn, .network, message, error: error.message) }
  }
}
