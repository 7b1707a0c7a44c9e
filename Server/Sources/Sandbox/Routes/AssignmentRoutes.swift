internal import Expressions
internal import HTTPTypes
internal import Service

extension SandboxBackend {
  /// The endpoints of the older API for assignments.
  var assignmentEndpoints: [Endpoint] {
    [
      .get("/api/v1/assignments", .key) { exchange in
        let pairs = try await store.assignments(
          of: exchange.identity, in: exchange.application.id, now: now())
        return Answer(.object(["assignments": Self.list(pairs)]))
      },
      .post("/api/v1/confirm_assignments", .key) { exchange in
        let pairs = try Self.pairs(exchange)
        try await store.confirm(
          pairs, of: exchange.identity, in: exchange.application.id, now: now())
        return Answer(.object(["status": "ok", "assignments": Self.list(pairs)]))
      },
    ]
  }

  /// The maximum number of confirmations in one request.
  private static let confirmationLimit = 100

  /// The assignments of a request, without duplicates. If any assignment is invalid, the request is rejected.
  private static func pairs(_ exchange: Exchange) throws(ServiceError)
    -> [(experiment: String, variant: String)]
  {
    let elements = try exchange.list("assignments")
    guard elements.count <= confirmationLimit else {
      throw ServiceError(
        .badRequest, "too_many_assignments",
        "there are \(elements.count) assignments; the maximum is \(confirmationLimit)")
    }
    var pairs: [(experiment: String, variant: String)] = []
    for (i, element) in elements.enumerated() {
      guard let experiment = element["experiment_id"]?.text,
        let variant = element["variant_id"]?.text
      else {
        throw invalid("'assignments[\(i)]' lacks 'experiment_id' or 'variant_id' as strings")
      }
      guard let variants = exchange.application.variants(ofExperiment: experiment) else {
        throw ServiceError(
          .badRequest, "unknown_experiment", "the config has no experiment '\(experiment)'")
      }
      guard variants.contains(variant) else {
        throw ServiceError(
          .badRequest, "unknown_variant",
          "the experiment '\(experiment)' has no variant '\(variant)'")
      }
      if !pairs.contains(where: { $0 == (experiment, variant) }) {
        pairs.append((experiment, variant))
      }
    }
    return pairs
  }

  private static func list(_ pairs: [(experiment: String, variant: String)]) -> Value {
    .list(
      pairs.map {
        .object(["experiment_id": .string($0.experiment), "variant_id": .string($0.variant)])
      })
  }
}
