/// A currency, by the three letters of its ISO 4217 code.
public struct Currency: Hashable, Sendable, CustomStringConvertible {
  /// The letters in one number, which is fast to compare and search. The first letter is in the highest byte.
  package let packed: UInt32

  /// The currency with a code. Lower-case letters are allowed. The result is nil if the code does not have three
  /// letters. A currency that is not in the tables uses its code as its symbol.
  public init?(_ code: String) {
    var packed: UInt32 = 0
    guard code.utf8.count == 3 else { return nil }
    for byte in code.utf8 {
      let letter = byte & 0xDF
      guard UInt8(ascii: "A")...UInt8(ascii: "Z") ~= letter else { return nil }
      packed = packed << 8 | UInt32(letter)
    }
    self.packed = packed
  }

  private init(known code: StaticString) {
    // SAFETY: Every caller passes a literal of three letters. Tests: CurrencyFormatTests.
    packed =
      UInt32(code.utf8Start[0]) << 16 | UInt32(code.utf8Start[1]) << 8 | UInt32(code.utf8Start[2])
  }

  /// The US dollar.
  public static let usd = Currency(known: "USD")

  /// No currency: the ISO 4217 code `XXX`. Prices without a currency are written with `¤`.
  public static let none = Currency(known: "XXX")

  /// The code, in capitals.
  public var code: String {
    // SAFETY: Writes three bytes into a buffer of three. Tests: CurrencyFormatTests.
    String(unsafeUninitializedCapacity: 3) { bytes in
      for i in 0..<3 { bytes[i] = byte(i) }
      return 3
    }
  }

  public var description: String { code }

  /// The letter at a place, 0 to 2.
  @inline(__always)
  package func byte(_ place: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: packed >> UInt32(16 &- 8 &* place))
  }

  /// The number of digits of the minor unit in ISO 4217 (list one): 2, except for the yen, the dinars and some others.
  /// Locales may show fewer digits, as for prices in rupiah.
  public var minorDigits: Int {
    switch packed {
    case Self.packed("BIF"), Self.packed("CLP"), Self.packed("DJF"), Self.packed("GNF"),
      Self.packed("ISK"), Self.packed("JPY"), Self.packed("KMF"), Self.packed("KRW"),
      Self.packed("PYG"), Self.packed("RWF"), Self.packed("UGX"), Self.packed("UYI"),
      Self.packed("VND"), Self.packed("VUV"), Self.packed("XAF"), Self.packed("XOF"),
      Self.packed("XPF"):
      0
    case Self.packed("BHD"), Self.packed("IQD"), Self.packed("JOD"), Self.packed("KWD"),
      Self.packed("LYD"), Self.packed("OMR"), Self.packed("TND"):
      3
    case Self.packed("CLF"), Self.packed("UYW"):
      4
    default: 2
    }
  }

  @inline(__always)
  private static func packed(_ code: StaticString) -> UInt32 { Currency(known: code).packed }
}
