/// What dialects of templates choose differently where values are concerned. A dialect is a table of
/// these choices; functions and instructions look at the choice and never at the dialect.
struct LiquidStyle: Hashable, Sendable {
  /// How numbers compute and print.
  enum Numbers: UInt8 {
    /// Integers stay integers; fractions compute in decimal and print with a digit after the point.
    case decimal
    /// All numbers are doubles, printed as ECMAScript does.
    case binary
  }

  /// How values compare.
  enum Comparisons: UInt8 {
    /// Values of different kinds are unequal; ordering them is an error.
    case typed
    /// Ordering converts to numbers unless both sides are texts.
    case coercing
  }

  /// How properties are read and how filters treat lists and texts.
  enum Collections: UInt8 {
    /// Lists are flattened, a text has no members, `where` may look into texts.
    case flattened
    /// Lists stay as they are, members are read by name, paths may have dots.
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

/// The words `empty` and `blank`, which are values that only comparing looks at, and ranges.
extension Tag {
  /// A word: see ``LiquidWord``.
  static let word: UInt8 = 40
  /// The whole numbers from the high half on; how many they are is kept as counts are.
  static let range: UInt8 = 41
  /// The same, counting down.
  static let descending: UInt8 = 42
  /// A range that ends before it begins; what is missing is kept as counts are.
  static let emptyRange: UInt8 = 43
}

/// A word that stands for a set of values.
enum LiquidWord: UInt64 {
  case empty = 1
  case blank
}

extension Cell {
  static func word(_ word: LiquidWord) -> Cell {
    Cell(low: UInt64(Tag.word), high: word.rawValue)
  }

  /// The whole numbers between two, or nil when they are too far from each other.
  init?(rangeFrom first: Int64, to last: Int64) {
    let (distance, overflow) = last.subtractingReportingOverflow(first)
    guard !overflow, distance.magnitude < 1 << 54 else { return nil }
    let tag = distance >= 0 ? Tag.range : Tag.emptyRange
    let count = distance >= 0 ? distance + 1 : -distance
    self.init(low: UInt64(tag) | UInt64(count) << 8, high: UInt64(bitPattern: first))
  }

  var isRange: Bool { tag >= Tag.range && tag <= Tag.emptyRange }

  /// Number of numbers in a range.
  var rangeCount: Int { tag == Tag.emptyRange ? 0 : Int(low >> 8) }

  /// A number of a range by its position.
  func rangeElement(_ position: Int) -> Cell {
    Cell(tag == Tag.descending ? intValue &- Int64(position) : intValue &+ Int64(position))
  }

  /// Where a range ends, the last number included. The end is a number, the count beyond it need not be.
  var rangeEnd: Int64 {
    let distance = Int64(low >> 8)
    switch tag {
    case Tag.emptyRange: return intValue &- distance
    case Tag.descending: return intValue &- distance &+ 1
    default: return intValue &+ distance &- 1
    }
  }

  /// Whether the value is nothing: null, or not there.
  var isNil: Bool { tag <= Tag.null }

  /// Whether a condition holds for this value: for all but nothing and false.
  var holds: Bool { tag > Tag.null && self != .false }
}
