import Expressions
import Testing

@testable import SDK

/// What is written when, who waits for what, and what logs show that are not written yet.
@Suite("Storage queue")
struct StorageQueueTests {
  /// A storage whose writes wait for a word, or fail; reads answer at once.
  private final class Slow: StateStorage {
    struct Full: Error {}

    private struct State {
      var waits = false
      var fails = false
      var waiting: [CheckedContinuation<Void, Never>] = []
    }

    let inner = InMemoryStorage()
    private let state = Locked(State())
    let written = Recorder<[StorageChange]>()

    func records(_ prefix: String) -> [String: Value] { inner.records(prefix) }
    func logs(_ names: [String]?) -> [String: StorageLog] { inner.logs(names) }

    func write(_ changes: [StorageChange]) async throws {
      written.add(changes)
      await withCheckedContinuation { continuation in
        let waits = state.withLock { state in
          if state.waits { state.waiting.append(continuation) }
          return state.waits
        }
        if !waits { continuation.resume() }
      }
      if state.withLock({ $0.fails }) { throw Full() }
      inner.write(changes)
    }

    func setWaits(_ waits: Bool) { state.withLock { $0.waits = waits } }
    func setFails(_ fails: Bool) { state.withLock { $0.fails = fails } }

    /// Lets one write end.
    func answer() {
      state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }?.resume()
    }
  }

  private final class Run: Sendable {
    let clock = VirtualClock(now: 0)
    let executor = SimulationExecutor()
    let storage = Slow()
    let queue: StorageQueue
    let complaints = Recorder<String>()
    let ended = Recorder<String>()
    let logs = Recorder<[String: StorageLog]>()

    init() {
      let complaints = complaints
      queue = StorageQueue(
        Ports(
          time: clock, transport: ScriptedTransport(rules: [], time: clock), storage: storage,
          store: SimulatedStore(products: []), presenter: ScriptedPresenter(),
          device: FixedDevice(), executor: executor)
      ) { complaints.add($0) }
    }

    func flush(_ name: String, isLast: Bool = false) {
      Task(executorPreference: executor) { [queue, ended] in
        await queue.flush(isLast: isLast)
        ended.add(name)
      }
      executor.drain()
    }

    func set(_ key: String, _ value: Value? = 1) {
      queue.set(key, value)
      executor.drain()
    }

    func append(_ name: String, _ time: Int64) {
      queue.append(.event(name: name, at: Instant(milliseconds: time)))
      executor.drain()
    }

    func clear(keeping names: Set<String> = []) {
      queue.clearLog(keeping: names)
      executor.drain()
    }

    func read(_ names: [String]?) {
      queue.read(logs: names) { [logs] in logs.add($0) }
      executor.drain()
    }

    func answer() {
      storage.answer()
      executor.drain()
    }

    func pass(_ milliseconds: Int64) {
      let end = clock.now + milliseconds
      while clock.step(upTo: end) { executor.drain() }
    }

    var writes: Int { storage.written.all.count }
  }

  // MARK: Waiting

  /// A call waits for what it changed, and not for what others change while it waits.
  @Test func callsWaitForTheirOwnChanges() {
    let run = Run()
    run.storage.setWaits(true)
    run.set("a")
    run.flush("a")
    run.set("b")
    run.flush("b")
    run.set("c")
    run.flush("c")
    #expect(run.ended.all.isEmpty)
    run.answer()
    #expect(run.ended.all == ["a"])
    // Both are written at once.
    #expect(run.storage.written.all.last?.count == 2)
    run.answer()
    #expect(run.ended.all == ["a", "b", "c"] && run.writes == 2)
    run.flush("nothing")
    #expect(run.ended.all.last == "nothing")
  }

  /// The time of one write is not that of the next.
  @Test func everyWriteHasItsTime() {
    let run = Run()
    run.storage.setWaits(true)
    run.set("a")
    run.pass(900)
    run.set("b")
    run.flush("b")
    run.answer()
    run.pass(900)
    #expect(run.ended.all.isEmpty)
    run.pass(100)
    #expect(run.ended.all == ["b"])
    // Nobody waits again while the storage does not answer, and everybody when it has.
    run.set("c")
    run.flush("c")
    #expect(run.ended.all == ["b", "c"])
    run.answer()
    run.set("d")
    run.flush("d")
    #expect(run.ended.all.count == 2)
  }

  /// Who is last waits for as long as a storage may take.
  @Test func theLastWaitIsLong() {
    let run = Run()
    run.queue.setLimit(.seconds(7))
    run.storage.setWaits(true)
    run.set("a")
    run.flush("call")
    run.flush("end", isLast: true)
    run.pass(6_999)
    #expect(run.ended.all == ["call"] && run.complaints.all.isEmpty)
    run.pass(1)
    #expect(run.ended.all == ["call", "end"] && run.complaints.all.count == 1)
    run.flush("again", isLast: true)
    #expect(run.ended.all.last == "again")
  }

  // MARK: Failing

  /// A storage that fails is asked again after a second, two, four and so on; what changes meanwhile waits
  /// with the rest, and no call waits for it.
  @Test func failuresHavePauses() {
    let run = Run()
    run.storage.setFails(true)
    run.set("a")
    #expect(run.writes == 1)
    for number in 0..<100 {
      run.set("b", .int(Int64(number)))
      run.append("e", Int64(number))
    }
    run.flush("call")
    #expect(run.writes == 1 && run.ended.all == ["call"])
    for (number, pause) in [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000].enumerated()
    {
      run.pass(Int64(pause) - 1)
      #expect(run.writes == number + 1, "\(pause)")
      run.pass(1)
      #expect(run.writes == number + 2, "\(pause)")
    }
    #expect(run.complaints.all.count == 1)
    run.storage.setFails(false)
    run.pass(60_000)
    #expect(run.storage.inner.records("") == ["a": 1, "b": 99])
    #expect(run.storage.inner.logs(nil)["event:e"]?.times.count == 100)
    #expect(run.complaints.all.count == 2)
    // From here on as at first.
    run.set("c")
    run.storage.setFails(true)
    let writes = run.writes
    run.set("d")
    run.pass(1_000)
    #expect(run.writes == writes + 2 && run.clock.nextDeadline != nil)
    run.flush("end", isLast: true)
    #expect(run.writes == writes + 3)
    // Nothing is tried after that.
    run.pass(600_000)
    #expect(run.writes == writes + 3 && run.clock.nextDeadline == nil)
  }

  /// What comes while an attempt is under way waits with it when that fails, and so do calls.
  @Test func whatComesMeanwhileIsKept() {
    let run = Run()
    run.storage.setWaits(true)
    run.storage.setFails(true)
    run.set("a")
    run.set("b")
    run.flush("b")
    run.answer()
    #expect(run.ended.all == ["b"] && run.writes == 1)
    run.storage.setFails(false)
    run.pass(1_000)
    #expect(run.writes == 2)
    run.answer()
    #expect(run.storage.inner.records("") == ["a": 1, "b": 1])
  }

  /// What changes while logs are read between two attempts is not lost, and does not overtake what was
  /// before it.
  @Test func nothingIsLostBetweenAttempts() {
    let run = Run()
    run.storage.setWaits(true)
    run.storage.setFails(true)
    run.append("a", 1)
    run.read(["event:a"])
    run.set("b", 1)
    run.set(StorageKey.unsent(1))
    run.answer()
    #expect(run.logs.all == [["event:a": StorageLog(times: [1])]] && run.writes == 1)
    run.append("a", 2)
    run.set("b", 2)
    run.set(StorageKey.unsent(1), nil)
    run.flush("call")
    #expect(run.ended.all == ["call"])
    run.pass(1_000)
    run.append("a", 3)
    run.answer()
    run.append("a", 4)
    run.storage.setFails(false)
    run.storage.setWaits(false)
    run.pass(2_000)
    #expect(run.storage.inner.records("") == ["b": 2])
    #expect(run.storage.inner.logs(nil)["event:a"]?.times == [1, 2, 3, 4])
    #expect(run.writes == 3 && run.clock.nextDeadline == nil)
  }

  /// The end tries once more what fails while it waits.
  @Test func theEndTriesWhatFailsMeanwhile() {
    let run = Run()
    run.storage.setWaits(true)
    run.storage.setFails(true)
    run.set("a")
    run.set("b")
    run.flush("end", isLast: true)
    run.answer()
    #expect(run.ended.all.isEmpty && run.writes == 2)
    run.storage.setFails(false)
    run.answer()
    #expect(run.ended.all == ["end"] && run.clock.nextDeadline == nil)
    #expect(run.storage.inner.records("") == ["a": 1, "b": 1])
  }

  /// Events that were dropped before they could be stored leave nothing behind; one that is stored is removed.
  @Test func eventsThatWereNeverStoredAreForgotten() {
    let run = Run()
    run.set(StorageKey.unsent(1))
    run.storage.setFails(true)
    run.set(StorageKey.unsent(2))
    for number in 3..<1_000 { run.set(StorageKey.unsent(number)) }
    for number in 1..<999 { run.set(StorageKey.unsent(number), nil) }
    run.storage.setFails(false)
    run.pass(1_000)
    #expect(
      Set(run.storage.written.all.last ?? []) == [
        .remove(StorageKey.unsent(1)), .set(StorageKey.unsent(999), 1),
      ])
    #expect(run.storage.inner.records("") == [StorageKey.unsent(999): 1])
  }

  /// However much a storage that fails has to be told in the end, what was forgotten stays forgotten.
  @Test func forgettingIsNotLeftOut() {
    let run = Run()
    run.append("old", 1)
    run.append("kept", 1)
    run.append("once", 1)
    run.storage.setFails(true)
    run.clear(keeping: ["kept", "once"])
    run.clear(keeping: ["kept", "other"])
    for number in 0..<(2 * StorageBatch.limit) {
      run.queue.append(.event(name: "e", at: Instant(milliseconds: Int64(number))))
    }
    run.storage.setFails(false)
    run.pass(1_000)
    let logs = run.storage.inner.logs(nil)
    #expect(logs["event:old"] == nil && logs["event:once"] == nil)
    #expect(logs["event:kept"]?.times == [1])
    let times = logs["event:e"]?.times ?? []
    #expect(times.count > StorageBatch.limit / 2 && times.count <= StorageBatch.limit)
    #expect(times.last == Instant(milliseconds: Int64(2 * StorageBatch.limit - 1)))
  }

  // MARK: Reading

  /// Logs are read when everything is written that came before, also what could not be.
  @Test func logsShowWhatCameBefore() {
    let run = Run()
    run.append("a", 1)
    run.append("b", 1)
    run.storage.setWaits(true)
    run.append("a", 2)
    run.read(["event:a"])
    run.append("a", 3)
    #expect(run.logs.all.isEmpty)
    run.answer()
    #expect(run.logs.all == [["event:a": StorageLog(times: [1, 2])]])
    run.answer()
    run.storage.setWaits(false)
    run.storage.setFails(true)
    run.append("a", 4)
    run.read(nil)
    #expect(
      run.logs.all.last
        == ["event:a": StorageLog(times: [1, 2, 3, 4]), "event:b": StorageLog(times: [1])])
    run.clear(keeping: ["b"])
    run.append("c", 5)
    run.read(["event:a", "event:b"])
    #expect(run.logs.all.last == ["event:b": StorageLog(times: [1])])
  }

  /// Who asks for logs when a write has hung for long does not wait for it at all.
  @Test func logsAreReadBesideAWriteThatHungBefore() {
    let run = Run()
    run.append("a", 1)
    run.storage.setWaits(true)
    run.append("b", 1)
    run.append("a", 2)
    run.pass(10_000)
    run.read(["event:a"])
    #expect(run.logs.all == [["event:a": StorageLog(times: [1, 2])]])
    run.answer()
    run.answer()
    #expect(run.logs.all.count == 1)
  }

  /// Who reads does not wait for a write that does not end. What is forgotten is not shown, what waits is,
  /// and what is being written may be there or not: after something was forgotten that does not matter.
  @Test func logsAreReadBesideAWriteThatDoesNotEnd() {
    let run = Run()
    for name in ["a", "b", "c"] { run.append(name, 1) }
    run.storage.setWaits(true)
    run.append("b", 2)
    run.set("k")
    run.read(nil)
    run.append("b", 3)
    run.pass(999)
    #expect(run.logs.all.isEmpty)
    run.pass(1)
    #expect(run.logs.all.count == 1)
    #expect(run.logs.all.last?["event:b"]?.times == [1])
    for _ in 0..<3 { run.answer() }
    #expect(run.logs.all.count == 1)
    // What is being written forgets.
    run.clear(keeping: ["b"])
    run.append("b", 4)
    run.append("c", 4)
    run.read(["event:a", "event:b", "event:c"])
    run.pass(1_000)
    #expect(run.logs.all.count == 2)
    #expect(run.logs.all.last?["event:a"] == nil)
    #expect(run.logs.all.last?["event:b"]?.times == [1, 2, 3, 4])
    #expect(run.logs.all.last?["event:c"]?.times == [4])
  }
}
