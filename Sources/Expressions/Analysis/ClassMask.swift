/// A set of classes of values: up to 256.
struct ClassMask: Equatable {
  static let capacity = 256
  private var words: SIMD4<UInt64>

  static let none = ClassMask(words: SIMD4())

  private init(words: SIMD4<UInt64>) { self.words = words }

  /// The first so many classes.
  init(first count: Int) {
    words = SIMD4()
    for number in 0..<count { insert(number) }
  }

  mutating func insert(_ number: Int) { words[number >> 6] |= 1 << UInt64(number & 63) }

  @inline(__always)
  func contains(_ number: Int) -> Bool { words[number >> 6] >> UInt64(number & 63) & 1 == 1 }

  @inline(__always)
  var isEmpty: Bool { words[0] | words[1] | words[2] | words[3] == 0 }

  /// The least number in it.
  var first: Int? {
    for word in 0..<4 where words[word] != 0 {
      return word << 6 | words[word].trailingZeroBitCount
    }
    return nil
  }

  var numbers: [Int] { (0..<ClassMask.capacity).filter { contains($0) } }

  @inline(__always)
  func intersection(_ other: ClassMask) -> ClassMask { ClassMask(words: words & other.words) }

  @inline(__always)
  func union(_ other: ClassMask) -> ClassMask { ClassMask(words: words | other.words) }
}
