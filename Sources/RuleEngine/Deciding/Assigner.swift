package import Expressions

/// How a subject without a stored assignment gets a variant.
public enum Assigner: Hashable, Sendable {
  /// By hash: the same subject, experiment and salt give the same variant everywhere, subjects
  /// spread by the weights, and experiments are independent of each other.
  ///
  /// The hash is XXH64 with seed 0 over salt, experiment ID and subject ID, each as a
  /// little-endian 32-bit count of UTF-8 bytes and the bytes. Its top 53 bits, as a fraction of
  /// 2^53, times the sum of the weights is the draw.
  case hash(salt: String)
  /// By a number in `0..<1` from the caller, times the sum of the weights: what the SDKs do, with
  /// the source of numbers injected.
  case draw(Double)

  /// The draw in `0..<range` for a subject.
  package func draw(experimentID: String, subject: ByteView, range: Double) -> Double {
    switch self {
    case .draw(let fraction): fraction * range
    case .hash(let salt):
      Assigner.fraction(salt: salt, experimentID: experimentID, subject: subject) * range
    }
  }

  /// The hash of a subject as a fraction in `0..<1`.
  package static func fraction(salt: String, experimentID: String, subject: ByteView) -> Double {
    let prefix = Assigner.hash(salt: salt).hashPrefix(experimentID: experimentID)
    return withUnsafeTemporaryAllocation(
      byteCount: prefix.count + 4 + subject.count, alignment: 8
    ) { buffer in
      prefix.withUnsafeBytes { buffer.copyMemory(from: $0) }
      return Assigner.fraction(buffer, prefix: prefix.count, subject: subject)
    }
  }

  /// What the hash reads before the subject: salt and experiment with their lengths. Empty when
  /// the assigner does not hash.
  package func hashPrefix(experimentID: String) -> [UInt8] {
    guard case .hash(let salt) = self else { return [] }
    var bytes: [UInt8] = []
    for text in [salt, experimentID] {
      withUnsafeBytes(of: UInt32(truncatingIfNeeded: text.utf8.count).littleEndian) {
        bytes += $0
      }
      bytes += text.utf8
    }
    return bytes
  }

  /// The fraction of a subject whose hash prefix stands at the beginning of a buffer, which has
  /// room for the subject behind it.
  @inline(__always)
  package static func fraction(
    _ buffer: UnsafeMutableRawBufferPointer, prefix: Int, subject: ByteView
  ) -> Double {
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

/// Where the variant of a decision came from.
public enum AssignmentSource: Hashable, Sendable {
  /// Stored before, and still valid.
  case stored
  /// New: nothing was stored.
  case new
  /// New, because the stored variant (its ID) is no longer in the experiment.
  case redrawn(from: String)
  /// There is one variant, which everybody gets.
  case only
}

extension RuleSet.Rule {
  /// The subject's variant in this rule's experiment, or nil when it has none.
  package func assign(
    subject: ByteView, stored: String?, by assigner: Assigner
  ) -> (variant: Int, source: AssignmentSource)? {
    if let stored,
      let known = audience.variants.firstIndex(where: { $0.id.utf8.elementsEqual(stored.utf8) })
    {
      return (known, .stored)
    }
    guard weights.count > 1 else { return weights.count == 1 ? (0, stored.map { .redrawn(from: $0) } ?? .only) : nil }
    let draw = assigner.draw(
      experimentID: audience.experimentID, subject: subject, range: weights.drawRange)
    return weights.variant(draw: draw).map { ($0, stored.map { .redrawn(from: $0) } ?? .new) }
  }
}
