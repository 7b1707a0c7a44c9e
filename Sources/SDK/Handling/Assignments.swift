public import Expressions
public import RuleEngine

/// Assignments on their way to the server.
struct AssignmentConfirmation: Hashable, Sendable {
  var pairs: [Assignment]
  /// Whose assignments they are.
  var identity: Int
  /// What is left to send for a call of `confirmAllAssignments`, and the call.
  var rest: [Assignment] = []
  var call: Token?
}

// MARK: Choosing

extension SDKState {
  /// Gives the user a variant of every experiment that the config asks for.
  mutating func chooseAssignments() {
    guard let config = config?.config else { return }
    var entropy = entropy
    let chosen = config.chooseAssignments(
      existing: stored.assignments, subjectID: subjectID
    ) { _ in .draw(entropy.fraction()) }
    self.entropy = entropy
    replaceAssignments(by: chosen)
  }

  /// Variants of experiments that the config does not have are known from before.
  private mutating func replaceAssignments(by chosen: [Assignment]) {
    stored.assignments = chosen.compactMap { assignment in
      if let known = stored.assignments.first(where: { $0.isSame(as: assignment) }) { return known }
      return config?.config.variant(of: assignment).map {
        Assignment(
          experimentID: assignment.experimentID, variant: $0,
          isSentToServer: assignment.isSentToServer)
      }
    }
  }

  func assignment(of experimentID: String) -> Assignment? {
    stored.assignments.first { $0.experimentID == experimentID }
  }

  /// Who assignments go by.
  var subjectID: String { stored.appUserID ?? stored.aliasID }

  mutating func store(_ variant: Variant, of experimentID: String) {
    let new = Assignment(experimentID: experimentID, variant: variant)
    if let known = stored.assignments.firstIndex(where: { $0.experimentID == experimentID }) {
      stored.assignments[known] = new
    } else {
      stored.assignments.append(new)
    }
  }

  /// The server's assignments win over the user's own, if the config has experiment and variant.
  mutating func receiveAssignments(
    _ outcome: Result<[UInt8], BackendError>, identity: Int, call: Token?
  ) {
    defer {
      if let call, restoringAssignments.remove(call) != nil {
        complete(call)
        continueWaiting()
      }
    }
    if case .failure(let error) = outcome {
      log(.warn, .network, "the assignments could not be fetched", error: error.message)
    }
    guard let body = decodeBody(outcome), identity == identityNumber else { return }
    let server = (body["assignments"]?.elements ?? []).compactMap {
      pair -> Assignment? in
      guard let experiment = pair["experiment_id"]?.text, let variant = pair["variant_id"]?.text
      else { return nil }
      return Assignment(experimentID: experiment, variantID: variant)
    }
    let local = stored.assignments
    replaceAssignments(
      by: config?.config.transferAssignments(server: server, local: local) ?? local)
  }
}

// MARK: Confirming

extension SDKState {
  /// Tells the server of a variant that the user got. What the server knows, or is being told, is
  /// not sent again; what fails is sent with the next decision.
  mutating func confirmAssignment(of experimentID: String) {
    guard let assignment = assignment(of: experimentID), !assignment.isSentToServer,
      confirming.insert(experimentID).inserted
    else { return }
    send(AssignmentConfirmation(pairs: [assignment], identity: identityNumber))
  }

  /// Confirms what the placements would give the user now, without parameters.
  mutating func confirmAllAssignments(_ token: Token) {
    track(.confirmAllAssignments)
    var pending: [Assignment] = []
    if let runner, !hidesPaywalls {
      var entropy = entropy
      let state = decisionState
      let all = run(runner, params: .map([])) { rules, frame in
        rules.confirmAllAssignments(frame: &frame, state: state) { .draw(entropy.fraction()) }
      }
      self.entropy = entropy
      replaceAssignments(by: all.assignments)
      pending = all.toConfirm
    }
    sendNext(
      AssignmentConfirmation(pairs: [], identity: identityNumber, rest: pending, call: token))
  }

  /// Sends the next batch, or completes the call (decision D18).
  private mutating func sendNext(_ confirmation: AssignmentConfirmation) {
    guard !confirmation.rest.isEmpty, confirmation.identity == identityNumber else {
      return complete(confirmation.call, .assignments(stored.assignments))
    }
    var next = confirmation
    next.pairs = Array(next.rest.prefix(Endpoints.confirmationLimit))
    next.rest.removeFirst(next.pairs.count)
    send(next)
  }

  private mutating func send(_ confirmation: AssignmentConfirmation) {
    let pairs = confirmation.pairs.map { ($0.experimentID, $0.variantID) }
    send(
      Endpoints.confirm(pairs, apiKey: apiKey), for: .confirmation(confirmation), retries: 0)
  }

  mutating func receiveConfirmation(
    _ outcome: Result<[UInt8], BackendError>, _ confirmation: AssignmentConfirmation
  ) {
    let isCurrent = confirmation.identity == identityNumber
    if isCurrent { confirming.subtract(confirmation.pairs.map(\.experimentID)) }
    switch outcome {
    case .success:
      for pair in confirmation.pairs where isCurrent {
        let place = stored.assignments.firstIndex { $0.isSame(as: pair) }
        if let place { stored.assignments[place].isSentToServer = true }
      }
    case .failure(let error):
      log(.warn, .network, "assignments could not be confirmed", error: error.message)
    }
    if confirmation.call != nil { sendNext(confirmation) }
  }
}

extension Assignment {
  /// Whether it says the same, whatever is known of the variant.
  fileprivate func isSame(as other: Assignment) -> Bool {
    experimentID == other.experimentID && variantID == other.variantID
      && isSentToServer == other.isSentToServer
  }

  /// The contract's JSON: `{"experimentId", "variant", "isSentToServer"}`.
  public var value: Value {
    .object([
      "experimentId": .string(experimentID),
      "variant": .object([
        "id": .string(variantID), "type": .string((kind ?? .treatment).rawValue),
        "paywallId": .string(paywallID ?? ""),
      ]),
      "isSentToServer": .bool(isSentToServer),
    ])
  }
}
