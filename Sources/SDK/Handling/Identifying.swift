internal import Expressions
internal import RuleEngine

// MARK: identify and reset

extension SDKState {
  /// Takes a user ID. Another user than before is reset first; the same one, or none, changes
  /// nothing.
  mutating func identify(_ userID: String, restoresAssignments: Bool, _ token: Token) {
    let userID = userID.trimmed
    let input: Lifecycle.Input =
      userID.isEmpty
      ? .identifyBlank : userID == stored.appUserID ? .identifySame : .identifyOther
    let steps = lifecycle.handle(input)
    for step in steps {
      switch step {
      case .resetIdentity: resetIdentity()
      case .adoptIdentity: return adopt(userID, restoresAssignments: restoresAssignments, token)
      case .warnBlankIdentity:
        log(.error, .identityManager, "identify() needs a user ID that is not empty")
      default: break
      }
    }
    complete(token)
  }

  private mutating func adopt(_ userID: String, restoresAssignments: Bool, _ token: Token) {
    stored.appUserID = userID
    beginIdentity()
    if config?.settings.isEnabled("enable_userid_seed") == true {
      stored.seed = UserSeed.seed(of: userID)
    }
    track(.identityAlias)
    track(.userAttributes(stored.user))
    if restoresAssignments { restoringAssignments.insert(token) }
    send(
      Endpoints.assignments(apiKey: apiKey),
      for: .assignments(identity: identityNumber, call: restoresAssignments ? token : nil))
    redeemKnownCodes()
    if restoresAssignments { return }
    complete(token)
    continueWaiting()
  }

  /// From here on answers to earlier requests are about somebody else, also when an anonymous user
  /// got an ID: what was being confirmed is confirmed again for them.
  private mutating func beginIdentity() {
    identityNumber += 1
    confirming = []
  }

  /// Forgets the user: ID, alias, attributes, assignments, occurrences, history, surveys. An open
  /// paywall stays, with what it has (decision D36).
  mutating func resetIdentity() {
    beginIdentity()
    // Nobody waits for the assignments of a user who is gone.
    for call in restoringAssignments.sorted(by: { $0.number < $1.number }) { complete(call) }
    restoringAssignments = []
    stored.appUserID = nil
    stored.aliasID = newAlias()
    stored.seed = entropy.percentile()
    stored.userAttributes = [:]
    stored.integrationAttributes = [:]
    stored.assignments = []
    stored.surveys = []
    stored.webEntitlements = []
    stored.totalPaywallViews = 0
    stored.lastPaywallView = nil
    let kept = platform.eventsKeptOnReset
    history.reset(keeping: kept)
    effects.append(.clearLog(keepingEvents: Set(kept)))
    chooseAssignments()
    track(.reset)
  }

  /// Whether placements can be decided: nobody waits for the server's assignments.
  var isIdentityReady: Bool { restoringAssignments.isEmpty }
}

extension String {
  /// Without white space at both ends.
  var trimmed: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[first...last])
  }
}
