#if PostgreSQL
  /// A parameter of a statement, in PostgreSQL's binary format. Statements cast each parameter to its type.
  enum PostgresValue: Sendable {
    case text(String?)
    case bytes([UInt8])
    case int(Int64?)
    case texts([String?])
    case byteStrings([[UInt8]?])
    case ints([Int64?])

    /// Appends the value.
    ///
    /// - Returns: false for null, which has no bytes.
    func append(to buffer: inout [UInt8]) -> Bool {
      switch self {
      case .text(let text):
        guard let text else { return false }
        Self.append(text, to: &buffer)
      case .bytes(let bytes): buffer += bytes
      case .int(let number):
        guard let number else { return false }
        Self.append(number, to: &buffer)
      case .texts(let texts):
        Self.append(texts, type: 25, to: &buffer) { Self.append($0, to: &$1) }
      case .byteStrings(let strings):
        Self.append(strings, type: 17, to: &buffer) { $1 += $0 }
      case .ints(let numbers):
        Self.append(numbers, type: 20, to: &buffer) { Self.append($0, to: &$1) }
      }
      return true
    }

    /// Appends a text, in which U+FFFD replaces U+0000, because PostgreSQL does not support U+0000.
    private static func append(_ text: String, to buffer: inout [UInt8]) {
      if text.utf8.contains(0) {
        buffer += text.replacing("\0", with: "\u{FFFD}").utf8
      } else {
        buffer += text.utf8
      }
    }

    private static func append(_ number: some FixedWidthInteger, to buffer: inout [UInt8]) {
      for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
        buffer.append(UInt8(truncatingIfNeeded: number >> shift))
      }
    }

    /// An array: its dimensions, whether it has nulls, the type of its elements, and each with its length.
    private static func append<Element>(
      _ elements: [Element?], type: Int32, to buffer: inout [UInt8],
      _ one: (Element, inout [UInt8]) -> Void
    ) {
      append(Int32(elements.isEmpty ? 0 : 1), to: &buffer)
      append(Int32(1), to: &buffer)
      append(type, to: &buffer)
      guard !elements.isEmpty else { return }
      append(Int32(elements.count), to: &buffer)
      append(Int32(1), to: &buffer)
      for element in elements {
        guard let element else {
          append(Int32(-1), to: &buffer)
          continue
        }
        let start = buffer.count
        append(Int32(0), to: &buffer)
        one(element, &buffer)
        let length = Int32(buffer.count - start - 4)
        for at in 0..<4 {
          buffer[start + at] = UInt8(truncatingIfNeeded: length >> (24 - 8 * Int32(at)))
        }
      }
    }
  }

  /// A row of an answer, in PostgreSQL's binary format.
  struct PostgresRow: Sendable {
    fileprivate(set) var fields: [[UInt8]?]

    init(_ fields: [[UInt8]?]) { self.fields = fields }

    func bytes(_ column: Int) -> [UInt8]? { fields[column] }

    func text(_ column: Int) -> String? {
      fields[column].map { String(decoding: $0, as: UTF8.self) }
    }

    /// The value of a bigint column.
    func int(_ column: Int) -> Int64? {
      fields[column].map { $0.reduce(0) { $0 << 8 | Int64($1) } }
    }

    func isTrue(_ column: Int) -> Bool { fields[column] == [1] }
  }

  /// A statement with its parameters.
  struct PostgresStatement: Sendable {
    let sql: String
    let values: [PostgresValue]
    /// Whether the connection prepares the statement once and reuses it.
    let isPrepared: Bool

    init(_ sql: String, _ values: [PostgresValue] = [], isPrepared: Bool = true) {
      self.sql = sql
      self.values = values
      self.isPrepared = isPrepared
    }

    static let begin = PostgresStatement("BEGIN")
    static let commit = PostgresStatement("COMMIT")
    static let rollback = PostgresStatement("ROLLBACK", isPrepared: false)
  }
#endif
