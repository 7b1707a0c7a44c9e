internal import Expressions
internal import RuleEngine

/// The user's identity, data, and variants.
struct Person {
  private(set) var appUserID: String?
  private(set) var aliasID: String
  /// The installation's ID. The device may provide its own ID instead.
  let deviceID: String
  /// A number from 0 to 99, for rules that split users.
  private(set) var seed: Int
  /// The user attributes that the app has set.
  private(set) var attributes: AttributeTable
  private(set) var integrationAttributes: [String: String]
  private(set) var assignments: [Assignment]
  /// Keys of the surveys for which the user was selected or rejected.
  private(set) var surveys: Set<String>
  /// The number of identities so far, so that answers about an earlier identity are ignored.
  private(set) var number = 0
  /// Calls of `identify` that wait for the server's assignments, and block placements.
  private(set) var restoring: Set<Token> = []
  /// Experiments that are being confirmed.
  private var confirming: Set<String> = []

  /// Restores the user that an earlier process stored, or creates a new user.
  init(_ stored: StoredState, _ entropy: inout Entropy) {
    appUserID = stored.appUserID
    deviceID =
      stored.deviceID.isEmpty
      ? "$SuperwallDevice:" + entropy.identifier("device") : stored.deviceID
    let isNew = stored.aliasID.isEmpty
    aliasID = isNew ? Self.newAlias(&entropy) : stored.aliasID
    seed = isNew ? entropy.percentile() : stored.seed
    attributes = stored.userAttributes
    integrationAttributes = stored.integrationAttributes
    assignments = stored.assignments
    surveys = stored.surveys
  }

  private static func newAlias(_ entropy: inout Entropy) -> String {
    "$SuperwallAlias:" + entropy.identifier("alias")
  }

  /// The ID that assignments depend on.
  var subjectID: String { appUserID ?? aliasID }

  /// Whether placements can be decided, because no call waits for the server's assignments.
  var isReady: Bool { restoring.isEmpty }

  // MARK: Identity

  mutating func adopt(_ userID: String, seed: Int?) {
    begin()
    appUserID = userID
    self.seed = seed ?? self.seed
  }

  /// Replaces the user by a new user.
  ///
  /// - Returns: the calls that waited for the previous user's assignments, in order.
  mutating func forget(_ entropy: inout Entropy) -> [Token] {
    begin()
    appUserID = nil
    aliasID = Self.newAlias(&entropy)
    seed = entropy.percentile()
    (attributes, integrationAttributes, assignments, surveys) = (AttributeTable(), [:], [], [])
    defer { restoring = [] }
    return restoring.sorted { $0.number < $1.number }
  }

  /// Begins a new identity, even if an anonymous user only got an ID. Answers to earlier requests are then ignored.
  /// Assignments that were being confirmed are confirmed again for the new identity.
  private mutating func begin() {
    number += 1
    confirming = []
  }

  mutating func merge(_ attributes: Value) {
    self.attributes.merge(attributes)
  }

  /// Sets integration IDs, which are also user attributes. Null removes an ID. Unknown names and values that are not
  /// strings are ignored.
  ///
  /// - Returns: whether any ID was set.
  mutating func setIntegrations(_ attributes: Value) -> Bool {
    var changes: [Value.Entry] = []
    for member in attributes.members ?? []
    where IntegrationAttribute(rawValue: member.key) != nil {
      switch member.value {
      case .null: integrationAttributes[member.key] = nil
      case .string(let text): integrationAttributes[member.key] = text
      default: continue
      }
      changes.append(Value.Entry(key: .string(member.key), value: member.value))
    }
    merge(.map(changes))
    return !changes.isEmpty
  }

  /// Marks a survey as known to the user, and returns whether the survey was new.
  mutating func meet(survey key: String) -> Bool { surveys.insert(key).inserted }

  // MARK: Assignments

  mutating func store(_ variant: Variant, of experimentID: String) {
    let new = Assignment(experimentID: experimentID, variant: variant)
    if let known = assignments.firstIndex(where: { $0.experimentID == experimentID }) {
      assignments[known] = new
    } else {
      assignments.append(new)
    }
  }

  /// Replaces the assignments. A known assignment stays unchanged, even if the config lacks its variant. A new
  /// assignment is dropped in this case.
  mutating func replaceAssignments(by pairs: [Assignment], in config: Config?) {
    assignments = pairs.compactMap { pair in
      if let known = assignments.first(where: { $0.isSame(as: pair) }) { return known }
      return config?.variant(of: pair).map {
        Assignment(
          experimentID: pair.experimentID, variant: $0, isSentToServer: pair.isSentToServer)
      }
    }
  }

  /// Blocks placements until the server's assignments are loaded.
  mutating func beginRestoring(_ call: Token) { restoring.insert(call) }

  /// - Returns: whether the call was still waiting.
  mutating func endRestoring(_ call: Token) -> Bool { restoring.remove(call) != nil }

  /// The assignment to report to the server; nil if the server has the assignment, or the assignment is being sent.
  mutating func beginConfirming(_ experimentID: String) -> Assignment? {
    guard let assignment = assignments.first(where: { $0.experimentID == experimentID }),
      !assignment.isSentToServer, confirming.insert(experimentID).inserted
    else { return nil }
    return assignment
  }

  mutating func endConfirming(_ pairs: [Assignment], areSent: Bool) {
    confirming.subtract(pairs.map(\.experimentID))
    guard areSent else { return }
    for pair in pairs {
      let place = assignments.firstIndex { $0.isSame(as: pair) }
      if let place { assignments[place].isSentToServer = true }
    }
  }
}
