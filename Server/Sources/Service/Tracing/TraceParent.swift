internal import HTTPTypes

/// The place of a request in a trace: the header `traceparent` of W3C Trace Context.
struct TraceParent: Hashable, Sendable, CustomStringConvertible {
  /// The header, without the additions of later versions.
  let description: String
  /// The trace: 32 lower-case hexadecimal digits.
  let traceID: String
  /// The span of the caller: 16 lower-case hexadecimal digits.
  let spanID: String
  /// Whether the caller records the trace.
  let isSampled: Bool

  /// Reads a header. Fails for an invalid header, which is then ignored.
  init?(_ header: String) {
    let parts = header.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.count >= 4,
      zip(parts, [2, 32, 16, 2]).allSatisfy({ $0.count == $1 && $0.allSatisfy(Self.isDigit) })
    else { return nil }
    let texts = parts.prefix(4).map { String(Substring($0)) }
    guard texts[0] != "ff", texts[0] != "00" || parts.count == 4 else { return nil }
    guard [parts[1], parts[2]].allSatisfy({ $0.contains { $0 != UInt8(ascii: "0") } }),
      let flags = UInt8(texts[3], radix: 16)
    else { return nil }
    description = texts.joined(separator: "-")
    (traceID, spanID) = (texts[1], texts[2])
    isSampled = flags & 1 == 1
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }
}

extension HTTPField.Name {
  static let traceparent = HTTPField.Name("traceparent")!
}
