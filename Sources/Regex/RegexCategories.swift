/// A set of Unicode general categories. Every code point is in exactly one category, so unions and complements of such
/// sets are exact.
///
/// Two categories are split: format characters and symbols that count as word characters have bits of their own, so
/// that `\w` and `\W` of Rust's flavor are sets of categories too.
struct RegexCategories: OptionSet, Hashable, Sendable {
  let rawValue: UInt32

  init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  private init(bit: UInt32) {
    self.rawValue = 1 << bit
  }

  static let uppercaseLetter = Self(bit: 0)
  static let lowercaseLetter = Self(bit: 1)
  static let titlecaseLetter = Self(bit: 2)
  static let modifierLetter = Self(bit: 3)
  static let otherLetter = Self(bit: 4)
  static let nonspacingMark = Self(bit: 5)
  static let spacingMark = Self(bit: 6)
  static let enclosingMark = Self(bit: 7)
  static let decimalNumber = Self(bit: 8)
  static let letterNumber = Self(bit: 9)
  static let otherNumber = Self(bit: 10)
  static let connectorPunctuation = Self(bit: 11)
  static let dashPunctuation = Self(bit: 12)
  static let openPunctuation = Self(bit: 13)
  static let closePunctuation = Self(bit: 14)
  static let initialPunctuation = Self(bit: 15)
  static let finalPunctuation = Self(bit: 16)
  static let otherPunctuation = Self(bit: 17)
  static let mathSymbol = Self(bit: 18)
  static let currencySymbol = Self(bit: 19)
  static let modifierSymbol = Self(bit: 20)
  static let plainSymbol = Self(bit: 21)
  /// Alphabetic symbols: letters in circles and squares.
  static let wordSymbol = Self(bit: 22)
  static let spaceSeparator = Self(bit: 23)
  static let lineSeparator = Self(bit: 24)
  static let paragraphSeparator = Self(bit: 25)
  static let control = Self(bit: 26)
  static let plainFormat = Self(bit: 27)
  /// The zero width joiner and non-joiner.
  static let wordFormat = Self(bit: 28)
  static let privateUse = Self(bit: 29)
  static let unassigned = Self(bit: 30)
  /// Surrogates never occur in text, so the category is empty.
  static let surrogate: Self = []

  static let all = Self(rawValue: (1 << 31) - 1)
  static let otherSymbol: Self = [.plainSymbol, .wordSymbol]
  static let format: Self = [.plainFormat, .wordFormat]
  static let casedLetter: Self = [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter]
  static let letter: Self = [.casedLetter, .modifierLetter, .otherLetter]
  static let mark: Self = [.nonspacingMark, .spacingMark, .enclosingMark]
  static let number: Self = [.decimalNumber, .letterNumber, .otherNumber]
  static let punctuation: Self = [
    .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
    .initialPunctuation, .finalPunctuation, .otherPunctuation,
  ]
  static let symbol: Self = [.mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol]
  static let separator: Self = [.spaceSeparator, .lineSeparator, .paragraphSeparator]
  static let other: Self = [.control, .format, .surrogate, .privateUse, .unassigned]

  /// `\w` in Unicode: alphabetic characters, marks, decimal digits, connectors and the two joiners.
  static let word: Self = [
    .letter, .mark, .letterNumber, .decimalNumber, .connectorPunctuation, .wordSymbol, .wordFormat,
  ]

  /// The members of ``wordSymbol`` and ``wordFormat``, as ranges.
  static let wordSymbolRanges = [
    ScalarRange(low: 0x24B6, high: 0x24E9), ScalarRange(low: 0x1F130, high: 0x1F149),
    ScalarRange(low: 0x1F150, high: 0x1F169), ScalarRange(low: 0x1F170, high: 0x1F189),
  ]
  static let wordFormatRanges = [ScalarRange(low: 0x200C, high: 0x200D)]

  /// The category of one code point.
  init(of scalar: Unicode.Scalar) {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter: self = .uppercaseLetter
    case .lowercaseLetter: self = .lowercaseLetter
    case .titlecaseLetter: self = .titlecaseLetter
    case .modifierLetter: self = .modifierLetter
    case .otherLetter: self = .otherLetter
    case .nonspacingMark: self = .nonspacingMark
    case .spacingMark: self = .spacingMark
    case .enclosingMark: self = .enclosingMark
    case .decimalNumber: self = .decimalNumber
    case .letterNumber: self = .letterNumber
    case .otherNumber: self = .otherNumber
    case .connectorPunctuation: self = .connectorPunctuation
    case .dashPunctuation: self = .dashPunctuation
    case .openPunctuation: self = .openPunctuation
    case .closePunctuation: self = .closePunctuation
    case .initialPunctuation: self = .initialPunctuation
    case .finalPunctuation: self = .finalPunctuation
    case .otherPunctuation: self = .otherPunctuation
    case .mathSymbol: self = .mathSymbol
    case .currencySymbol: self = .currencySymbol
    case .modifierSymbol: self = .modifierSymbol
    case .otherSymbol:
      self = Self.wordSymbolRanges.containsScalar(scalar.value) ? .wordSymbol : .plainSymbol
    case .spaceSeparator: self = .spaceSeparator
    case .lineSeparator: self = .lineSeparator
    case .paragraphSeparator: self = .paragraphSeparator
    case .control: self = .control
    case .format:
      self = Self.wordFormatRanges.containsScalar(scalar.value) ? .wordFormat : .plainFormat
    case .surrogate: self = .surrogate
    case .privateUse: self = .privateUse
    case .unassigned: self = .unassigned
    @unknown default: self = .unassigned
    }
  }

  /// The members as ranges. The first use reads the category of every code point once (some milliseconds). Only
  /// case-insensitive categories and rare combinations need these ranges.
  var explicitRanges: [ScalarRange] {
    Self.runs.filter { contains($0.category) }.map { $0.range }.normalized()
  }

  /// Consecutive code points of one category.
  private static let runs: [(range: ScalarRange, category: RegexCategories)] = {
    var runs: [(range: ScalarRange, category: RegexCategories)] = []
    for value: UInt32 in 0...0x10_FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let category = RegexCategories(of: scalar)
      if let last = runs.last, last.category == category, last.range.high + 1 == value {
        runs[runs.count - 1].range.high = value
      } else {
        runs.append((ScalarRange(low: value, high: value), category))
      }
    }
    return runs
  }()
}

extension RegexCategories {
  /// The names of properties in `\p{..}`, for categories that have this name in PCRE2.
  static let names: [(name: String, categories: RegexCategories)] = [
    ("L", .letter), ("Lu", .uppercaseLetter), ("Ll", .lowercaseLetter), ("Lt", .titlecaseLetter),
    ("Lm", .modifierLetter), ("Lo", .otherLetter),
    ("M", .mark), ("Mn", .nonspacingMark), ("Mc", .spacingMark), ("Me", .enclosingMark),
    ("N", .number), ("Nd", .decimalNumber), ("Nl", .letterNumber), ("No", .otherNumber),
    ("P", .punctuation), ("Pc", .connectorPunctuation), ("Pd", .dashPunctuation),
    ("Ps", .openPunctuation), ("Pe", .closePunctuation), ("Pi", .initialPunctuation),
    ("Pf", .finalPunctuation), ("Po", .otherPunctuation),
    ("S", .symbol), ("Sm", .mathSymbol), ("Sc", .currencySymbol), ("Sk", .modifierSymbol),
    ("So", .otherSymbol),
    ("Z", .separator), ("Zs", .spaceSeparator), ("Zl", .lineSeparator),
    ("Zp", .paragraphSeparator),
    ("C", .other), ("Cc", .control), ("Cf", .format), ("Cs", .surrogate), ("Co", .privateUse),
    ("Cn", .unassigned),
  ]

  /// The long names that Rust's flavor also accepts, in its loose spelling.
  static let longNames: [String: String] = [
    "letter": "L", "uppercaseletter": "Lu", "lowercaseletter": "Ll", "titlecaseletter": "Lt",
    "modifierletter": "Lm", "otherletter": "Lo", "mark": "M", "nonspacingmark": "Mn",
    "spacingmark": "Mc", "enclosingmark": "Me", "number": "N", "decimalnumber": "Nd",
    "digit": "Nd", "letternumber": "Nl", "othernumber": "No", "punctuation": "P", "punct": "P",
    "connectorpunctuation": "Pc", "dashpunctuation": "Pd", "openpunctuation": "Ps",
    "closepunctuation": "Pe", "initialpunctuation": "Pi", "finalpunctuation": "Pf",
    "otherpunctuation": "Po", "symbol": "S", "mathsymbol": "Sm", "currencysymbol": "Sc",
    "modifiersymbol": "Sk", "othersymbol": "So", "separator": "Z", "spaceseparator": "Zs",
    "lineseparator": "Zl", "paragraphseparator": "Zp", "other": "C", "control": "Cc",
    "cntrl": "Cc", "format": "Cf", "privateuse": "Co", "unassigned": "Cn",
  ]
}
