package import Expressions
internal import SDK

/// Runs a scenario and checks its expectations.
package struct ScenarioRun {
  /// A finished step, for a transcript.
  package struct Step {
    package var step: Value
    /// The time at the end of the step, in milliseconds since the scenario's start.
    package var time: Int64
    package var reply: SimulationSession.StepReply
  }

  package private(set) var steps: [Step] = []
  /// The first failed expectation with the number of its step, or nil if the scenario passed.
  package private(set) var failure: String?

  /// The Superwall events that are compared by default.
  private static let observedEvents: Set<String> = [
    "triggerFire", "paywallPresentationRequest", "paywallOpen", "paywallClose", "paywallDecline",
    "customPlacement", "transactionStart", "transactionComplete", "transactionFail",
    "transactionAbandon", "transactionRestore", "transactionTimeout", "subscriptionStart",
    "freeTrialStart", "nonRecurringProductPurchase", "restoreStart", "restoreComplete",
    "restoreFail", "redemptionStart", "redemptionComplete", "redemptionFail", "surveyResponse",
    "surveyClose", "configFail", "reset", "deepLink", "stripeCheckoutStart",
    "stripeCheckoutSubmit", "stripeCheckoutComplete", "stripeCheckoutFail", "permissionRequested",
    "permissionGranted", "permissionDenied", "reviewRequested", "confirmAllAssignments",
    "paywallPageView",
  ]

  private let only: Set<String>?
  private let observed: Set<String>
  private let ignored: Set<String>
  private let contract: ContractSchema?
  private var expectations = Expectations()

  /// - Throws: an error if the scenario cannot begin.
  package init(_ scenario: Value, fixtures: Fixtures) throws {
    func names(_ key: String) -> Set<String>? {
      (scenario[key]?.elements).map { Set($0.compactMap(\.text)) }
    }
    only = names("only")
    observed = names("observe") ?? []
    ignored = names("ignore") ?? []
    contract = fixtures.contract
    let session = try SimulationSession(scenario, fixtures: fixtures)
    defer { session.end() }
    for (number, step) in (scenario["steps"]?.elements ?? []).enumerated() where failure == nil {
      do throws(Expectations.Mismatch) {
        try run(step, in: session)
      } catch {
        let what = ["do", "method", "action"].compactMap { step[$0]?.text }.joined(separator: " ")
        failure = "step \(number) (\(what)): \(error.message)"
      }
    }
  }

  private mutating func run(_ step: Value, in session: SimulationSession)
    throws(Expectations.Mismatch)
  {
    let reply = session.step(expectations.resolve(step))
    let time = session.clock.now - SimulationSession.start
    steps.append(Step(step: step, time: time, reply: reply))
    if let problem = contract?.problem(inEntries: reply.entries) {
      throw Expectations.Mismatch(problem)
    }
    if let wanted = step["events"]?.elements {
      let got = reply.entries.map { Self.normalized($0) }.filter { isObserved($0) }
      try expectations.matchEntries(wanted, got)
    }
    if let wanted = step["expect"] { try match(wanted, reply.result) }
    if let wanted = step["requests"]?.elements {
      try expectations.matchRequests(wanted, reply.requests)
    }
    for forbidden in (step["noRequests"]?.elements ?? []).compactMap(\.text) {
      for request in reply.requests {
        let sent = "\(request["method"]?.text ?? "") \(request["path"]?.text ?? "")"
        if sent.hasPrefix(forbidden) { throw Expectations.Mismatch("\(sent) must not be sent") }
      }
    }
    if let wanted = step["state"] { try expectations.match(wanted, reply.state, "state") }
  }

  /// A Superwall event in the form that scenarios use: `{"sw": name, "p": the rest}`.
  package static func normalized(_ entry: Value) -> Value {
    guard entry["ev"]?.text == "handleSuperwallEvent",
      let event = entry["p"]?["eventInfo"]?["event"], let name = event["event"]
    else { return entry }
    let rest = (event.members ?? []).filter { $0.key != "event" }
    return [
      "sw": name, "p": .map(rest.map { Value.Entry(key: .string($0.key), value: $0.value) }),
    ]
  }

  private func isObserved(_ entry: Value) -> Bool {
    let tag = Expectations.tag(entry)
    if let only { return only.contains(tag) }
    if observed.contains(tag) { return true }
    if ignored.contains(tag) { return false }
    if let name = entry["sw"]?.text { return Self.observedEvents.contains(name) }
    if entry["host"]?.text == "message" { return entry["p"]?["name"]?.text == "callback_result" }
    return tag != "handleLog"
  }

  private mutating func match(_ wanted: Value, _ result: Value) throws(Expectations.Mismatch) {
    if wanted["pending"]?.truth == true {
      guard result["pending"] != nil else {
        throw Expectations.Mismatch("the call must not be complete yet: \(result.json)")
      }
    } else if let error = wanted["error"] {
      guard let got = result["error"] else {
        throw Expectations.Mismatch("expected the error \(error.json), got \(result.json)")
      }
      try expectations.match(error, got, "error")
    } else if let value = wanted["value"] {
      guard let got = result["value"] else {
        throw Expectations.Mismatch("expected a value, got \(result.json)")
      }
      try expectations.match(
        value, got, "value", exactly: wanted["complete"]?.truth ?? false)
    }
  }
}
