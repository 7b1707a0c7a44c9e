package import Expressions
internal import Foundation
package import Requests
internal import RuleEngine

/// A record of a store, which is one line of an export.
package enum StateRecord: Equatable, Sendable {
  case config(ConfigVersion, application: String, bytes: [UInt8])
  /// Entries have numbers, so that importing an entry twice adds it only once.
  case audit(AuditEntry, number: Int64)
  case user(StoredState, StateKey)
  /// The user of the key is empty if an earlier program stored the answer.
  case answer(StoredAnswer, StateKey, at: Instant)

  /// The kinds in the order of an export.
  package enum Kind: String, CaseIterable, Sendable {
    case config, audit, user, answer
  }

  package var kind: Kind {
    switch self {
    case .config: .config
    case .audit: .audit
    case .user: .user
    case .answer: .answer
    }
  }

  /// The place after which the next record of the kind follows.
  package var cursor: StateCursor {
    switch self {
    case .config(let version, let application, _):
      StateCursor(application: application, number: Int64(version.number))
    case .audit(_, let number): StateCursor(number: number)
    case .user(_, let key): StateCursor(application: key.application, name: key.user)
    case .answer(_, let key, _):
      StateCursor(application: key.application, name: key.request ?? "")
    }
  }
}

/// A place in the order in which a store returns records. The default is the place before all records.
package struct StateCursor: Equatable, Sendable {
  package var application = ""
  package var name = ""
  package var number: Int64 = 0

  package init(application: String = "", name: String = "", number: Int64 = 0) {
    self.application = application
    self.name = name
    self.number = number
  }
}

/// The numbers of records, and of the assignments and occurrences of users.
package struct StateCounts: Equatable, Sendable {
  package var configs = 0
  package var audit = 0
  package var users = 0
  package var assignments = 0
  package var occurrences = 0
  package var answers = 0

  package init() {}

  package init(_ value: Value) {
    for (name, path) in Self.members { self[keyPath: path] = value[name]?.wholeNumber ?? 0 }
  }

  package mutating func add(_ record: StateRecord) {
    switch record {
    case .config: configs += 1
    case .audit: audit += 1
    case .user(let state, _):
      users += 1
      assignments += state.assignments.count
      occurrences += state.occurrences.reduce(0) { $0 + $1.times.count }
    case .answer: answers += 1
    }
  }

  private static var members: [(String, WritableKeyPath<StateCounts, Int>)] {
    [
      ("configs", \.configs), ("audit", \.audit), ("users", \.users),
      ("assignments", \.assignments), ("occurrences", \.occurrences), ("answers", \.answers),
    ]
  }

  package var value: Value {
    .map(
      Self.members.map { .init(key: .string($0), value: .int(Int64(self[keyPath: $1]))) })
  }

  /// The names of the counts that are smaller in the other counts.
  package func missing(in other: StateCounts) -> [String] {
    Self.members.filter { self[keyPath: $1] > other[keyPath: $1] }.map(\.0)
  }
}

// MARK: JSON

extension StateRecord {
  package var value: Value {
    let kind = Value.string(kind.rawValue)
    switch self {
    case .config(let version, let application, let bytes):
      return .members([
        "kind": kind, "application": .string(application), "version": .int(Int64(version.number)),
        "at": .int(version.at.milliseconds), "by": .string(version.by),
        "source": .string(version.source), "sha256": .string(version.hash),
        "note": version.note.map { .string($0) }, "origin": version.origin.map { .int(Int64($0)) },
        "config": Self.value(bytes),
      ])
    case .audit(let entry, let number):
      return .members([
        "kind": kind, "number": .int(number), "at": .int(entry.at.milliseconds),
        "by": .string(entry.by), "application": .string(entry.application),
        "action": .string(entry.action), "detail": .string(entry.detail),
      ])
    case .user(let state, let key):
      return .members([
        "kind": kind, "application": .string(key.application), "userId": .string(key.user),
        "variants": state.variants, "occurrences": state.times,
      ])
    case .answer(let answer, let key, let at):
      return .members([
        "kind": kind, "application": .string(key.application),
        "requestId": .string(key.request ?? ""), "userId": .string(key.user),
        "at": .int(at.milliseconds), "question": Self.value(answer.question),
        "answer": Self.value(answer.bytes), "version": answer.version.map { .int(Int64($0)) },
      ])
    }
  }

  /// - Throws: a `ServiceError` that says what is missing.
  package init(_ value: Value) throws(ServiceError) {
    func text(_ name: String) throws(ServiceError) -> String {
      guard let text = value[name]?.text else { throw Self.wrong(name, "a string") }
      return text
    }
    func whole(_ name: String) throws(ServiceError) -> Int {
      guard let number = value[name]?.wholeNumber else { throw Self.wrong(name, "a whole number") }
      return number
    }
    func time() throws(ServiceError) -> Instant {
      Instant(milliseconds: Int64(try whole("at")))
    }
    func bytes(_ name: String) throws(ServiceError) -> [UInt8] {
      if let text = value[name]?.text { return Array(text.utf8) }
      guard let data = value[name]?["base64"]?.text.flatMap({ Data(base64Encoded: $0) }) else {
        throw Self.wrong(name, "a string, or an object with 'base64'")
      }
      return Array(data)
    }
    switch value["kind"]?.text.flatMap({ Kind(rawValue: $0) }) {
    case .config:
      self = .config(
        ConfigVersion(
          number: try whole("version"), at: try time(), by: try text("by"),
          source: try text("source"), hash: try text("sha256"), note: value["note"]?.text,
          origin: value["origin"]?.wholeNumber),
        application: try text("application"), bytes: try bytes("config"))
    case .audit:
      self = .audit(
        AuditEntry(
          at: try time(), by: try text("by"), application: try text("application"),
          action: try text("action"), detail: try text("detail")),
        number: Int64(try whole("number")))
    case .user:
      self = .user(
        StoredState(variants: value["variants"], times: value["occurrences"]),
        StateKey(try text("userId"), in: try text("application")))
    case .answer:
      self = .answer(
        StoredAnswer(
          question: try bytes("question"), bytes: try bytes("answer"),
          version: value["version"]?.wholeNumber),
        StateKey(
          try text("userId"), request: try text("requestId"), in: try text("application")),
        at: try time())
    case nil:
      throw .badRequest(
        "'kind' must be one of \(Kind.allCases.map(\.rawValue).joined(separator: ", "))")
    }
  }

  private static func wrong(_ name: String, _ expected: String) -> ServiceError {
    .badRequest("'\(name)' must be \(expected)")
  }

  private static func value(_ bytes: [UInt8]) -> Value {
    if let text = String(validating: bytes, as: UTF8.self) { return .string(text) }
    return ["base64": .string(Data(bytes).base64EncodedString())]
  }
}

extension StoredState {
  /// The variants by experiment as JSON: `{"7":"70"}`.
  var variants: Value {
    .map(assignments.map { .init(key: .string($0.experimentID), value: .string($0.variantID)) })
  }

  /// The times by key as JSON, in milliseconds: `{"key":[1772366400000]}`.
  var times: Value {
    .map(
      occurrences.map { series in
        .init(key: .string(series.key), value: .list(series.times.map { .int($0.milliseconds) }))
      })
  }

  init(variants: Value?, times: Value?) {
    self.init()
    for member in variants?.members ?? [] {
      assignments.append(Assignment(experimentID: member.key, variantID: member.value.text ?? ""))
    }
    for member in times?.members ?? [] {
      occurrences.append(
        DecisionState.Occurrences(
          key: member.key,
          times: (member.value.elements ?? []).compactMap {
            $0.wholeNumber.map { Instant(milliseconds: Int64($0)) }
          }))
    }
  }
}
