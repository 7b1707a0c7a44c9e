/// The deadline for all store operations of a request.
package enum StateDeadline {
  @TaskLocal package static var current: ContinuousClock.Instant?

  /// Runs a body that must end within a duration. Store operations that are still waiting then throw an error.
  package static func within<Result>(
    _ patience: Duration, _ body: () async throws -> Result
  ) async rethrows -> Result {
    try await $current.withValue(.now + patience, operation: body)
  }
}
