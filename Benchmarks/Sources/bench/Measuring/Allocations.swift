internal import Probes

/// What the current thread asks of the allocator from here on.
struct Allocations {
  private let before = probe_allocations()

  /// Blocks asked for since this value was made; nil where they are not counted.
  var sinceThen: Int? {
    probe_counts_allocations() ? Int(probe_allocations() - before) : nil
  }
}
