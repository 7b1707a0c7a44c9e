/// The filter `plural`: selects the form of a word for a number, by the plural rules of the Unicode Common
/// Locale Data Repository for cardinal numbers.
enum Plurals {
  // SAFETY: The view of the name stays in the closure, and the arena copies it.
  // Tests: AnyArgumentsTests, corpus.

  enum Category: Int, CaseIterable {
    case zero, one, two, few, many, other

    var name: String { ["zero", "one", "two", "few", "many", "other"][rawValue] }
  }

  /// Operands: the number, the forms zero, one, two, few, many and other (all optional), and the locale.
  /// Without forms the result is the category's name.
  static func call(
    _ operands: Operands, _ state: inout RenderingState, _ arena: inout Arena
  ) -> Cell {
    if operands[0].pointee.isNil { return .null }
    let text = LiquidConversions.trimmed(state.text(operands[0], &arena))
    guard let number = PluralOperands(text) else { return Cell(fault: .conversion) }
    let locale = operands.optional(7).flatMap { $0.pointee.isNil ? nil : state.text($0, &arena) }
    let category = category(
      of: number, locale: locale.map { String(decoding: $0, as: UTF8.self) } ?? state.locale)
    func form(_ category: Category) -> Cell? {
      operands.optional(1 + category.rawValue).flatMap { $0.pointee.isNil ? nil : $0.pointee }
    }
    if Category.allCases.allSatisfy({ form($0) == nil }) {
      var name = category.name
      return name.withUTF8 { arena.text(copying: $0) } ?? .null
    }
    return form(category) ?? form(.other) ?? .null
  }

  /// The input of the rules: the whole part, and the digits after the point.
  struct PluralOperands {
    // SAFETY: Every index is compared with the count of the caller's view.
    // Tests: AnyArgumentsTests, corpus.

    var whole: UInt64 = 0
    var fraction: UInt64 = 0
    var fractionDigits = 0

    init?(_ text: ByteView) {
      var digits = 0
      var seenPoint = false
      for byte in text.drop(while: { $0 == UInt8(ascii: "-") }) {
        if byte == UInt8(ascii: "."), !seenPoint {
          seenPoint = true
        } else if byte &- 0x30 < 10, digits < 18 {
          digits += 1
          if seenPoint {
            fraction = fraction * 10 + UInt64(byte &- 0x30)
            fractionDigits += 1
          } else {
            whole = whole * 10 + UInt64(byte &- 0x30)
          }
        } else {
          return nil
        }
      }
      guard digits > 0 else { return nil }
    }

    /// The digits after the point without trailing zeros.
    var shortFraction: UInt64 {
      var digits = fraction
      while digits > 0, digits % 10 == 0 { digits /= 10 }
      return digits
    }

    /// Whether the number equals this whole number, in any notation.
    func equals(_ value: UInt64) -> Bool { whole == value && fraction == 0 }
    /// Whether there are no digits after the point.
    var isWhole: Bool { fractionDigits == 0 }
    func ends(_ range: ClosedRange<UInt64>, of base: UInt64) -> Bool { range ~= whole % base }
  }

  static func category(of n: PluralOperands, locale: String) -> Category {
    let language = String(locale.prefix { $0 != "_" && $0 != "-" }).lowercased()
    let i = n.whole
    let isOne = i == 1 && n.isWhole
    let isMillions = i != 0 && i % 1_000_000 == 0 && n.isWhole
    switch language {
    case "ja", "zh", "ko", "vi", "th", "id", "ms", "lo", "my", "km", "yue", "jv", "su", "bo", "wo":
      return .other
    case "fr": return i <= 1 ? .one : isMillions ? .many : .other
    case "pt" where locale != "pt_PT" && locale != "pt-PT":
      return i <= 1 ? .one : isMillions ? .many : .other
    case "es": return n.equals(1) ? .one : isMillions ? .many : .other
    case "it", "ca", "pt": return isOne ? .one : isMillions ? .many : .other
    case "el", "hu", "tr", "bg", "no", "nb", "nn", "sq", "az", "ka", "kk", "eu", "mn", "ky", "uz",
      "af", "ta", "te", "ml", "mr", "ne":
      return n.equals(1) ? .one : .other
    case "hi", "bn", "fa", "gu", "kn", "zu", "am", "as":
      return i == 0 || n.equals(1) ? .one : .other
    case "da": return n.equals(1) || n.fraction != 0 && i <= 1 ? .one : .other
    case "is", "mk":
      // Icelandic ignores trailing zeros, Macedonian does not.
      let isWhole = language == "is" ? n.fraction == 0 : n.isWhole
      let f = language == "is" ? n.shortFraction : n.fraction
      return isWhole && endsInOne(i) || endsInOne(f) ? .one : .other
    case "he", "iw":
      return isOne || i == 0 && !n.isWhole ? .one : i == 2 && n.isWhole ? .two : .other
    case "fil", "tl":
      let isFirst = n.isWhole && (1...3 ~= i || ![4, 6, 9].contains(i % 10))
      return isFirst || !n.isWhole && ![4, 6, 9].contains(n.fraction % 10) ? .one : .other
    default: return slavicOrOther(n, language, isOne)
    }
  }

  /// Whether a number is 1, 21, 31, ..., but not 11, 111, ...
  private static func endsInOne(_ number: UInt64) -> Bool { number % 10 == 1 && number % 100 != 11 }

  private static func slavicOrOther(_ n: PluralOperands, _ language: String, _ isOne: Bool)
    -> Category
  {
    let i = n.whole
    let endsInOne = Plurals.endsInOne(i)
    let endsInFew = n.ends(2...4, of: 10) && !n.ends(12...14, of: 100)
    switch language {
    case "ru", "uk", "be":
      // The number 1.0 has a fraction. Only Belarusian ignores a fraction of zero.
      guard n.isWhole || language == "be" && n.fraction == 0 else { return .other }
      return endsInOne ? .one : endsInFew ? .few : .many
    case "pl":
      guard n.isWhole else { return .other }
      return i == 1 ? .one : endsInFew ? .few : .many
    case "cs", "sk": return !n.isWhole ? .many : i == 1 ? .one : 2...4 ~= i ? .few : .other
    case "sr", "hr", "bs", "sh":
      let f = n.fraction
      if n.isWhole ? endsInOne : Plurals.endsInOne(f) { return .one }
      return (n.isWhole ? endsInFew : 2...4 ~= f % 10 && !(12...14 ~= f % 100)) ? .few : .other
    case "sl":
      guard n.isWhole else { return .few }
      return i % 100 == 1 ? .one : i % 100 == 2 ? .two : n.ends(3...4, of: 100) ? .few : .other
    case "lt":
      if n.fraction != 0 { return .many }
      let isTeen = n.ends(11...19, of: 100)
      return i % 10 == 1 && !isTeen ? .one : n.ends(2...9, of: 10) && !isTeen ? .few : .other
    case "lv":
      let f = n.fraction
      let isZero = n.fraction == 0 && (i % 10 == 0 || n.ends(11...19, of: 100))
      if isZero || n.fractionDigits == 2 && 11...19 ~= f % 100 { return .zero }
      if n.fraction == 0, endsInOne { return .one }
      guard n.fractionDigits == 2 else { return f % 10 == 1 ? .one : .other }
      return Plurals.endsInOne(f) ? .one : .other
    case "ro", "mo":
      if isOne { return .one }
      return !n.isWhole || i == 0 || i != 1 && n.ends(1...19, of: 100) ? .few : .other
    case "ar":
      guard n.fraction == 0 else { return .other }
      if i <= 2 { return [.zero, .one, .two][Int(i)] }
      return n.ends(3...10, of: 100) ? .few : n.ends(11...99, of: 100) ? .many : .other
    case "ga":
      guard n.fraction == 0 else { return .other }
      return i == 1 ? .one : i == 2 ? .two : 3...6 ~= i ? .few : 7...10 ~= i ? .many : .other
    case "cy":
      guard n.fraction == 0 else { return .other }
      return i == 0
        ? .zero : i == 1 ? .one : i == 2 ? .two : i == 3 ? .few : i == 6 ? .many : .other
    default: return isOne ? .one : .other
    }
  }
}
