import Expressions
import Foundation
import Requests
import RuleEngine
import Testing

@testable import Service

/// What every store promises.
@Suite struct StoreTests {
  @Test(.enabled(if: TestDatabase.isAvailable, TestDatabase.missing))
  func storesIncludePostgreSQL() { #expect(TestStore.all == [.sqlite, .postgres]) }

  private static func time(_ seconds: Int64) -> Instant {
    Instant(milliseconds: 1_772_366_400_000 + seconds * 1_000)
  }

  private static func change(
    _ seconds: Int64 = 0, variants: [(String, String)] = [], occurrences: [String] = [],
    answer: String? = nil, answeredAt: Int64 = 0
  ) -> StateChange {
    var change = StateChange(
      now: time(seconds),
      answer: answer.map {
        StoredAnswer(question: [1, 0, 255], bytes: Array($0.utf8), version: 7)
      },
      answeredAt: time(answeredAt), keeping: 60_000)
    change.assignments = variants.map { (experiment: $0.0, variant: $0.1) }
    change.occurrences = occurrences
    return change
  }

  @Test(arguments: TestStore.all)
  func aUserIsReadAsStored(_ kind: TestStore) async throws {
    let store = try await kind.store()
    let key = StateKey("ü \u{1F600}\\\"'", request: "r'\\1", in: "é")
    #expect(try await store.read(key) == Stored())
    #expect(try await store.hasUsers(in: "é") == false)
    var stored = try await store.read(key)
    let first = Self.change(
      5, variants: [("b", "2"), ("a", "\u{7f}\"")], occurrences: ["z", "k", "z"],
      answer: #"{"decisions":["\u0000é"]}"#)
    #expect(try await store.store(first, of: key, ifStill: stored))
    stored = try await store.read(StateKey(key.user, in: key.application))
    #expect(stored.user.assignments.map(\.experimentID) == ["a", "b"])
    #expect(stored.user.occurrences.map(\.key) == ["k", "z"])
    #expect(stored.user.occurrences.last?.times == [Self.time(5), Self.time(5)])
    #expect(stored.answer == nil)
    // What happened before comes before, whenever it was stored.
    #expect(
      try await store.store(
        Self.change(-5, variants: [("a", "x")], occurrences: ["z"]),
        of: StateKey(key.user, in: key.application), ifStill: stored))
    let again = try await store.read(key)
    #expect(again.user.assignments.map(\.variantID) == ["x", "2"])
    #expect(again.user.occurrences.last?.times == [-5, 5, 5].map { Self.time($0) })
    #expect(again.answer == first.answer)
    #expect(try await store.hasUsers(in: "é"))
    #expect(try await store.hasUsers(in: "e") == false)
    let states = try await store.states(of: ["nobody", key.user, key.user, "a\0b"], in: "é")
    #expect(states == [key.user: again.user])
  }

  /// IDs are compared by their bytes, and may be long.
  @Test(arguments: TestStore.all)
  func similarUsersAreDifferent(_ kind: TestStore) async throws {
    let store = try await kind.store()
    let long = String(repeating: "long ü ", count: 2_000)
    let users = ["e\u{301}", "\u{e9}", "E", "", " ", long, long + " "]
    for (number, user) in users.enumerated() {
      let key = StateKey(user, in: "1")
      let stored = try await store.read(key)
      #expect(stored == Stored(), "\(number)")
      let change = Self.change(variants: [("1", "\(number)")])
      #expect(try await store.store(change, of: key, ifStill: stored))
    }
    for (number, user) in users.enumerated() {
      let stored = try await store.read(StateKey(user, in: "1"))
      #expect(stored.user.assignments.map(\.variantID) == ["\(number)"])
    }
    #expect(try await store.states(of: [long], in: "1")[long]?.assignments.count == 1)
  }

  @Test(arguments: TestStore.all)
  func aChangedUserIsNotStored(_ kind: TestStore) async throws {
    let stores = try await kind.stores(2)
    let key = StateKey("u", request: "r", in: "1")
    let change = Self.change(occurrences: ["k"])
    let stored = try await stores[0].read(key)
    #expect(try await stores[1].store(change, of: key, ifStill: stored))
    #expect(try await stores[0].store(change, of: key, ifStill: stored) == false)
    let next = try await stores[0].read(key)
    #expect(try await stores[0].store(change, of: key, ifStill: next))
    #expect(try await stores[0].store(change, of: key, ifStill: next) == false)
    #expect(try await stores[1].read(key).user.occurrences.first?.times.count == 2)
  }

  /// A request that another user has used changes nothing of this one.
  @Test(arguments: TestStore.all)
  func aRequestIsAnsweredOnce(_ kind: TestStore) async throws {
    let stores = try await kind.stores(2)
    let (a, b) = (StateKey("a", request: "r", in: "1"), StateKey("b", request: "r", in: "1"))
    let (storedA, storedB) = (try await stores[0].read(a), try await stores[1].read(b))
    let change = Self.change(occurrences: ["k"], answer: "{}")
    #expect(try await stores[0].store(change, of: a, ifStill: storedA))
    #expect(try await stores[1].store(change, of: b, ifStill: storedB) == false)
    let other = try await stores[0].read(b)
    #expect(other.user.isEmpty && other.answer == change.answer)
    #expect(try await stores[1].states(of: ["a", "b"], in: "1").keys.sorted() == ["a"])
    // The same ID of another application is another request.
    let elsewhere = StateKey("b", request: "r", in: "2")
    let stored = try await stores[1].read(elsewhere)
    #expect(stored == Stored())
    #expect(try await stores[1].store(change, of: elsewhere, ifStill: stored))
  }

  @Test(arguments: TestStore.all)
  func answersAreDeletedPastTheirTime(_ kind: TestStore) async throws {
    let store = try await kind.store()
    for (request, time) in [("a", 0), ("b", 30), ("c", 61)] as [(String, Int64)] {
      let key = StateKey("u", request: request, in: "1")
      let change = Self.change(answer: "{}", answeredAt: time)
      #expect(try await store.store(change, of: key, ifStill: store.read(key)))
    }
    let retention = Retention(oldestAnswer: Self.time(1), mostOccurrences: ["1": 100])
    #expect(try await store.deleteOld(retention) == false)
    // Another application keeps its answers.
    let other = Retention(oldestAnswer: Self.time(99), mostOccurrences: ["2": 100])
    #expect(try await store.deleteOld(other) == false)
    var known: [String] = []
    for request in ["a", "b", "c"] {
      if try await store.read(StateKey("u", request: request, in: "1")).answer != nil {
        known.append(request)
      }
    }
    #expect(known == ["b", "c"])
  }

  /// Answers and users are taken in batches until nothing more is old.
  @Test(arguments: TestStore.all)
  func whatIsOldIsDeletedInBatches(_ kind: TestStore) async throws {
    let store = try await kind.store()
    var writes: [(key: StateKey, change: StateChange)] = []
    for number in 0..<1_200 {
      let key = StateKey("u\(number)", request: "r\(number)", in: "1")
      let answeredAt: Int64 = number < 1_100 ? 0 : 100
      writes.append((key, Self.change(occurrences: ["k"], answer: "{}", answeredAt: answeredAt)))
    }
    var many = Self.change(occurrences: Array(repeating: "long", count: 150) + ["short"])
    many.largestLimit = 150
    for application in ["1", "2"] { writes.append((StateKey("u2000", in: application), many)) }
    let all = writes
    _ = try await store.update(all.map(\.key)) { index, _ in ((), all[index].change) }
    let retention = Retention(oldestAnswer: Self.time(50), mostOccurrences: ["1": 120])
    var batches = 1
    while try await store.deleteOld(retention) { batches += 1 }
    #expect((2...5).contains(batches), "\(batches)")
    for (number, hasAnswer) in [(0, false), (1_099, false), (1_100, true), (1_199, true)] {
      let stored = try await store.read(StateKey("u\(number)", request: "r\(number)", in: "1"))
      #expect((stored.answer != nil) == hasAnswer && stored.user.occurrences.count == 1)
    }
    for (application, count) in [("1", 120), ("2", 150)] {
      let occurrences = try await store.read(StateKey("u2000", in: application)).user.occurrences
      #expect(occurrences.map(\.times.count) == [count, 1])
    }
    let sizes = try await store.sizes()
    #expect(sizes.reduce(0) { $0 + $1.bytes } > 10_000)
  }

  @Test(arguments: TestStore.all)
  func updatesSeeEachOther(_ kind: TestStore) async throws {
    let store = try await kind.store()
    let keys = [
      StateKey("u", in: "1"), StateKey("v", request: "r", in: "1"), StateKey("u", in: "1"),
      StateKey("w", request: "r", in: "1"), StateKey("only read", in: "1"),
    ]
    let seen = try await store.update(keys) { index, stored -> (String, StateChange?) in
      let count = stored.user.occurrences.first?.times.count ?? 0
      let answer = stored.answer.map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
      let change = Self.change(
        occurrences: ["k"], answer: keys[index].request == nil ? nil : "\(index)")
      return ("\(count)\(answer)", index < 3 ? change : nil)
    }
    #expect(seen == ["0", "0", "1", "01", "0"])
    let states = try await store.states(of: keys.map(\.user), in: "1")
    #expect(states.mapValues { $0.occurrences[0].times.count } == ["u": 2, "v": 1])
    struct Refusal: Error {}
    await #expect(throws: Refusal.self) {
      _ = try await store.update(keys) { index, _ -> (Int, StateChange?) in
        if index == 2 { throw Refusal() }
        return (index, Self.change(occurrences: ["k"]))
      }
    }
    #expect(try await store.states(of: keys.map(\.user), in: "1") == states)
    #expect(try await store.update([]) { _, _ -> (Int, StateChange?) in (0, nil) } == [])
  }

  /// Changes of many users and one user at once lose nothing, whichever way they are stored.
  @Test(arguments: TestStore.all)
  func nothingIsLostOrCountedTwice(_ kind: TestStore) async throws {
    let stores = try await kind.stores(3)
    let (own, shared) = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
      for lane in 0..<12 {
        let store = stores[lane % 3]
        group.addTask {
          var counts = (own: 0, shared: 0)
          for number in 0..<20 {
            let key = StateKey("u\(lane)", request: "\(lane)-\(number)", in: "1")
            let change = Self.change(Int64(number), occurrences: ["k"], answer: "{}")
            if try await store.store(change, of: key, ifStill: store.read(key)) { counts.own += 1 }
            let all = StateKey("all", in: "1")
            let count = Self.change(Int64(number), occurrences: ["k"])
            if number % 5 == 0 {
              _ = try await store.update([all, key]) { index, _ in ((), index == 0 ? count : nil) }
              counts.shared += 1
            } else if try await store.store(count, of: all, ifStill: store.read(all)) {
              counts.shared += 1
            }
          }
          return counts
        }
      }
      return try await group.reduce(into: (0, 0)) { $0 = ($0.0 + $1.0, $0.1 + $1.1) }
    }
    #expect(own == 240)
    let all = try await stores[0].read(StateKey("all", in: "1"))
    // The last 100 are stored.
    #expect(all.user.occurrences[0].times.count == min(shared, 100))
    for lane in 0..<12 {
      let state = try await stores[1].read(StateKey("u\(lane)", request: "\(lane)-7", in: "1"))
      #expect(state.user.occurrences[0].times == (0..<20).map { Self.time($0) })
      #expect(state.answer != nil)
    }
  }

  // MARK: Configs

  private static func config(_ text: String, _ source: String, note: String? = nil) -> NewConfig {
    NewConfig(
      Array(text.utf8), of: "1", by: "test \(source)", source: source, note: note, at: time(1))
  }

  @Test(arguments: TestStore.all)
  func configsAreNumbered(_ kind: TestStore) async throws {
    let stores = try await kind.stores(2)
    var first = Self.config("one", "file")
    first.after = 1
    await #expect(throws: ServiceError.changedMeanwhile) { try await stores[0].publish(first) }
    first.after = 0
    #expect(try await stores[0].publish(first) == 1)
    await #expect(throws: ServiceError.changedMeanwhile) { try await stores[1].publish(first) }
    var second = Self.config("two", "api", note: "with \0 and é")
    second.detail = "2 changes"
    second.after = 1
    #expect(try await stores[1].publish(second) == 2)
    var third = Self.config("one", "rollback")
    third.origin = 1
    #expect(try await stores[0].publish(third) == 3)
    let versions = try await stores[1].versions(of: "1", limit: 2)
    #expect(versions.map(\.number) == [3, 2] && versions.map(\.origin) == [1, nil])
    #expect(versions[1].by == "test api" && versions[1].at == Self.time(1))
    #expect(versions[0].hash == LoadedConfig.hash(of: Array("one".utf8)))
    let newest = try await stores[1].config(of: "1", number: nil, source: nil)
    #expect(newest?.version == versions[0] && newest?.bytes == Array("one".utf8))
    let ofFile = try await stores[1].config(of: "1", number: nil, source: "file")
    #expect(ofFile?.version.number == 1)
    #expect(try await stores[1].config(of: "1", number: 2, source: nil)?.bytes == Array("two".utf8))
    #expect(try await stores[1].config(of: "1", number: 4, source: nil) == nil)
    #expect(try await stores[1].config(of: "2", number: nil, source: nil) == nil)
    let hash = versions[1].hash
    #expect(try await stores[0].version(before: 2, hash: hash, of: "1") == 1)
    #expect(try await stores[0].version(before: 3, hash: versions[0].hash, of: "1") == nil)
    let entries = try await stores[0].audit(of: "1", limit: 10)
    #expect(entries.map(\.action) == ["config rollback", "config api", "config file"])
    #expect(entries.map(\.detail) == ["version 3", "version 2: 2 changes", "version 1"])
    #expect(try await stores[0].audit(of: nil, limit: 1) == [entries[0]])
    #expect(try await stores[0].audit(of: "2", limit: 1) == [])
  }

  @Test(arguments: TestStore.all)
  func ofConfigsAtOnceEachHasANumber(_ kind: TestStore) async throws {
    let stores = try await kind.stores(3)
    let numbers = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<12 {
        group.addTask { try await stores[number % 3].publish(Self.config("\(number)", "api")) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(numbers.sorted() == Array(1...12))
    try await stores[0].check()
  }
}
