package import CivilTime
internal import Expressions

/// A clock that stands still until a simulation moves it. A simulated day takes only as long as the work during that
/// day.
package final class VirtualClock: TimeSource {
  private struct Sleeper {
    var number: Int
    var deadline: Instant
    var continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now: Instant
    var count = 0
    var sleepers: [Sleeper] = []
    /// Sleepers that were cancelled before they started to sleep.
    var cancelled: Set<Int> = []
  }

  private let state: Locked<State>

  package init(now: Instant) { state = Locked(State(now: now)) }

  package var now: Instant { state.withLock { $0.now } }

  /// The time at which the next sleeper wakes, or nil when there are no sleepers.
  package var nextDeadline: Instant? { state.withLock { $0.sleepers.map(\.deadline).min() } }

  package func sleep(milliseconds: Int64) async throws {
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = state.withLock { state in
          if state.cancelled.remove(number) != nil { return true }
          let deadline = state.now + max(0, milliseconds)
          state.sleepers.append(
            Sleeper(number: number, deadline: deadline, continuation: continuation))
          return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      let sleeper = state.withLock { state -> Sleeper? in
        guard let place = state.sleepers.firstIndex(where: { $0.number == number }) else {
          state.cancelled.insert(number)
          return nil
        }
        return state.sleepers.remove(at: place)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Moves the clock, at most to the next deadline, and wakes one sleeper. Among sleepers with the same deadline, the
  /// sleeper that started first wakes first.
  ///
  /// - Returns: whether a sleeper woke. Otherwise the clock shows `time`.
  package func step(upTo time: Instant) -> Bool {
    let sleeper = state.withLock { state -> Sleeper? in
      let next = state.sleepers.min { ($0.deadline, $0.number) < ($1.deadline, $1.number) }
      guard let next, next.deadline <= time else {
        state.now = max(state.now, time)
        return nil
      }
      state.now = max(state.now, next.deadline)
      state.sleepers.removeAll { $0.number == next.number }
      return next
    }
    sleeper?.continuation.resume()
    return sleeper != nil
  }
}
