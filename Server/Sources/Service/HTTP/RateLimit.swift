internal import Expressions
internal import HTTPTypes
package import Hummingbird

/// Limits the number of requests per second from one address. Answers to rejected requests contain the time of the next
/// attempt.
package struct RateLimitMiddleware: RouterMiddleware {
  package typealias Context = ServiceContext

  private struct Bucket {
    var tokens: Double
    var at: ContinuousClock.Instant
  }

  private let rate: Double
  private let buckets = Locked<[String: Bucket]>([:])
  /// The maximum number of callers in memory.
  private static let mostBuckets = 10_000

  package init(perSecond rate: Int) { self.rate = Double(rate) }

  package func handle(
    _ request: Request, context: ServiceContext,
    next: (Request, ServiceContext) async throws -> Response
  ) async throws -> Response {
    // The limit ignores keys, because a new key for each request would get a new bucket each time.
    let caller = context.address ?? "unknown"
    guard take(caller, at: .now) else {
      throw ServiceError(
        .tooManyRequests, "rate_limited",
        "more than \(Int(rate)) requests in a second; wait a second", headers: [.retryAfter: "1"])
    }
    return try await next(request, context)
  }

  package func take(_ caller: String, at now: ContinuousClock.Instant) -> Bool {
    buckets.withLock { buckets in
      if buckets.count >= Self.mostBuckets {
        buckets = buckets.filter { now - $0.value.at < .seconds(1) }
      }
      var bucket = buckets[caller] ?? Bucket(tokens: rate, at: now)
      let passed = now - bucket.at
      let seconds =
        Double(passed.components.seconds) + Double(passed.components.attoseconds) / 1e18
      bucket.tokens = min(rate, bucket.tokens + seconds * rate)
      bucket.at = now
      let isTaken = bucket.tokens >= 1
      if isTaken { bucket.tokens -= 1 }
      buckets[caller] = bucket
      return isTaken
    }
  }
}
