package import CivilTime
internal import Expressions

/// The format of a medium date (`Mar 6, 2026`) in a locale. The calendar is always Gregorian.
package struct ShortDate: Hashable, Sendable {
  private enum Piece: Hashable {
    case text([UInt8])
    /// The day of the month, with at least this number of digits.
    case day(digits: Int)
    case month(digits: Int)
    case monthName
    case year
  }

  private let pieces: [Piece]
  private let months: [[UInt8]]
  private let zero: [UInt8]

  /// - Parameters:
  ///   - pattern: a CLDR pattern with the fields d, dd, M, MM, MMM and y.
  ///   - months: the names for MMM.
  ///   - zero: UTF-8 of the digit 0.
  init(pattern: String, months: [Substring], zero: [UInt8]) {
    self.months = months.map { Array($0.utf8) }
    self.zero = zero
    var pieces: [Piece] = []
    var literal: [UInt8] = []
    var isQuoted = false
    var rest = Array(pattern.utf8)[...]
    while let byte = rest.first {
      let run = rest.prefix { $0 == byte }.count
      switch byte {
      case UInt8(ascii: "'"):
        isQuoted.toggle()
        rest = rest.dropFirst()
        continue
      case UInt8(ascii: "d") where !isQuoted,
        UInt8(ascii: "M") where !isQuoted,
        UInt8(ascii: "y") where !isQuoted:
        if !literal.isEmpty { pieces.append(.text(literal)) }
        literal = []
        pieces.append(
          byte == UInt8(ascii: "y")
            ? .year
            : byte == UInt8(ascii: "d")
              ? .day(digits: run) : run > 2 ? .monthName : .month(digits: run))
        rest = rest.dropFirst(run)
      default:
        literal.append(byte)
        rest = rest.dropFirst()
      }
    }
    if !literal.isEmpty { pieces.append(.text(literal)) }
    self.pieces = pieces
  }

  /// The pattern `MMM dd, yyyy` with this locale's names and digits, which the Android SDK uses
  /// everywhere.
  package var android: ShortDate {
    ShortDate(
      pieces: [
        .monthName, .text([UInt8(ascii: " ")]), .day(digits: 2), .text(Array(", ".utf8)), .year,
      ], months: months, zero: zero)
  }

  private init(pieces: [Piece], months: [[UInt8]], zero: [UInt8]) {
    self.pieces = pieces
    self.months = months
    self.zero = zero
  }

  /// The formatted date.
  package func text(_ date: CivilDate) -> String {
    var buffer = TextBuffer(capacity: 64)
    write(date, to: &buffer)
    return buffer.text
  }

  /// Appends the date.
  package func write(_ date: CivilDate, to buffer: inout TextBuffer) {
    for piece in pieces {
      switch piece {
      case .text(let bytes): buffer.append(bytes)
      case .day(let digits): buffer.append(date.day, digits: digits, zero: zero)
      case .month(let digits): buffer.append(date.month, digits: digits, zero: zero)
      case .monthName: buffer.append(months[date.month - 1])
      case .year: buffer.append(date.year, digits: 1, zero: zero)
      }
    }
  }
}
