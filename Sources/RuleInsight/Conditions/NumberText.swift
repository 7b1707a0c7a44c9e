/// An automaton for the strings that some versions of superscript read as numbers: digits with a
/// sign, a point and an exponent, and the names of infinity and of not-a-number.
enum NumberText {
  private static let start: Int32 = 0
  private static let sign: Int32 = 1
  private static let digits: Int32 = 2
  private static let point: Int32 = 3
  private static let fraction: Int32 = 4
  private static let mark: Int32 = 5
  private static let markSign: Int32 = 6
  private static let exponent: Int32 = 7
  private static let none: Int32 = 8
  /// States from this one on are positions within the names, one name after the other.
  private static let firstName: Int32 = 9
  private static let names = ["infinity", "nan"].map { $0.unicodeScalars.map { $0.value } }

  /// The role of a letter in a number; 0 for a letter that no number contains.
  static func kind(of letter: UInt32) -> UInt8 {
    switch letter {
    case 0x30...0x39: return 1
    case 0x2B, 0x2D: return 2
    case 0x2E: return 3
    case 0x41...0x5A, 0x61...0x7A:
      let small = UInt8(letter | 0x20)
      switch small {
      case UInt8(ascii: "e"), UInt8(ascii: "i"), UInt8(ascii: "n"), UInt8(ascii: "f"),
        UInt8(ascii: "t"), UInt8(ascii: "y"), UInt8(ascii: "a"):
        return small
      default: return 0
      }
    default: return 0
    }
  }

  /// The letters of numbers. The first and the last digit represent all digits.
  static let letters: [UInt32] = "+-.09einftyaEINFTYA".unicodeScalars.map { $0.value }

  /// Whether a string that ends in a state is a number.
  static func isNumber(_ state: Int32) -> Bool {
    switch state {
    case digits, fraction, exponent: true
    // inf, infinity, nan
    case firstName + 3, firstName + 8, firstName + 11: true
    default: false
    }
  }

  static func step(_ state: Int32, _ letter: UInt32) -> Int32 {
    let kind = kind(of: letter)
    let isDigit = kind == 1
    let isMark = kind == UInt8(ascii: "e")
    switch state {
    case start where kind == 2: return sign
    case start, sign:
      if isDigit { return digits }
      if kind == 3 { return point }
      return named(letter, at: 0)
    case digits:
      if isDigit { return digits }
      return kind == 3 ? fraction : isMark ? mark : none
    case point: return isDigit ? fraction : none
    case fraction: return isDigit ? fraction : isMark ? mark : none
    case mark: return isDigit ? exponent : kind == 2 ? markSign : none
    case markSign, exponent: return isDigit ? exponent : none
    case none: return none
    default: return named(letter, at: state)
    }
  }

  /// The next state within a name; 0 if the letter does not fit.
  private static func named(_ letter: UInt32, at state: Int32) -> Int32 {
    guard kind(of: letter) > 3 else { return none }
    let small = letter | 0x20
    var first = firstName
    for name in names {
      let read = state == 0 ? 0 : Int(state - first)
      if state == 0 || read > 0, read < name.count, name[read] == small {
        return first + Int32(read) + 1
      }
      first += Int32(name.count)
      if state != 0, state <= first { return none }
    }
    return none
  }
}
