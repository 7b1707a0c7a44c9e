// Shared by the reading and writing of times.

/// Reads numbers of two digits at known places. A single check at the end shows whether all bytes were digits, which makes
/// reading a whole timestamp fast.
package struct DigitPairs {
  // SAFETY: `text` is the caller's view. The caller has compared its count with the places that it
  // asks for. Tests: TimestampTextTests.

  @usableFromInline let text: UnsafeBufferPointer<UInt8>
  @usableFromInline var highest: UInt8 = 0

  @inlinable package init(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
  }

  /// Whether every byte read so far is a digit.
  @inlinable package var allWereDigits: Bool { highest <= 9 }

  /// The number in two bytes at a place. The result is arbitrary if the bytes are not digits.
  @inlinable @inline(__always)
  package mutating func pair(at place: Int) -> Int {
    let tens = text[place] &- UInt8(ascii: "0")
    let ones = text[place &+ 1] &- UInt8(ascii: "0")
    highest = max(highest, max(tens, ones))
    return Int(tens) &* 10 &+ Int(ones)
  }
}

/// Writes ASCII to memory that is known to be large enough.
package struct DigitWriter {
  // SAFETY: `init` compares the buffer with the longest text, so writing needs no check of each
  // byte. The writer does not outlive the closure that it writes in. Tests: TimestampTextTests,
  // NetworkTests.

  @usableFromInline let start: UnsafeMutablePointer<UInt8>
  @usableFromInline var next = 0

  /// The number of bytes written. Only the writer changes the next position.
  @inlinable package var count: Int { next }

  /// `capacity` is the maximum number of bytes that the caller writes. The buffer must have that many bytes.
  @inlinable package init(_ buffer: UnsafeMutableBufferPointer<UInt8>, capacity: Int) {
    guard buffer.count >= capacity, let start = buffer.baseAddress else {
      preconditionFailure("the buffer is smaller than the longest text")
    }
    self.start = start
  }

  /// Writes one ASCII character.
  @inlinable @inline(__always)
  package mutating func character(_ character: Unicode.Scalar) {
    start[next] = UInt8(ascii: character)
    next &+= 1
  }

  /// Writes one digit, 0 to 9.
  @inlinable @inline(__always)
  package mutating func digit<Number: BinaryInteger>(_ value: Number) {
    start[next] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value)
    next &+= 1
  }

  /// Writes a number below 100 with two digits.
  @inlinable @inline(__always)
  package mutating func pair(_ number: Int) {
    digit(number / 10)
    digit(number % 10)
  }

  /// Writes a number without leading zeros.
  package mutating func number(_ number: UInt64) {
    var length = 1
    var rest = number
    while rest >= 10 {
      rest /= 10
      length &+= 1
    }
    rest = number
    var place = next &+ length
    repeat {
      place &-= 1
      start[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while place > next
    next &+= length
  }

  /// Writes a point and the digits of a part of a second without trailing zeros. If the part is zero, writes nothing.
  package mutating func fraction(nanoseconds: UInt32) {
    guard nanoseconds > 0 else { return }
    character(".")
    var rest = nanoseconds
    var divisor: UInt32 = 100_000_000
    while rest > 0 {
      digit(rest / divisor)
      rest %= divisor
      divisor /= 10
    }
  }
}

/// Passes the UTF-8 of a string to a reader that throws one type of error.
func readUTF8<Output, Failure: Error>(
  _ text: String, _ read: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Output
) throws(Failure) -> Output {
  // The standard library's function rethrows any error, which would lose the type.
  var text = text
  let outcome: Result<Output, Failure> = text.withUTF8 { bytes in
    do throws(Failure) {
      return .success(try read(bytes))
    } catch {
      return .failure(error)
    }
  }
  return try outcome.get()
}
