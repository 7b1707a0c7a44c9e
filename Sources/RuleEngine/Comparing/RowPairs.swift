internal import Expressions

/// Two lists of ``OutcomeForm/rows`` about the same users, side by side.
struct RowPairs {
  private let old: UnsafeRawBufferPointer
  private let new: UnsafeRawBufferPointer
  /// Placements of a row.
  let count: Int
  /// Where the next rows begin.
  private var ends = (old: 0, new: 0)
  /// Where the choices of this one do.
  private var starts = (old: 0, new: 0)
  private(set) var subject = ByteView(start: nil, count: 0)
  /// The number of the row, from 0.
  private(set) var number = -1

  init(_ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer, count: Int) {
    self.old = old
    self.new = new
    self.count = count
  }

  /// Goes on to the next user.
  mutating func next() -> Bool {
    guard ends.old < old.count, ends.new < new.count else { return false }
    number += 1
    let length = RowPairs.number(old, ends.old)
    subject = ByteView(
      rebasing: old.bindMemory(to: UInt8.self)[ends.old + 4..<ends.old + 4 + length])
    starts = (ends.old + 4 + length, ends.new + 4 + length)
    ends = (end(old, starts.old), end(new, starts.new))
    return true
  }

  /// The choices at a placement.
  @inline(__always)
  func choices(_ placement: Int) -> (old: Int32, new: Int32) {
    (
      old.loadUnaligned(fromByteOffset: starts.old &+ 4 &* placement, as: Int32.self),
      new.loadUnaligned(fromByteOffset: starts.new &+ 4 &* placement, as: Int32.self)
    )
  }

  /// Where a row ends, behind its choices and its errors.
  private func end(_ rows: UnsafeRawBufferPointer, _ start: Int) -> Int {
    var at = start + 4 * count
    let errors = RowPairs.number(rows, at)
    at += 4
    for _ in 0..<errors { at += 8 + RowPairs.number(rows, at + 4) }
    return at
  }

  @inline(__always)
  private static func number(_ rows: UnsafeRawBufferPointer, _ at: Int) -> Int {
    Int(UInt32(littleEndian: rows.loadUnaligned(fromByteOffset: at, as: UInt32.self)))
  }
}
