package import Expressions
internal import RuleEngine

/// A version of an application's config, without its text.
package struct ConfigVersion: Hashable, Sendable {
  package var number: Int
  package var at: Instant
  package var by: String
  /// The source of the config: `file`, `api` or `rollback`.
  package var source: String
  package var hash: String
  package var note: String?
  /// The version that a rollback went back to.
  package var origin: Int?

  package var value: Value {
    .members([
      "version": .int(Int64(number)), "at": ServiceTime.value(at), "by": .string(by),
      "source": .string(source), "sha256": .string(hash),
      "sameAs": origin.map { .int(Int64($0)) }, "note": note.map { .string($0) },
    ])
  }
}

/// A config that is about to be the next version.
package struct NewConfig: Sendable {
  package var application: String
  package var bytes: [UInt8]
  package var hash: String
  package var by: String
  /// The source of the config: `file`, `api` or `rollback`.
  package var source: String
  package var note: String?
  package var at: Instant
  /// The detail in the audit log, in addition to the number.
  package var detail = ""
  /// The version that must be the newest version; nil for any version.
  package var after: Int?
  package var origin: Int?

  package init(
    _ bytes: [UInt8], of application: String, by: String, source: String, note: String?,
    at: Instant = ServiceTime.now()
  ) {
    self.application = application
    self.bytes = bytes
    hash = LoadedConfig.hash(of: bytes)
    self.by = by
    self.source = source
    self.note = note
    self.at = at
  }

  /// The entry of the config in the audit log.
  func entry(_ number: Int) -> AuditEntry {
    AuditEntry(
      at: at, by: by, application: application, action: "config \(source)",
      detail: "version \(number)\(detail.isEmpty ? "" : ": \(detail)")")
  }
}

/// An entry of the audit log.
package struct AuditEntry: Hashable, Sendable {
  package var at: Instant
  package var by: String
  package var application: String
  package var action: String
  package var detail: String

  package var value: Value {
    .object([
      "at": ServiceTime.value(at), "by": .string(by), "application": .string(application),
      "action": .string(action), "detail": .string(detail),
    ])
  }
}
