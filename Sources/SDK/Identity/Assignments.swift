internal import Expressions
internal import RuleEngine

/// Assignments on their way to the server.
struct AssignmentConfirmation: Hashable, Sendable {
  struct Pair: Hashable, Sendable {
    var experimentID: String
    var variantID: String
  }

  var pairs: [Pair]
  /// Whose assignments they are.
  var identity: Int
  /// What is left to send for a call of `confirmAllAssignments`, and the call.
  var rest: [Pair] = []
  var call: Token?
}

// MARK: Choosing

extension SDKState {
  /// Gives the user a variant of every experiment that the config asks for: of one placement per
  /// campaign, all audiences. A stored variant stays while its experiment has it; assignments of
  /// experiments that the config does not have are kept.
  mutating func chooseAssignments() {
    guard let rules = config?.rules else { return }
    var campaigns: Set<String> = []
    for placement in rules.placements {
      let audiences = rules.rules[placement.rules]
      guard let campaign = audiences.first?.audience.campaignID,
        campaigns.insert(campaign).inserted
      else { continue }
      for number in placement.rules { assign(number, of: rules) }
    }
  }

  private mutating func assign(_ number: Int, of rules: RuleSet) {
    let audience = rules.rules[number].audience
    let experiment = audience.experimentID
    var state = DecisionState(subjectID: subjectID, now: 0)
    if let known = assignment(of: experiment) {
      state.assignments = [
        DecisionState.Assignment(experimentID: experiment, variantID: known.variant.id)
      ]
    }
    let draw = Assigner.draw(entropy.fraction())
    let verdict = rules.storage.assign(number, state, draw)
    guard verdict.variant >= 0 else {
      stored.assignments.removeAll { $0.experimentID == experiment }
      return
    }
    if verdict.source != .stored { store(audience.variants[Int(verdict.variant)], of: experiment) }
  }

  func assignment(of experimentID: String) -> Assignment? {
    stored.assignments.first { $0.experimentID == experimentID }
  }

  /// Who assignments go by.
  var subjectID: String { stored.appUserID ?? stored.aliasID }

  mutating func store(_ variant: Variant, of experimentID: String, isSent: Bool = false) {
    let new = Assignment(experimentID: experimentID, variant: variant, isSentToServer: isSent)
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
    for pair in body["assignments"]?.elements ?? [] {
      guard let experiment = pair["experiment_id"]?.text, let id = pair["variant_id"]?.text,
        let variant = variant(id, of: experiment)
      else { continue }
      store(variant, of: experiment, isSent: true)
    }
  }

  private func variant(_ id: String, of experimentID: String) -> Variant? {
    for rule in config?.rules.rules ?? [] where rule.audience.experimentID == experimentID {
      if let variant = rule.audience.variants.first(where: { $0.id == id }) { return variant }
    }
    return nil
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
    send(AssignmentConfirmation(pairs: [assignment.pair], identity: identityNumber))
  }

  mutating func confirmAllAssignments(_ token: Token) {
    track(.confirmAllAssignments)
    let pending = stored.assignments.filter { !$0.isSentToServer }.map(\.pair)
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
        let place = stored.assignments.firstIndex { $0.pair == pair }
        if let place { stored.assignments[place].isSentToServer = true }
      }
    case .failure(let error):
      log(.warn, .network, "assignments could not be confirmed", error: error.message)
    }
    if confirmation.call != nil { sendNext(confirmation) }
  }
}

extension Assignment {
  var pair: AssignmentConfirmation.Pair { .init(experimentID: experimentID, variantID: variant.id) }
}
