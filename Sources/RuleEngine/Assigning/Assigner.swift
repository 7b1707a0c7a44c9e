package import Expressions

/// The method that chooses a variant for a subject without a stored assignment.
///
/// ```swift
/// let audience = Audience(
///   index: 0, experimentID: "spring",
///   variants: [
///     Variant(id: "a", kind: .treatment, weight: 50, paywallID: "annual"),
///     Variant(id: "b", kind: .treatment, weight: 50, paywallID: "monthly"),
///   ])
/// audience.chooseVariant(subjectID: "u1", .draw(0.25))?.id  // "a"
/// let again = audience.chooseVariant(subjectID: "u1", .hash(salt: "2026"))
/// again == audience.chooseVariant(subjectID: "u1", .hash(salt: "2026"))  // true
/// Assigner.usual(for: .agentWallie)  // .djb2
/// ```
public enum Assigner: Hashable, Sendable {
  /// Chooses by hash. The same subject, experiment and salt always give the same variant. Variants get subjects in
  /// proportion to their weights, independently in each experiment.
  ///
  /// The hash is XXH64 with seed 0 over salt, experiment ID and subject ID, each written as its
  /// UTF-8 byte count (little-endian, 32 bits) followed by the bytes. The draw is the top 53 bits,
  /// as a fraction of 2^53, times the sum of the weights.
  case hash(salt: String)
  /// Chooses by a number in `0..<1` from the caller, multiplied by the sum of the weights. The SDKs use a random number
  /// here.
  case draw(Double)
  /// Chooses one of a hundred buckets by the hash of AgentWallie's SDK, so that results match that SDK's. Experiments
  /// whose IDs have the same length are not independent of each other.
  case djb2

  /// The default assigner for a format. AgentWallie's configs use ``djb2``, so that decisions match what AgentWallie's
  /// users see. Superwall's configs use ``hash(salt:)``, because their SDKs choose at random, which cannot be
  /// reproduced.
  public static func usual(for format: Config.Format, salt: String = "") -> Assigner {
    format == .agentWallie ? .djb2 : .hash(salt: salt)
  }

  /// The assigner with another seed. Assigners without a seed stay unchanged.
  package func seeded(_ seed: String) -> Assigner {
    if case .hash = self { .hash(salt: seed) } else { self }
  }

  /// The seed that draws depend on; an empty string for an assigner without a seed.
  package var seed: String { if case .hash(let salt) = self { salt } else { "" } }

  /// The assigner's name on command lines and in files.
  public var name: String {
    switch self {
    case .hash: "hash"
    case .draw: "draw"
    case .djb2: "djb2"
    }
  }

  /// The draw in `0..<range` for a subject. Allocates nothing for IDs of usual length.
  package func draw(
    experiment: UnsafeBufferPointer<UInt8>, subject: UnsafeBufferPointer<UInt8>, range: Double
  ) -> Double {
    // SAFETY: The buffer holds the prefix, four bytes for a length, and the subject: 256 bytes if
    // these fit, otherwise their sum. Tests: AssignerTests.
    switch self {
    case .draw(let fraction): return fraction * range
    case .djb2: return DJB2.draw(experiment: experiment, subject: subject, range: range)
    case .hash(let salt):
      let prefix = 8 + salt.utf8.count + experiment.count
      // A buffer with a constant size costs no allocation.
      if prefix + 4 + subject.count <= 256 {
        return withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { buffer in
          Assigner.writePrefix(to: buffer, salt, experiment)
          return Assigner.fraction(buffer, prefix: prefix, subject: subject) * range
        }
      }
      return withUnsafeTemporaryAllocation(
        byteCount: prefix + 4 + subject.count, alignment: 8
      ) { buffer in
        Assigner.writePrefix(to: buffer, salt, experiment)
        return Assigner.fraction(buffer, prefix: prefix, subject: subject) * range
      }
    }
  }

  /// The hash of a subject as a fraction in `0..<1`.
  package static func fraction(salt: String, experimentID: String, subject: ByteView) -> Double {
    // SAFETY: The view of the string stays in the closure. Tests: AssignerTests.
    var experimentID = experimentID
    return experimentID.withUTF8 {
      Assigner.hash(salt: salt).draw(experiment: $0, subject: subject, range: 1)
    }
  }

  /// The bytes that the hash reads before the subject: salt and experiment with their lengths. Empty unless the
  /// assigner is ``hash(salt:)``.
  package func hashPrefix(experimentID: String) -> [UInt8] {
    // SAFETY: The array has as many bytes as `writePrefix` writes. Tests: AssignerTests,
    // FixedLengthHashTests.
    guard case .hash(let salt) = self else { return [] }
    var experimentID = experimentID
    let count = 8 + salt.utf8.count + experimentID.utf8.count
    return experimentID.withUTF8 { experiment in
      var bytes = [UInt8](repeating: 0, count: count)
      bytes.withUnsafeMutableBytes { Assigner.writePrefix(to: $0, salt, experiment) }
      return bytes
    }
  }

  private static func writePrefix(
    to buffer: UnsafeMutableRawBufferPointer, _ salt: String,
    _ experiment: UnsafeBufferPointer<UInt8>
  ) {
    // SAFETY: The caller's buffer has room for both lengths, the salt and the experiment.
    // Tests: AssignerTests.
    var at = 0
    func write(count: Int) {
      buffer.storeBytes(
        of: UInt32(truncatingIfNeeded: count).littleEndian, toByteOffset: at, as: UInt32.self)
      at += 4
    }
    write(count: salt.utf8.count)
    let copied: Void? = salt.utf8.withContiguousStorageIfAvailable { salt in
      guard let from = salt.baseAddress, let to = buffer.baseAddress else { return }
      (to + at).copyMemory(from: from, byteCount: salt.count)
    }
    if copied == nil { buffer[at..<at + salt.utf8.count].copyBytes(from: Array(salt.utf8)) }
    at += salt.utf8.count
    write(count: experiment.count)
    if let from = experiment.baseAddress, let to = buffer.baseAddress {
      (to + at).copyMemory(from: from, byteCount: experiment.count)
    }
  }

  /// The fraction of a subject. The buffer begins with the hash prefix and has room for the subject
  /// after it.
  @inline(__always)
  package static func fraction(
    _ buffer: UnsafeMutableRawBufferPointer, prefix: Int, subject: ByteView
  ) -> Double {
    // SAFETY: The buffer has room for the prefix, a length of four bytes, and the subject.
    // Tests: AssignerTests, FixedLengthHashTests.
    guard let base = buffer.baseAddress else { return 0 }
    base.storeBytes(
      of: UInt32(truncatingIfNeeded: subject.count).littleEndian, toByteOffset: prefix,
      as: UInt32.self)
    if let start = subject.baseAddress {
      (base + prefix + 4).copyMemory(from: start, byteCount: subject.count)
    }
    let bytes = UnsafeRawBufferPointer(start: base, count: prefix + 4 + subject.count)
    return Double(XXH64.hash(bytes) >> 11) * 0x1p-53
  }
}
