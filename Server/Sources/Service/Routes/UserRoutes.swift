internal import Expressions
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Requests
internal import RuleEngine

/// Shows and deletes all stored data of a user: `GET` and `DELETE /v1/users/{id}`.
///
/// Both routes add an entry to the audit log, which counts the rows that were read or deleted, and does not name the
/// user.
struct UserRoutes: Sendable {
  let service: DecisionService

  func add(to router: Router<ServiceContext>) {
    router.get("/v1/users/:id") { request, context in
      let (user, caller) = try user(request, context)
      let stored = try await StateDeadline.within(service.options.storePatience) {
        let stored = try await service.store.everything(of: user)
        try await service.store.add(
          stored.entry("user read", by: caller.name, in: user.application))
        return stored
      }
      return Response(json: Self.value(stored, of: user))
    }
    router.delete("/v1/users/:id") { request, context in
      let (user, caller) = try user(request, context)
      let deleted = try await StateDeadline.within(service.options.storePatience) {
        try await service.store.delete(user, by: caller.name)
      }
      return Response(json: .object(["deleted": deleted.counts]))
    }
  }

  private func user(_ request: Request, _ context: ServiceContext) throws -> (StateKey, Caller) {
    let (application, caller) = try service.application(request, for: .administer)
    guard let id = context.parameters.get("id")?.removingPercentEncoding, !id.utf8.contains(0)
    else {
      throw ServiceError.badRequest("the user's ID is not percent-encoded UTF-8")
    }
    return (StateKey(id, in: application.id), caller)
  }

  private static func value(_ user: StoredUser, of key: StateKey) -> Value {
    .object([
      "userId": .string(key.user),
      "assignments": .list(
        user.state.assignments.map {
          .object([
            "experimentId": .string($0.experimentID), "variantId": .string($0.variantID),
          ])
        }),
      "occurrences": .map(
        user.state.occurrences.map { series in
          .init(key: .string(series.key), value: .list(series.times.map(ServiceTime.value)))
        }),
      "answers": .list(
        user.answers.map { request, at, answer in
          .members([
            "requestId": .string(request), "at": ServiceTime.value(at),
            "version": answer.version.map { .int(Int64($0)) },
            "answer": (try? Value.parse(json: answer.bytes))
              ?? .string(String(decoding: answer.bytes, as: UTF8.self)),
          ])
        }),
    ])
  }
}
