package import Expressions
internal import RuleEngine

/// The identities of many users, each with a number: their concatenated bytes, and an
/// open-addressing table of numbers. The overhead is about 20 bytes per user.
package struct SubjectTable: Sendable {
  // SAFETY: Ranges come from appending, and views of `bytes` stay in their closures. A subject is
  // read during the call, and copied when it is added. Tests: TrafficPartsTests, TrafficTests.

  private var bytes: [UInt8] = []
  /// For each number, the end of the identity among the bytes.
  private var ends: [Int] = []
  /// The numbers plus one; 0 marks an empty slot.
  private var table = [UInt32](repeating: 0, count: 1 << 10)

  /// The maximum number of identities. Numbers have 32 bits.
  package static let limit = Int(UInt32.max) - 1

  package init() {}

  package var count: Int { ends.count }

  /// The memory that the table takes, in bytes.
  package var memory: Int { bytes.capacity + 8 * ends.capacity + 4 * table.capacity }

  /// Adds an identity.
  ///
  /// - Returns: the identity's number; nil if the table already contains it.
  package mutating func add(_ subject: ByteView) -> Int? {
    let place = place(of: subject)
    guard table[place] == 0 else { return nil }
    bytes.append(contentsOf: subject)
    ends.append(bytes.count)
    table[place] = UInt32(ends.count)
    if ends.count * 2 > table.count { grow() }
    return ends.count - 1
  }

  package func number(of subject: ByteView) -> Int? {
    let number = table[place(of: subject)]
    return number == 0 ? nil : Int(number) - 1
  }

  /// The identity with a number.
  package subscript(number: Int) -> String {
    String(decoding: bytes[range(number)], as: UTF8.self)
  }

  private func range(_ number: Int) -> Range<Int> {
    (number == 0 ? 0 : ends[number - 1])..<ends[number]
  }

  /// The slot of an identity, or the empty slot for it.
  private func place(of subject: ByteView) -> Int {
    let mask = table.count - 1
    var place = Int(truncatingIfNeeded: XXH64.hash(UnsafeRawBufferPointer(subject))) & mask
    while table[place] != 0, !isSame(Int(table[place]) - 1, subject) { place = (place + 1) & mask }
    return place
  }

  private func isSame(_ number: Int, _ subject: ByteView) -> Bool {
    let range = range(number)
    guard range.count == subject.count else { return false }
    return bytes.withUnsafeBufferPointer {
      ByteView(rebasing: $0[range]).elementsEqual(subject)
    }
  }

  private mutating func grow() {
    table = [UInt32](repeating: 0, count: table.count * 2)
    let mask = table.count - 1
    for number in ends.indices {
      var place = bytes.withUnsafeBytes {
        Int(
          truncatingIfNeeded: XXH64.hash(UnsafeRawBufferPointer(rebasing: $0[range(number)])))
          & mask
      }
      while table[place] != 0 { place = (place + 1) & mask }
      table[place] = UInt32(number + 1)
    }
  }
}
