package import Expressions
internal import Foundation
internal import RuleEngine

/// Times of requests.
package enum ServiceTime {
  /// A time in the format of answers.
  package static func value(_ time: Instant) -> Value {
    time.text.map { .string($0) } ?? .int(time.milliseconds)
  }

  /// The time of the system's clock.
  package static func now() -> Instant {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Instant(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
  }
}
