package import Expressions
package import Requests
internal import RuleEngine

/// The storage of the service: variants and occurrences of users, the answers to requests with an ID, and configs
/// with their history and audit log.
///
/// Each method is a whole operation. If two requests read the same state of a user, at most one of them succeeds in
/// `store`.
package protocol StateStore: Sendable {
  // MARK: Users

  /// Reads the stored data of a user and of a request, as of one moment.
  func read(_ key: StateKey) async throws -> Stored

  /// Stores a change if the user and the request are still as they were read.
  ///
  /// - Returns: whether the change was stored. A stored change is on the disk.
  func store(_ change: StateChange, of key: StateKey, ifStill stored: Stored) async throws -> Bool

  /// Reads and changes several users, one after another. No other change of these users happens in between, and all
  /// changes are stored together.
  ///
  /// - Parameter decide: receives the stored data of a key, including the changes for earlier keys. The function runs
  ///   again for all keys if the changes could not be stored.
  func update<Answer: Sendable>(
    _ keys: [StateKey],
    _ decide: @escaping @Sendable (_ index: Int, _ stored: Stored) throws -> (Answer, StateChange?)
  ) async throws -> [Answer]

  /// Whether anything is stored about any user.
  func hasUsers(in application: String) async throws -> Bool

  /// The states of the users that have a stored state.
  func states(of users: [String], in application: String) async throws -> [String: StoredState]

  /// Everything that is stored about a user.
  func everything(of user: StateKey) async throws -> StoredUser

  /// Deletes everything that is stored about a user, and adds an entry with the counts to the audit log.
  func delete(_ user: StateKey, by caller: String) async throws -> StoredUser

  // MARK: Moving

  /// The records of a kind that follow in the order of their keys.
  func records(_ kind: StateRecord.Kind, after cursor: StateCursor, limit: Int) async throws
    -> [StateRecord]

  /// Stores records. Users and answers replace stored records with the same key.
  ///
  /// - Throws: a `ServiceError` if a config or an entry of the audit log differs from the stored one with the same
  ///   number, in which case nothing is stored.
  func add(_ records: [StateRecord]) async throws

  // MARK: Configs

  /// Adds an entry to the audit log.
  func add(_ entry: AuditEntry) async throws

  /// Adds a version of a config and its entry in the audit log.
  ///
  /// - Returns: the number of the version.
  /// - Throws: `ServiceError.changedMeanwhile` if another version than `config.after` is the newest.
  func publish(_ config: NewConfig) async throws -> Int

  /// Whether other servers also publish configs in the store.
  var isShared: Bool { get }

  /// Waits until another server publishes a config, or for a while, and returns the number of the newest version of
  /// each application.
  func newestVersions(waiting: Duration) async throws -> [String: Int]

  /// The newest versions of an application's config, newest first.
  func versions(of application: String, limit: Int) async throws -> [ConfigVersion]

  /// The newest version with this number and source, and its text.
  func config(of application: String, number: Int?, source: String?) async throws -> (
    version: ConfigVersion, bytes: [UInt8]
  )?

  /// The newest version that is older than a given version and has a different text. If the given version is a
  /// rollback, the result is older than the version that the rollback went back to.
  func version(before number: Int, hash: String, of application: String) async throws -> Int?

  /// The audit log of an application or of all applications, the newest entry first.
  func audit(of application: String?, limit: Int) async throws -> [AuditEntry]

  // MARK: Retention

  /// Deletes a small batch of data that is no longer needed, unless another server is doing this now.
  ///
  /// - Returns: whether there may be more data to delete.
  func deleteOld(_ retention: Retention) async throws -> Bool

  /// The sizes of the tables.
  func sizes() async throws -> [TableSize]

  // MARK: Health

  /// The counts for metrics; nil for a store without connections.
  var figures: StoreFigures? { get }

  /// Throws if the store does not answer.
  func check() async throws
}

/// A user of an application, and the ID of a request about the user.
package struct StateKey: Hashable, Sendable {
  package var application: String
  package var user: String
  package var request: String?

  package init(_ user: String, request: String? = nil, in application: String) {
    self.application = application
    self.user = user
    self.request = request
  }
}

extension StateKey {
  /// The user's ID, or if the ID is too long for an index, its beginning and its hash.
  var storedUser: String {
    let most = 1_000
    guard user.utf8.count > most else { return user }
    // The result is longer than any ID that is stored unchanged.
    return String(decoding: user.utf8.prefix(most), as: UTF8.self) + "~"
      + LoadedConfig.hash(of: Array(user.utf8))
  }

  /// Bytes that all answers to the user's requests contain. Earlier programs stored answers without their users.
  var mark: [UInt8] { Array("\"userId\":\(Value.string(user).json)".utf8) }
}

/// Everything that is stored about a user.
package struct StoredUser: Sendable {
  package var state = StoredState()
  package var answers: [(request: String, at: Instant, answer: StoredAnswer)] = []

  /// The numbers of stored assignments, occurrences and answers.
  package var counts: Value {
    .object([
      "assignments": .int(Int64(state.assignments.count)),
      "occurrences": .int(Int64(state.occurrences.reduce(0) { $0 + $1.times.count })),
      "answers": .int(Int64(answers.count)),
    ])
  }

  /// An entry about the user in the audit log, which does not name the user.
  package func entry(_ action: String, by caller: String, in application: String) -> AuditEntry {
    AuditEntry(
      at: ServiceTime.now(), by: caller, application: application, action: action,
      detail: counts.json)
  }
}

/// The stored data of a user and of a request.
package struct Stored: Equatable, Sendable {
  /// Occurrences of a key are in the order in which they were stored.
  var state = StoredState()
  /// The earlier answer to the request.
  package var answer: StoredAnswer?
  /// A number that differs after every change of the user, in stores that count changes; 0 if nothing is stored.
  var revision: Int64 = 0

  /// The state as requests use it, with sorted keys and sorted times.
  package var user: StoredState {
    var user = state
    user.occurrences.sort { $0.key < $1.key }
    for at in user.occurrences.indices {
      user.occurrences[at].times.sort { $0.milliseconds < $1.milliseconds }
    }
    return user
  }
}

/// The answer to a request with an ID.
package struct StoredAnswer: Equatable, Sendable {
  /// The hash of the request's body.
  package var question: [UInt8]
  package var bytes: [UInt8]
  /// The config that decided; nil in databases of earlier versions.
  package var version: Int?

  package init(question: [UInt8], bytes: [UInt8], version: Int?) {
    self.question = question
    self.bytes = bytes
    self.version = version
  }
}

/// The effects of a decision.
package struct StateChange: Sendable {
  /// The variants that the user was assigned, by experiment.
  package var assignments: [(experiment: String, variant: String)] = []
  /// The keys of limits that count the decision.
  package var occurrences: [String] = []
  /// When the rules applied.
  package var now: Instant
  /// The largest number of occurrences that a limit of the config counts.
  package var largestLimit = 0
  package var answer: StoredAnswer?
  /// When the request was answered, by the clock of the server.
  package var answeredAt: Instant
  /// Answers older than this are deleted.
  package var oldestAnswer: Instant

  package init(now: Instant, answer: StoredAnswer?, answeredAt: Instant, keeping: Int64) {
    self.now = now
    self.answer = answer
    self.answeredAt = answeredAt
    oldestAnswer = Instant(milliseconds: answeredAt.milliseconds - keeping)
  }

  /// The maximum number of stored occurrences of one user and key. Limits count only the latest occurrences.
  var mostOccurrences: Int { Retention.mostOccurrences(for: largestLimit) }
}
