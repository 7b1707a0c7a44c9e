internal import CivilTime

/// A buffer of bytes that grows up to a limit. The memory is reused for the next output.
@usableFromInline struct OutputBuffer: ~Copyable {
  // SAFETY: The buffer owns its bytes, frees them in `deinit` and cannot be copied. Every append
  // reserves first. Numbers reserve their longest form, 20 bytes. Tests: RenderingTests,
  // HostileTemplateTests, asan.

  private(set) var start: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private(set) var count = 0
  /// The number of bytes appended since the last reset, including truncated bytes.
  private(set) var written = 0
  /// The number of bytes that may be appended between two resets.
  var limit: Int
  /// Whether the limit was reached. Further bytes are dropped.
  private(set) var isFull = false

  init(limit: Int, capacity: Int = 256) {
    self.limit = limit
    self.capacity = capacity
    start = .allocate(capacity: capacity)
  }

  deinit { start.deallocate() }

  var bytes: ByteView { ByteView(start: start, count: count) }

  mutating func reset(limit: Int) {
    count = 0
    written = 0
    isFull = false
    self.limit = limit
  }

  /// Removes all bytes after the first `count`.
  mutating func truncate(to count: Int) { self.count = count }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    if reserve(1) {
      start[count] = byte
      count &+= 1
    }
  }

  @inline(__always)
  mutating func append(_ bytes: ByteView) {
    guard let source = bytes.baseAddress, bytes.count > 0, reserve(bytes.count) else { return }
    let target = start + count
    if bytes.count <= 16 {
      for i in 0..<bytes.count { target[i] = source[i] }
    } else {
      target.update(from: source, count: bytes.count)
    }
    count &+= bytes.count
  }

  mutating func append(_ text: StaticString) {
    append(ByteView(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append($0) }
  }

  mutating func append(number: Int64) {
    guard reserve(20) else { return }
    var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
    let length = withUnsafeMutableBytes(of: &digits) { room -> Int in
      var at = 24
      var rest = number.magnitude
      repeat {
        at &-= 1
        room[at] = UInt8(truncatingIfNeeded: 0x30 &+ rest % 10)
        rest /= 10
      } while rest > 0
      if number < 0 {
        at &-= 1
        room[at] = UInt8(ascii: "-")
      }
      for i in at..<24 { start[count &+ i &- at] = room[i] }
      return 24 &- at
    }
    count &+= length
    written &-= 20 &- length
  }

  /// Reserves memory and counts the bytes as written. The result is false if the limit is reached.
  @inline(__always)
  private mutating func reserve(_ extra: Int) -> Bool {
    written &+= extra
    if written > limit {
      isFull = true
      return false
    }
    if count &+ extra > capacity { grow(extra) }
    return true
  }

  @inline(never)
  private mutating func grow(_ extra: Int) {
    let larger = max(capacity * 2, count + extra)
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    memory.update(from: start, count: count)
    start.deallocate()
    start = memory
    capacity = larger
  }
}

/// The state of a rendering other than its values: the output, and options of the caller.
struct RenderingState: ~Copyable {
  var output = OutputBuffer(limit: 0)
  /// The buffer for strings that are copied into the arena afterwards.
  var scratch = OutputBuffer(limit: 0)
  var style = LiquidStyle.javaScript
  var escapesHTML = false
  var now: Timestamp?
  var zone: TimeZoneRules?
  var locale = "en_US"
  var money: MoneyFormatter?
  var words: LocaleWords?
  /// Faults in the order in which they occurred, with their instructions.
  var faults: [UInt64] = []
  /// The number of faults that are not stored.
  var moreFaults = 0

  /// The maximum number of faults that one rendering stores.
  static let mostFaults = 100

  mutating func report(_ fault: UInt64) {
    if faults.count < RenderingState.mostFaults { faults.append(fault) } else { moreFaults += 1 }
  }
}

/// Formats amounts of money for the filter `money`. The pricing engine supplies a formatter. If no formatter is set,
/// using the filter is an error.
///
/// ```swift
/// let money = MoneyFormatter { amount, currency, _ in "\(amount) \(currency)" }
/// let template = try TemplateEnvironment().compile("Only {{ p.amount | money: p.code }}").get()
/// let rendered = try template.render(
///   ["p": ["amount": 9.5, "code": "EUR"]], RenderOptions(money: money))
/// rendered.text  // "Only 9.5 EUR"
/// ```
public struct MoneyFormatter: Sendable {
  let format: @Sendable (_ amount: String, _ currency: String, _ locale: String) -> String?

  /// - Parameter format: receives the amount in decimal digits (`-12.5`), the currency's ISO 4217 code and the locale's
  ///   name. The closure returns nil if the currency or the locale is unknown.
  public init(
    _ format:
      @escaping @Sendable (_ amount: String, _ currency: String, _ locale: String) -> String?
  ) {
    self.format = format
  }
}

/// How a value is written to the output.
enum OutputForm: UInt8 {
  /// The value is escaped if the caller requests it.
  case escaped
  /// The value is unchanged, because the template has already escaped it.
  case raw
}

extension RenderingState {
  /// Appends the printed form of a value, unescaped.
  mutating func printRaw(_ value: UnsafePointer<Cell>) -> Bool {
    let escapes = escapesHTML
    escapesHTML = false
    defer { escapesHTML = escapes }
    return print(value)
  }

  /// Removes the output since `start`, and returns it as a string.
  mutating func takeCapture(from start: Cell, _ arena: inout Arena) -> Cell {
    // SAFETY: `start` was the output's length when the capture began, and nothing truncates the
    // output below it. Tests: RenderingTests, AnyArgumentsTests.
    let start = Int(start.intValue)
    let bytes = ByteView(start: output.start + start, count: output.count - start)
    defer { output.truncate(to: start) }
    return arena.text(copying: bytes) ?? Cell(fault: .limitExceeded)
  }
}
