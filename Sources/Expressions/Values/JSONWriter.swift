internal import CivilTime

/// Writes JSON into a growing byte buffer.
///
/// Whole doubles are written with `.0`, so that reading them returns a double again. Doubles that JSON cannot
/// express are written as null.
package enum JSONWriter {
  package static func append(_ value: Value, to output: inout [UInt8]) {
    switch value {
    case .null: append("null", to: &output)
    case .bool(let value): append(value ? "true" : "false", to: &output)
    case .int(let value): append(String(value), to: &output)
    case .uint(let value): append(String(value), to: &output)
    case .double(let value):
      append(value.isFinite ? value.description : "null", to: &output)
    case .string(let value): append(quoted: value, to: &output)
    case .bytes(let value): append(.list(value.map { .int(Int64($0)) }), to: &output)
    case .list(let values):
      output.append(UInt8(ascii: "["))
      for (i, value) in values.enumerated() {
        if i > 0 { output.append(UInt8(ascii: ",")) }
        append(value, to: &output)
      }
      output.append(UInt8(ascii: "]"))
    case .timestamp(let seconds, let nanoseconds):
      let time = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
      append(time.map { "\"\($0.text)\"" } ?? "null", to: &output)
    case .duration(let nanoseconds):
      append(quoted: TimeSpan(nanoseconds: nanoseconds).text, to: &output)
    case .type(let name), .function(let name): append(quoted: name, to: &output)
    case .optional(let value): append(value ?? .null, to: &output)
    case .map(let entries):
      output.append(UInt8(ascii: "{"))
      for (i, entry) in entries.enumerated() {
        if i > 0 { output.append(UInt8(ascii: ",")) }
        append(quoted: keyText(entry.key), to: &output)
        output.append(UInt8(ascii: ":"))
        append(entry.value, to: &output)
      }
      output.append(UInt8(ascii: "}"))
    }
  }

  /// Keys that are not strings are written as their JSON.
  private static func keyText(_ key: Value) -> String {
    if case .string(let text) = key { return text }
    return key.json
  }

  package static func append(_ text: String, to output: inout [UInt8]) {
    output.append(contentsOf: text.utf8)
  }

  package static func append(quoted text: String, to output: inout [UInt8]) {
    // SAFETY: The view of the string stays in the closure, and its bytes are copied.
    // Tests: JSONReaderTests.
    var text = text
    text.withUTF8 { append(quoted: $0, to: &output) }
  }

  /// Appends a JSON string of these bytes, which must be UTF-8.
  package static func append(quoted text: ByteView, to output: inout [UInt8]) {
    // SAFETY: Reads the view through its iterator alone, and copies the bytes.
    // Tests: JSONReaderTests.
    output.append(UInt8(ascii: "\""))
    if text.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) {
      for byte in text { append(escaped: byte, to: &output) }
    } else {
      output.append(contentsOf: text)
    }
    output.append(UInt8(ascii: "\""))
  }

  private static func append(escaped byte: UInt8, to output: inout [UInt8]) {
    switch byte {
    case 0x22, 0x5C: output += [0x5C, byte]
    case 0x0A: append("\\n", to: &output)
    case 0x0D: append("\\r", to: &output)
    case 0x09: append("\\t", to: &output)
    case 0..<0x20:
      append("\\u00" + (byte < 16 ? "0" : "") + String(byte, radix: 16), to: &output)
    default: output.append(byte)
    }
  }
}

extension Value {
  /// The value as compact JSON.
  public var json: String {
    var bytes: [UInt8] = []
    JSONWriter.append(self, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
