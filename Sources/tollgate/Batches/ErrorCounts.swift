internal import Expressions
internal import RuleBatch
internal import RuleEngine

/// The counts of failed rules, as checkpoints and manifests store them.
enum ErrorCounts {
  static func value(_ sums: BatchSums) -> Value {
    let sorted = sums.errors.sorted { a, b in
      let (left, right) = (order(a.key), order(b.key))
      return left.lexicographicallyPrecedes(right)
    }
    return .list(
      sorted.map { name, count in
        .object([
          "placement": .string(name.placement), "audience": .int(Int64(name.error.audience)),
          "clause": .string(name.error.clause), "code": .string(name.error.code),
          "path": name.error.path.map { .string($0) } ?? .null,
          "message": .string(name.error.message), "users": .int(Int64(count.users)),
          "example": .string(count.example),
        ])
      })
  }

  /// Reads counts in the form of ``value(_:)``. Returns nil for any other value.
  static func read(_ value: Value) -> [NamedError: BatchSums.ErrorCount]? {
    guard let items = value.elements else { return nil }
    var errors: [NamedError: BatchSums.ErrorCount] = [:]
    for item in items {
      guard let placement = item["placement"]?.text, let error = RuleError(item),
        case .int(let users)? = item["users"], let example = item["example"]?.text
      else { return nil }
      errors[NamedError(placement: placement, error: error)] =
        BatchSums.ErrorCount(users: Int(users), example: example)
    }
    return errors
  }

  private static func order(_ name: NamedError) -> [String] {
    let audience = String(name.error.audience)
    return [
      name.placement, String(repeating: "0", count: max(0, 20 - audience.count)) + audience,
      name.error.clause, name.error.code, name.error.path ?? "",
    ]
  }
}

extension RuleError {
  /// Reads an error in the form of outcomes and checkpoints.
  init?(_ value: Value) {
    guard case .int(let audience)? = value["audience"],
      let clause = value["clause"]?.text, let code = value["code"]?.text
    else { return nil }
    func text(_ key: String) -> String? {
      value[key]?.text
    }
    self.init(
      audience: Int(audience), clause: clause, code: code, path: text("path"),
      message: text("message") ?? "")
  }
}
