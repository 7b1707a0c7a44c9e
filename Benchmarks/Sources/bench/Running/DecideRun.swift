internal import Expressions
internal import RuleEngine

/// Decides one placement for many users, with frames that were filled before.
struct DecideRun {
  /// The number of different users.
  let users: Int
  let placement: String
  private(set) var deciding: Measurement
  /// Reading one user's JSON into a frame.
  private(set) var filling: Measurement
  /// The number of users for each outcome.
  private(set) var outcomes: [String: Int] = [:]

  /// Any time is suitable: no audience here has an occurrence limit.
  static let now: Instant = 1_772_366_400_000

  /// - Parameters:
  ///   - records: one user's record each.
  ///   - placement: a name, or nil for the config's first placement.
  init(
    _ ruleSet: RuleSet, records: [Value], placement: String?, stopwatch: Stopwatch
  ) throws {
    guard let placement = placement ?? ruleSet.placementNames.first,
      ruleSet.placementNames.contains(placement)
    else { throw InputError("the config", "it has no placement '\(placement ?? "")'") }
    if records.isEmpty { throw InputError("the users", "there are none") }
    self.placement = placement
    let states = try records.map { record in
      guard case .string(let id)? = record["userId"] else {
        throw InputError("the users", "a record has no 'userId'")
      }
      return DecisionState(subjectID: id, now: Self.now)
    }
    let contexts = records.map { Array($0.json.utf8) }
    users = records.count
    let frames = try FilledFrames(for: ruleSet.program, contexts: contexts)
    deciding = Self.decide(ruleSet, placement, frames, states, stopwatch)
    filling = try Self.fill(ruleSet.program, contexts, stopwatch)
    for i in 0..<frames.count {
      let decision = ruleSet.decide(
        placement, frame: &frames[i], state: states[i], assigner: .hash(salt: "bench"))
      outcomes[TriggerResult(decision.outcome).name, default: 0] += 1
    }
  }

  private static func decide(
    _ ruleSet: RuleSet, _ placement: String, _ frames: borrowing FilledFrames,
    _ states: [DecisionState], _ stopwatch: Stopwatch
  ) -> Measurement {
    let order = frames.order()
    // Through a pointer, because reading a state from an array increments all its reference counts.
    return states.withUnsafeBufferPointer { states in
      stopwatch.measure(operations: order.count) { rounds in
        var matched = 0
        for _ in 0..<rounds {
          for i in order {
            let decision = ruleSet.decide(
              placement, frame: &frames[i], state: states[i], assigner: .hash(salt: "bench"))
            matched &+= decision.audience ?? 0
          }
        }
        BlackHole.take(matched)
      }
    }
  }

  private static func fill(
    _ program: Program, _ contexts: [[UInt8]], _ stopwatch: Stopwatch
  ) throws(JSONFault) -> Measurement {
    var frame = Frame(for: program)
    return stopwatch.measure(operations: contexts.count) { rounds in
      var faults = 0
      for _ in 0..<rounds {
        for context in contexts {
          do { try frame.fill(json: context) } catch { faults &+= 1 }
        }
      }
      BlackHole.take(faults)
    }
  }
}

extension TriggerResult {
  fileprivate var name: String {
    if case .string(let name)? = value["result"] { return name }
    return "unknown"
  }
}
