internal import Probes

/// The allocations of the current thread from now on.
struct Allocations {
  private let before = probe_allocations()

  /// The number of blocks allocated since this value was created, or nil if allocations are not counted.
  var sinceThen: Int? {
    probe_counts_allocations() ? Int(probe_allocations() - before) : nil
  }
}
