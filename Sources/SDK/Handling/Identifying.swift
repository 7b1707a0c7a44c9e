internal import Expressions
internal import RuleEngine

// MARK: identify and reset

extension SDKState {
  /// Sets the user ID. If the ID differs from the known ID, the known user is reset first. The same ID, an empty ID,
  /// and an ID that no request can contain have no effect. IDs are compared by their bytes.
  mutating func identify(_ userID: String, restoresAssignments: Bool, _ token: Token) {
    let userID = userID.trimmed
    guard !userID.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else {
      log(
        .error, .identityManager,
        "identify() needs a user ID without line breaks and other control characters")
      return outbox.complete(token)
    }
    let isKnown = person.appUserID.map { $0.utf8.elementsEqual(userID.utf8) } ?? false
    let input: Lifecycle.Input =
      userID.isBlank ? .identifyBlank : isKnown ? .identifySame : .identifyOther
    let steps = startup.handle(input)
    for step in steps {
      switch step {
      case .resetIdentity: resetIdentity()
      case .adoptIdentity: return adopt(userID, restoresAssignments: restoresAssignments, token)
      case .warnBlankIdentity:
        log(.error, .identityManager, "identify() needs a user ID that is not empty")
      default: break
      }
    }
    outbox.complete(token)
  }

  private mutating func adopt(_ userID: String, restoresAssignments: Bool, _ token: Token) {
    let isSeeded = config?.settings.isEnabled("enable_userid_seed") == true
    person.adopt(userID, seed: isSeeded ? UserSeed.seed(of: userID) : nil)
    track(.identityAlias)
    track(.userAttributes(stored.user))
    if restoresAssignments { person.beginRestoring(token) }
    send(
      Endpoints.assignments(apiKey: settings.apiKey),
      for: .assignments(identity: person.number, call: restoresAssignments ? token : nil))
    redeemKnownCodes()
    if restoresAssignments { return }
    outbox.complete(token)
    continueWaiting()
  }

  /// Deletes the user's data: ID, alias, attributes, assignments, occurrences, history, surveys. An
  /// open paywall stays unchanged.
  mutating func resetIdentity() {
    // Calls that wait for the deleted user's assignments have no reason to wait.
    for call in person.forget(&entropy) { outbox.complete(call) }
    let hadWeb = !ownership.web.isEmpty
    ownership.forgetUser()
    // Without data from the web, only the store's data remains.
    if hadWeb { storeChanged() }
    usage.forgetPaywalls()
    forgetHistory()
    chooseAssignments()
    track(.reset)
  }
}

extension String {
  /// Whether the string has no visible characters, only white space and zero-width characters.
  var isBlank: Bool {
    unicodeScalars.allSatisfy { scalar in
      scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint
    }
  }
}
