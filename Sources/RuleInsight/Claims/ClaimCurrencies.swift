/// Currency signs, and the currencies that each sign may mean.
enum ClaimCurrencies {
  private static let dollars = [
    "USD", "CAD", "AUD", "NZD", "SGD", "HKD", "TWD", "MXN", "CLP", "COP", "ARS",
  ]
  private static let crowns = ["SEK", "NOK", "DKK", "ISK"]
  /// Longer signs first, in lower case.
  private static let signs: [(sign: [Unicode.Scalar], currencies: [String])] = [
    ("us$", ["USD"]), ("ca$", ["CAD"]), ("au$", ["AUD"]), ("nz$", ["NZD"]), ("hk$", ["HKD"]),
    ("nt$", ["TWD"]), ("mx$", ["MXN"]), ("r$", ["BRL"]), ("s$", ["SGD"]), ("a$", ["AUD"]),
    ("c$", ["CAD"]), ("cn\u{A5}", ["CNY"]), ("$", dollars), ("\u{20AC}", ["EUR"]),
    ("\u{A3}", ["GBP", "EGP"]), ("\u{A5}", ["JPY", "CNY"]), ("\u{20A9}", ["KRW"]),
    ("\u{20B9}", ["INR"]), ("\u{20BD}", ["RUB"]), ("\u{20BA}", ["TRY"]), ("\u{20AA}", ["ILS"]),
    ("\u{20AB}", ["VND"]), ("\u{20B1}", ["PHP"]), ("\u{20B8}", ["KZT"]), ("\u{E3F}", ["THB"]),
    ("\u{20A6}", ["NGN"]), ("\u{20B4}", ["UAH"]), ("z\u{142}", ["PLN"]), ("k\u{10D}", ["CZK"]),
    ("kr", crowns), ("chf", ["CHF"]), ("\u{440}\u{443}\u{431}", ["RUB"]),
    ("\u{5186}", ["JPY"]), ("\u{C6D0}", ["KRW"]), ("\u{5143}", ["CNY", "TWD", "HKD"]),
    ("usd", ["USD"]), ("eur", ["EUR"]), ("gbp", ["GBP"]), ("jpy", ["JPY"]), ("cny", ["CNY"]),
    ("cad", ["CAD"]), ("aud", ["AUD"]), ("brl", ["BRL"]), ("krw", ["KRW"]), ("inr", ["INR"]),
    ("rub", ["RUB"]), ("pln", ["PLN"]), ("sek", ["SEK"]), ("nok", ["NOK"]),
    ("dkk", ["DKK"]), ("mxn", ["MXN"]), ("tl", ["TRY"]), ("rmb", ["CNY"]), ("euro", ["EUR"]),
    ("euros", ["EUR"]), ("dollars", dollars), ("rs", ["INR", "PKR"]),
  ].map { (Array($0.0.unicodeScalars), $0.1) }.sorted { $0.0.count > $1.0.count }

  /// Whether a sign is an abbreviation that must be in capitals, because in lower case it may be a
  /// word such as `try`.
  private static func isCode(_ sign: [Unicode.Scalar]) -> Bool {
    sign.count == 3 && sign.allSatisfy { 0x61...0x7A ~= $0.value } || sign == ["t", "l"]
      || sign == ["r", "s"]
  }

  private static func stands(_ sign: [Unicode.Scalar], at start: Int, in text: ClaimText) -> Bool {
    let range = start..<start + sign.count
    guard text.scalars[range].elementsEqual(sign) else { return false }
    return !isCode(sign) || text.shown[range].allSatisfy { 0x41...0x5A ~= $0.value }
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool { ClaimText.isWord(scalar) }

  static func sign(before place: Int, in text: ClaimText) -> (currencies: [String], count: Int)? {
    for gap in 0...1 {
      let end = place - gap
      guard end > 0, gap == 0 || text.scalars[end] == " " else { continue }
      for (sign, currencies) in signs where end >= sign.count {
        let start = end - sign.count
        guard stands(sign, at: start, in: text) else { continue }
        // `회원 7일`: the signs of Japan, Korea and China in letters follow their amount.
        if sign[0].value >= 0x3000 { continue }
        if isLetter(sign[0]), start > 0, isLetter(text.scalars[start - 1]) { continue }
        // A word beside a number must be separated by a space if it could be another word.
        if gap == 1, isLetter(sign[sign.count - 1]), sign.count < 3 { continue }
        return (currencies, place - start)
      }
    }
    return nil
  }

  static func sign(after place: Int, in text: ClaimText) -> (currencies: [String], count: Int)? {
    for gap in 0...1 {
      let start = place + gap
      guard start < text.scalars.count, gap == 0 || text.scalars[start - 1] == " " else { continue }
      for (sign, currencies) in signs where start + sign.count <= text.scalars.count {
        let end = start + sign.count
        guard stands(sign, at: start, in: text) else { continue }
        if isLetter(sign[sign.count - 1]), end < text.scalars.count, isLetter(text.scalars[end]) {
          continue
        }
        // The sign belongs to the next number.
        if gap == 1, !isLetter(sign[0]), end < text.scalars.count,
          ClaimText.isDigit(text.scalars[end])
        {
          continue
        }
        let isShort = end + 1 < text.scalars.count && text.scalars[end] == "." && isLetter(sign[0])
        return (currencies, end - place + (isShort && text.scalars[end + 1] == " " ? 1 : 0))
      }
    }
    return nil
  }

  /// Reads a currency code in capitals as a whole word: `prices in USD`.
  static func code(at place: Int, in text: ClaimText) -> (currencies: [String], count: Int)? {
    for (sign, currencies) in signs
    where sign.count == 3 && isCode(sign) && place + 3 <= text.scalars.count {
      guard stands(sign, at: place, in: text),
        place + 3 == text.scalars.count || !isLetter(text.scalars[place + 3])
      else { continue }
      return (currencies, 3)
    }
    for (name, currencies) in names where place + name.count <= text.scalars.count {
      let end = place + name.count
      guard text.scalars[place..<end].elementsEqual(name),
        end == text.scalars.count || !isLetter(text.scalars[end])
      else { continue }
      return (currencies, name.count)
    }
    return nil
  }

  /// Names of currencies that a text may state for its prices; longer names first.
  private static let names: [(name: [Unicode.Scalar], currencies: [String])] = [
    ("in us dollars", ["USD"]), ("in u.s. dollars", ["USD"]), ("in us-dollar", ["USD"]),
    ("in dollars", dollars), ("in dollar", dollars), ("in euros", ["EUR"]), ("in euro", ["EUR"]),
    ("in british pounds", ["GBP"]), ("in pounds", ["GBP"]), ("in yen", ["JPY"]),
    ("in pfund", ["GBP"]), ("in schweizer franken", ["CHF"]), ("in swiss francs", ["CHF"]),
    ("en d\u{F3}lares", dollars), ("en euros", ["EUR"]), ("en dollars", dollars),
    ("en libras", ["GBP"]), ("en livres sterling", ["GBP"]), ("in dollari", dollars),
    ("in sterline", ["GBP"]), ("em d\u{F3}lares", dollars), ("em euros", ["EUR"]),
    ("em reais", ["BRL"]),
    ("\u{432} \u{434}\u{43E}\u{43B}\u{43B}\u{430}\u{440}\u{430}\u{445}", dollars),
    ("\u{432} \u{435}\u{432}\u{440}\u{43E}", ["EUR"]),
    ("\u{432} \u{440}\u{443}\u{431}\u{43B}\u{44F}\u{445}", ["RUB"]),
    ("dolar cinsinden", dollars), ("euro cinsinden", ["EUR"]), ("dolar olarak", dollars),
  ].map { (Array($0.0.unicodeScalars), $0.1) }

  /// Reads a sign or word for hundredths of a currency after a number: `10¢ a day`, `17 Cent`.
  static func minorSign(after place: Int, in text: ClaimText) -> (
    currencies: [String], count: Int
  )? {
    for gap in 0...1 {
      let start = place + gap
      guard gap == 0 || place < text.scalars.count && text.scalars[place] == " " else { continue }
      for (sign, currencies) in minorSigns where start + sign.count <= text.scalars.count {
        let end = start + sign.count
        guard text.scalars[start..<end].elementsEqual(sign), gap == 0 || sign.count > 1,
          end == text.scalars.count || !isLetter(text.scalars[end])
        else { continue }
        return (currencies, end - place)
      }
    }
    return nil
  }

  private static let minorSigns: [(sign: [Unicode.Scalar], currencies: [String])] = [
    ("\u{A2}", dollars), ("cents", dollars + ["EUR"]), ("cent", dollars + ["EUR"]),
    ("centimes", ["EUR", "CHF"]), ("c\u{E9}ntimos", ["EUR"]), ("centesimi", ["EUR"]),
    ("ct", ["EUR"]), ("centavos", ["BRL", "MXN"]), ("pence", ["GBP"]), ("p", ["GBP"]),
  ].map { (Array($0.0.unicodeScalars), $0.1) }
}
