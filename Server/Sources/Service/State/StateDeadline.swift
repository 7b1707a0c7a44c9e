/// When the answer to a request is due, for all that the store does for it.
package enum StateDeadline {
  @TaskLocal package static var current: ContinuousClock.Instant?

  /// Runs a body that must end within a duration. Stores that wait for others then throw an error.
  package static func within<Result>(
    _ patience: Duration, _ body: () async throws -> Result
  ) async rethrows -> Result {
    try await $current.withValue(.now + patience, operation: body)
  }
}
