/// The pending effects, in order, and the timers and numbered requests that are answered later.
struct Outbox {
  private var effects: [Effect] = []
  /// Timers that were started and have neither fired nor been cancelled.
  private(set) var armedTimers: Set<TimerID> = []
  private var tokens = 0

  mutating func add(_ effect: Effect) { effects.append(effect) }

  mutating func emit(_ event: ModuleEvent) { add(.emit(event)) }

  /// Removes and returns all effects.
  mutating func take() -> [Effect] {
    defer { effects.removeAll(keepingCapacity: true) }
    return effects
  }

  mutating func newToken() -> Token {
    tokens += 1
    // The shell numbers calls with positive tokens.
    return Token(number: -tokens)
  }

  mutating func complete(_ token: Token?, _ reply: Reply = .done) {
    if let token { add(.complete(token, .success(reply))) }
  }

  mutating func fail(_ token: Token?, _ error: SDKError) {
    if let token { add(.complete(token, .failure(error))) }
  }

  mutating func startTimer(_ id: TimerID, _ milliseconds: Int64) {
    armedTimers.insert(id)
    add(.startTimer(id, milliseconds: milliseconds))
  }

  mutating func startTimer(_ id: TimerID, _ limit: Duration) {
    startTimer(id, limit.milliseconds)
  }

  mutating func cancelTimer(_ id: TimerID) {
    if armedTimers.remove(id) != nil { add(.cancelTimer(id)) }
  }

  /// Removes a timer that fired, and returns whether the timer was running.
  mutating func takeTimer(_ id: TimerID) -> Bool { armedTimers.remove(id) != nil }
}
