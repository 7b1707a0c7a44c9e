/// The choices in which dialects of templates differ in their treatment of values. A dialect is a table of
/// these choices. Functions and instructions use the choice and never the dialect.
struct LiquidStyle: Hashable, Sendable {
  /// How numbers are computed and printed.
  enum Numbers: UInt8 {
    /// Integers stay integers. Fractions are computed in decimal and printed with a digit after the point.
    case decimal
    /// All numbers are doubles, printed as in ECMAScript.
    case binary
  }

  /// How values are compared.
  enum Comparisons: UInt8 {
    /// Values of different kinds are unequal, and ordering them is an error.
    case typed
    /// Ordering converts to numbers unless both sides are strings.
    case coercing
  }

  /// How properties are read and how filters treat lists and strings.
  enum Collections: UInt8 {
    /// Lists are flattened, a string has no members, and `where` may search in strings.
    case flattened
    /// Lists are not flattened, members are read by name, and paths may have dots.
    case members
  }

  var numbers: Numbers
  var comparisons: Comparisons
  var collections: Collections

  static let ruby = LiquidStyle(numbers: .decimal, comparisons: .typed, collections: .flattened)
  static let javaScript = LiquidStyle(
    numbers: .binary, comparisons: .coercing, collections: .members)

  var isJavaScript: Bool { collections == .members }
}

/// Tags for the words `empty` and `blank`, which only comparisons use, and for ranges.
extension Tag {
  /// A word, as listed in ``LiquidWord``.
  static let word: UInt8 = 40
  /// Consecutive whole numbers from the high half on. The count of the numbers is stored like any count.
  static let range: UInt8 = 41
  /// Consecutive whole numbers in descending order.
  static let descending: UInt8 = 42
  /// A range that ends before it begins. The distance is stored like a count.
  static let emptyRange: UInt8 = 43
}

/// A word that means a set of values.
enum LiquidWord: UInt64 {
  case empty = 1
  case blank
}

extension Cell {
  static func word(_ word: LiquidWord) -> Cell {
    Cell(low: UInt64(Tag.word), high: word.rawValue)
  }

  /// The whole numbers between two numbers, or nil if the distance is too large.
  init?(rangeFrom first: Int64, to last: Int64) {
    let (distance, overflow) = last.subtractingReportingOverflow(first)
    guard !overflow, distance.magnitude < 1 << 54 else { return nil }
    let tag = distance >= 0 ? Tag.range : Tag.emptyRange
    let count = distance >= 0 ? distance + 1 : -distance
    self.init(low: UInt64(tag) | UInt64(count) << 8, high: UInt64(bitPattern: first))
  }

  var isRange: Bool { tag >= Tag.range && tag <= Tag.emptyRange }

  /// The number of elements of a range.
  var rangeCount: Int { tag == Tag.emptyRange ? 0 : Int(low >> 8) }

  /// The element of a range at a position.
  func rangeElement(_ position: Int) -> Cell {
    Cell(tag == Tag.descending ? intValue &- Int64(position) : intValue &+ Int64(position))
  }

  /// The last number of a range, which fits into an int even if the sum of start and count does not.
  var rangeEnd: Int64 {
    let distance = Int64(low >> 8)
    switch tag {
    case Tag.emptyRange: return intValue &- distance
    case Tag.descending: return intValue &- distance &+ 1
    default: return intValue &+ distance &- 1
    }
  }

  /// Whether the value is nil: null, or missing.
  var isNil: Bool { tag <= Tag.null }

  /// Whether the value is truthy in a condition: all values except nil and false.
  var holds: Bool { tag > Tag.null && self != .false }
}
