internal import CivilTime
internal import Expressions
internal import RuleEngine

/// The outcomes for one user that requests placements at certain times. Each decision affects the
/// decisions after it.
final class FuzzHistory {
  /// A request of one of the plan's placements, at a time.
  struct Step: Hashable, Sendable {
    var place: Int
    var time: Instant
  }

  /// The results of the steps.
  struct Result {
    /// The outcomes as invariants read them: `{at, placement, result, paywall, variant}`, the
    /// oldest first.
    var shown: [Value] = []
    /// A limit that was exceeded.
    var crossed: String?
  }

  private let plan: TrafficPlan
  private let end: Instant
  private let roles: GeneratedTraffic.Roles
  private var user: TrafficUser
  /// Times between placements, in milliseconds, close to the time spans of limits.
  private let gaps: [Int64]

  private static let mostSteps = 48
  private static let mostFollowing = 4

  init(_ plan: TrafficPlan, days: Int) {
    self.plan = plan
    end = plan.options.clock.now + Int64(days) * 86_400_000
    roles = GeneratedTraffic.Roles(plan)
    user = TrafficUser(plan)
    var gaps: Set<Int64> = [1_000, 60_000, plan.sessionTimeout + 1_000, 3_600_000, 43_200_000]
    for rule in plan.limitedRules {
      guard
        case .minutes(let minutes)? = plan.ruleSet.rules[rule].audience.occurrenceLimit?.interval,
        minutes > 0, minutes <= days * 1_440
      else { continue }
      let span = Int64(minutes) * 60_000
      gaps.formUnion([span - 1, span, span + 1, span + 60_000])
    }
    self.gaps = gaps.sorted()
  }

  /// Generates a user's requests, which depend only on the random numbers.
  func steps(_ random: inout TrafficRandom) -> [Step] {
    let places = plan.placements.indices.filter { !plan.placements[$0].rules.isEmpty }
    guard !places.isEmpty else { return [] }
    let mode = random.number(below: 3)
    let one = places[random.number(below: places.count)]
    let favourites = [
      gaps[random.number(below: gaps.count)], gaps[random.number(below: gaps.count)],
    ]
    var time = plan.options.clock.now
    var steps: [Step] = []
    while steps.count < Self.mostSteps, time < end {
      let place =
        mode == 0
        ? one
        : mode == 1
          ? places[steps.count % places.count] : places[random.number(below: places.count)]
      steps.append(Step(place: place, time: time))
      let isFavourite = random.number(below: 5) > 0
      time =
        time
        + (isFavourite ? favourites[steps.count % 2] : gaps[random.number(below: gaps.count)])
    }
    return steps
  }

  /// The outcomes for a user; nil when the record is rejected.
  func result(_ record: Value, _ steps: [Step]) -> Result? {
    // SAFETY: The record lies in a local array while the user is asked. `user.end()` and
    // `user.forget()` drop it before the closure ends. Tests: RuleFuzzTests, asan.
    var bytes: [UInt8] = []
    JSONWriter.append(record, to: &bytes)
    return bytes.withUnsafeBufferPointer { line in
      do throws(UserRecordReader.Rejection) {
        try user.begin(line)
      } catch {
        user.forget()
        return nil
      }
      defer { user.end() }
      return run(steps)
    }
  }

  private func run(_ steps: [Step]) -> Result {
    var result = Result()
    var counted: [(key: String, time: Instant)] = []
    var last = Instant.distantPast
    for step in steps {
      var (place, time) = (step.place, max(step.time, last + 1))
      for _ in 0...Self.mostFollowing {
        guard time < end else { return result }
        last = time
        let came = user.ask(place, at: time)
        note(came, place, time, &counted, &result)
        guard came.isDeclined, let declining = roles.declining, declining != place else { break }
        (place, time) = (declining, time + Int64(GeneratedTraffic.lookAtPaywall))
      }
    }
    return result
  }

  private func note(
    _ step: borrowing TrafficUser.Step, _ place: Int, _ time: Instant,
    _ counted: inout [(key: String, time: Instant)], _ result: inout Result
  ) {
    let paywall = step.choice.paywall
    let kind =
      switch step.choice.outcome {
      case .paywall: "paywall"
      case .holdout: "holdout"
      case .noAudienceMatch: "noAudienceMatch"
      case .placementNotFound: "placementNotFound"
      case .error: "error"
      case .undecidable: "undecidable"
      }
    result.shown.append(
      .object([
        "at": .string(time.text ?? ""), "placement": .string(plan.placements[place].name),
        "result": .string(kind),
        "paywall": paywall >= 0 ? .string(plan.paywalls[paywall]) : .null,
        "variant": step.choice.variant.map { .string($0) } ?? .null,
      ]))
    guard let key = step.choice.occurrence else { return }
    if let rule = step.rule, let limit = plan.ruleSet.rules[rule].audience.occurrenceLimit {
      let oldest: Instant =
        switch limit.interval {
        case .infinity: .distantPast
        case .session: user.state.sessionStart ?? time
        case .minutes(let minutes):
          minutes > 52_560_000 ? .distantPast : time - Int64(minutes) * 60_000
        }
      let count = counted.count { sameBytes($0.key, key) && $0.time >= oldest }
      if count >= limit.maxCount, result.crossed == nil {
        result.crossed =
          "\(plan.placements[place].name): \(limit.key) already had \(count) of \(limit.maxCount) occurrences at "
          + "\(time.text ?? "")"
      }
    }
    counted.append((key, time))
  }

  /// The requests as recorded traffic.
  static func lines(_ steps: [Step], of subject: String, _ plan: TrafficPlan) -> [Value] {
    steps.map { step in
      .object([
        "at": .string(step.time.text ?? ""), "userId": .string(subject),
        "placement": .string(plan.placements[step.place].name),
      ])
    }
  }
}
