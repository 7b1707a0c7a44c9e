internal import CShims
package import Expressions
internal import RuleEngine

/// Finds the ends of lines.
package enum LineScan {
  /// The offset of the next newline, or of the end.
  @inline(__always)
  package static func newline(in bytes: ByteView, from start: Int) -> Int {
    // SAFETY: `memchr` gets the number of bytes that are left. Tests: InputFormsTests.
    guard let base = bytes.baseAddress, start < bytes.count else { return bytes.count }
    // The C library's function scans 32 bytes at a time.
    guard let found = memchr(base + start, 0x0A, bytes.count - start) else { return bytes.count }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }
}
