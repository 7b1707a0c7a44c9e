internal import Expressions

/// A set of classes of values.
struct ClassMask: Equatable {
  /// The maximum number of classes of one attribute.
  static let capacity = 8_192

  /// 64 classes per word. Missing words are empty.
  private(set) var words: [UInt64] = []

  static let none = ClassMask()

  private init() {}

  /// The first `count` classes.
  init(first count: Int) {
    words = Array(repeating: .max, count: count >> 6)
    if count & 63 != 0 { words.append(1 << UInt64(count & 63) - 1) }
  }

  mutating func insert(_ number: Int) {
    let word = number >> 6
    if words.count <= word {
      words += Array(repeating: 0, count: word + 1 - words.count)
    }
    words[word] |= 1 << UInt64(number & 63)
  }

  func contains(_ number: Int) -> Bool {
    let word = number >> 6
    return word < words.count && words[word] >> UInt64(number & 63) & 1 == 1
  }

  /// The smallest class number in the set.
  var first: Int? {
    words.firstIndex { $0 != 0 }.map { $0 << 6 | words[$0].trailingZeroBitCount }
  }

  var numbers: [Int] {
    var numbers: [Int] = []
    for (place, word) in words.enumerated() {
      var rest = word
      while rest != 0 {
        numbers.append(place << 6 | rest.trailingZeroBitCount)
        rest &= rest - 1
      }
    }
    return numbers
  }

  func isDisjoint(with other: ClassMask) -> Bool {
    for word in 0..<min(words.count, other.words.count)
    where words[word] & other.words[word] != 0 {
      return false
    }
    return true
  }

  func intersection(_ other: ClassMask) -> ClassMask {
    var result = ClassMask()
    result.words = zip(words, other.words).map { $0 & $1 }
    return result
  }

  mutating func formUnion(_ other: ClassMask) {
    if words.count < other.words.count {
      words += Array(repeating: 0, count: other.words.count - words.count)
    }
    for word in other.words.indices { words[word] |= other.words[word] }
  }

  mutating func subtract(_ other: ClassMask) {
    for word in 0..<min(words.count, other.words.count) { words[word] &= ~other.words[word] }
  }

  /// Removes classes that are in none of the sets with these numbers.
  mutating func formIntersection(withAnyOf sets: [ClassMask], _ numbers: [Int]) {
    for word in words.indices where words[word] != 0 {
      var kept: UInt64 = 0
      for number in numbers where word < sets[number].words.count {
        kept |= sets[number].words[word]
      }
      words[word] &= kept
    }
  }
}
