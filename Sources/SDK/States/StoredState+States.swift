extension StoredState {
  /// The parts of the states that survive the end of the process.
  init(_ person: Person, _ ownership: Ownership, _ usage: Usage) {
    self.init()
    status = ownership.status
    hasExpired = ownership.hasExpired
    appUserID = person.appUserID
    aliasID = person.aliasID
    deviceID = person.deviceID
    seed = person.seed
    userAttributes = person.attributes
    integrationAttributes = person.integrationAttributes
    assignments = person.assignments
    surveys = person.surveys
    codes = ownership.codes
    userCodes = ownership.userCodes
    webEntitlements = ownership.web
    customer = ownership.customer
    webRefreshedAt = ownership.refreshedAt
    pendingCheckout = ownership.pendingCheckout
    let active = Set(ownership.status.entitlements.map(\.id))
    expiries = ownership.expiries.filter { active.contains($0.key) }
    pendingPurchases = ownership.pendingPurchases
    installedAt = usage.installedAt
    totalPaywallViews = usage.totalPaywallViews
    lastPaywallView = usage.lastPaywallView
    closedAt = usage.closedAt
  }
}

extension StoredState {
  /// Creates a state with only the parts that the user's attributes depend on.
  init(userOf person: Person, _ usage: Usage) {
    self.init()
    appUserID = person.appUserID
    aliasID = person.aliasID
    seed = person.seed
    userAttributes = person.attributes
    installedAt = usage.installedAt
  }
}
