internal import Expressions
internal import RuleEngine

/// 128 bits of a record, by which later runs find again what was decided for it: two hashes that have
/// nothing in common, so that two of a billion records are taken for one in none of 10^20 files.
struct RecordHash: Hashable, Sendable {
  var first: UInt64
  var second: UInt64

  static let byteCount = 16

  init(_ record: ByteView) {
    let bytes = UnsafeRawBufferPointer(record)
    first = XXH64.hash(bytes)
    second = RecordHash.folded(bytes)
  }

  init(first: UInt64, second: UInt64) { (self.first, self.second) = (first, second) }

  /// Sixteen bytes at a time, multiplied by each other: both halves of each product count.
  private static func folded(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hash = fold(UInt64(bytes.count) ^ 0x8BB8_4B93_962E_ACC9, 0x2D35_8DCC_AA6C_78A5)
    guard let base = bytes.baseAddress else { return hash }
    func word(_ at: Int) -> UInt64 { base.loadUnaligned(fromByteOffset: at, as: UInt64.self) }
    var at = 0
    while at &+ 16 <= bytes.count {
      hash = fold(word(at) ^ hash, word(at &+ 8) ^ 0x9E6C_63D0_876A_3F6B)
      at &+= 16
    }
    var (a, b): (UInt64, UInt64) = (0, 0)
    for (place, byte) in bytes[at...].enumerated() {
      if place < 8 { a = a << 8 | UInt64(byte) } else { b = b << 8 | UInt64(byte) }
    }
    return fold(a ^ hash ^ 0xD1B5_4A32_D192_ED03, b ^ 0x94D0_49BB_1331_11EB)
  }

  private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low ^ (a &+ b)
  }
}
