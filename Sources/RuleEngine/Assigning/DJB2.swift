/// The 32-bit hash of D. J. Bernstein ("times 33 plus", from 5381). AgentWallie's SDK hashes `<subject>:<experiment>`
/// to choose one of a hundred buckets.
///
/// The hash is affine. Subjects with equal buckets in one experiment also have equal buckets in experiments whose IDs
/// have the same length. Joined IDs are ambiguous: subject `a:b` in experiment `c` has the same hash as subject `a` in
/// experiment `b:c`.
package enum DJB2 {
  // SAFETY: The views are only read through their iterators. Tests: AssignerTests.

  package static func hash(
    experiment: UnsafeBufferPointer<UInt8>, subject: UnsafeBufferPointer<UInt8>
  ) -> UInt32 {
    var hash: UInt32 = 5381
    for byte in subject { hash = hash &* 33 &+ UInt32(byte) }
    hash = hash &* 33 &+ UInt32(UInt8(ascii: ":"))
    for byte in experiment { hash = hash &* 33 &+ UInt32(byte) }
    return hash
  }

  /// The bucket of a hash, in `0..<100`.
  package static func bucket(_ hash: UInt32) -> Int { Int(hash % 100) }

  /// The bucket as a draw. Each bucket covers a hundredth of the range. For percentages, whose range is 100, the draw
  /// equals the bucket.
  package static func draw(
    experiment: UnsafeBufferPointer<UInt8>, subject: UnsafeBufferPointer<UInt8>, range: Double
  ) -> Double {
    Double(bucket(hash(experiment: experiment, subject: subject))) * range / 100
  }
}
