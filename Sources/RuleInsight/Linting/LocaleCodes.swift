internal import Expressions
internal import RuleEngine

/// Regions, languages, currencies and locales in a form that SDKs never send.
///
/// `device.regionCode == "UK"`: the region is "GB".
enum LocaleCodes {
  private enum Form {
    case region, country, currency, language, locale

    /// The format that SDKs send, in words.
    var words: String {
      switch self {
      case .region: "it has two capital letters, as in \"US\""
      case .country: "it has three capital letters, as in \"USA\""
      case .currency: "it has three capital letters, as in \"USD\""
      case .language: "it has small letters, as in \"en\""
      case .locale: "it is a language and a region, as in \"en_US\""
      }
    }
  }

  /// Attributes that contain codes, with the format of these codes.
  private static let forms: [String: Form] = [
    "regionCode": .region, "preferredRegionCode": .region, "deviceCurrencyCode": .currency,
    "storeFrontCurrency": .currency, "storeFrontCountryCode": .country,
    "deviceLanguageCode": .language, "preferredLanguageCode": .language, "deviceLocale": .locale,
  ]

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    guard subject.config.format == .superwall else { return [] }
    return subject.conditions.flatMap { condition -> [Diagnostic] in
      let expression = condition.expression
      return parts(in: condition, subject) + zones(in: condition, subject)
        + expression.relations.flatMap { relation -> [Diagnostic] in
          guard !relation.isOrder,
            let (attribute, literals) = relation.attributeWithLiterals(in: expression),
            let path = expression.path(attribute), path.count == 2, path[0] == "device",
            let form = forms[path[1]], subject.schema[path[0], path[1]]?.kind == .anyText
          else { return [] }
          return literals.flatMap { literal -> [Diagnostic] in
            guard case .string(let text)? = expression.literal(literal), !text.isEmpty,
              let problem = problem(text, form, isWeb: subject.language.platform == .web)
            else { return [] }
            return finding(problem, text, path, literal, condition)
          }
        }
    }
  }

  /// Reports names that are not in the tz database: `device.timezone == "PST"`.
  private static func zones(in condition: LintSubject.Condition, _ subject: LintSubject)
    -> [Diagnostic]
  {
    let (expression, path) = (condition.expression, ["device", "timezone"])
    guard subject.given.attribute(path) == nil else { return [] }
    return expression.relations.flatMap { relation -> [Diagnostic] in
      guard !relation.isOrder,
        let (attribute, literals) = relation.attributeWithLiterals(in: expression),
        expression.path(attribute) == path
      else { return [] }
      return literals.flatMap { literal -> [Diagnostic] in
        guard case .string(let text)? = expression.literal(literal), !text.isEmpty,
          WireTime.zoneProblem(text) != nil
        else { return [] }
        let words = "write the name of a time zone, such as \"Europe/Berlin\""
        return finding(Problem(words: words), text, path, literal, condition)
      }
    }
  }

  /// Reports parts of codes: `device.deviceLocale.startsWith("en-")`,
  /// `device.regionCode.startsWith("us")`.
  private static func parts(in condition: LintSubject.Condition, _ subject: LintSubject)
    -> [Diagnostic]
  {
    let expression = condition.expression
    guard expression.tree.nodes.contains(where: { $0.kind == .call }) else { return [] }
    var found: [Diagnostic] = []
    expression.visit { id, _ in
      guard let call = expression.call(id), let target = call.target,
        let path = expression.path(target), path.count == 2, path[0] == "device",
        let form = forms[path[1]], subject.given.attribute(path) == nil,
        let literal = call.arguments.first,
        case .string(let text)? = expression.literal(literal),
        let problem = problem(text, in: call.name, form, isWeb: subject.language.platform == .web)
      else { return }
      found += finding(problem, text, path, literal, condition)
    }
    return found
  }

  /// The problem of a part of a code. The part may be required at the beginning, at the end or anywhere.
  private static func problem(_ text: String, in function: String, _ form: Form, isWeb: Bool)
    -> Problem?
  {
    let isStart = function == "startsWith"
    guard isStart || ["endsWith", "contains"].contains(function), !text.isEmpty else { return nil }
    let meant: String
    switch form {
    case .region, .country, .currency: meant = text.uppercased()
    case .language: meant = isStart ? text.prefix(2).lowercased() + text.dropFirst(2) : text
    case .locale:
      guard !isWeb else { return nil }
      let isRegion = function == "endsWith" && text.count == 3
      let isLanguage =
        isStart && (text.count == 2 || text.dropFirst(2).first.map { "-_".contains($0) } ?? false)
      let cased =
        isRegion
        ? text.uppercased()
        : isLanguage ? text.prefix(2).lowercased() + text.dropFirst(2) : text
      meant = cased.replacing("-", with: "_")
    }
    return meant == text ? nil : Problem(words: form.words, form: meant)
  }

  private static func finding(
    _ problem: Problem, _ text: String, _ path: [String], _ literal: ParsedExpression.ID,
    _ condition: LintSubject.Condition
  ) -> [Diagnostic] {
    let name = path.joined(separator: ".")
    let range = condition.expression[literal].range
    return EnumValues.findings(
      "'\(name)' is never \"\(text)\": \(problem.words)", in: condition, range: range,
      suggestion: problem.form.map { "did you mean \"\($0)\"?" },
      fix: problem.form.map {
        Diagnostic.Fix([Diagnostic.Fix.Edit(range, Value.string($0).json)], isSafe: problem.isSafe)
      }, subject: name)
  }

  private struct Problem {
    var words: String
    var form: String?
    /// Whether the suggested format is the only possible one.
    var isSafe = false
  }

  private static func problem(_ text: String, _ form: Form, isWeb: Bool) -> Problem? {
    let isLetters = text.allSatisfy { $0.isASCII && $0.isLetter }
    switch form {
    case .region:
      if let codes = several(text) { return codes }
      return text.allSatisfy({ $0.isLetter || "_- ".contains($0) }) ? region(text) : nil
    case .country:
      guard isLetters, text.count != 3 || text != text.uppercased() else { return nil }
      return Problem(
        words: form.words, form: text.count == 3 ? text.uppercased() : nil, isSafe: true)
    case .currency:
      if isLetters, text.count == 3 {
        return text == text.uppercased()
          ? nil : Problem(words: form.words, form: text.uppercased(), isSafe: true)
      }
      return Problem(words: form.words, form: signs[text])
    case .language: return language(text)
    case .locale: return isWeb ? nil : locale(text)
    }
  }

  /// Reports several regions in one string, such as "US,CA".
  private static func several(_ text: String) -> Problem? {
    let parts = text.split { ",;|/".contains($0) }.map { $0.filter { $0 != " " } }
    guard parts.count > 1, parts.allSatisfy({ regions.contains($0.uppercased()) }) else {
      return nil
    }
    let list = parts.map { Value.string($0.uppercased()).json }.joined(separator: ", ")
    return Problem(words: "it is one region; write in [\(list)]")
  }

  private static func region(_ text: String) -> Problem? {
    let capitals = text.uppercased()
    if text == capitals, regions.contains(text) { return nil }
    if let other = otherRegions[capitals] {
      return Problem(words: "the code of that region is \"\(other)\"", form: other)
    }
    if regions.contains(capitals) {
      return Problem(words: Form.region.words, form: capitals, isSafe: true)
    }
    // The region is the last part of a locale.
    let last = text.split { $0 == "_" || $0 == "-" }.last.map { $0.uppercased() }
    let isLocale = text.contains("_") || text.contains("-")
    return Problem(
      words: text.count == 2 && text == capitals ? "there is no such region" : Form.region.words,
      form: isLocale ? last.flatMap { regions.contains($0) ? $0 : nil } : nil)
  }

  private static func language(_ text: String) -> Problem? {
    let parts = text.split { $0 == "_" || $0 == "-" }
    guard let first = parts.first.map({ $0.lowercased() }), text.allSatisfy({ $0.isASCII }) else {
      return nil
    }
    let isKnown = languages.contains(first)
    // Scripts have four letters, as in `zh-Hans`.
    if parts.count > 1, let last = parts.last {
      guard last.count == 2 else { return nil }
      return Problem(words: "it has no region, as in \"en\"", form: isKnown ? first : nil)
    }
    if text == first, isKnown || text.count == 3 { return nil }
    if let other = otherLanguages[first] {
      return Problem(words: "the code of that language is \"\(other)\"", form: other)
    }
    guard text.allSatisfy({ $0.isLetter }) else { return nil }
    if isKnown { return Problem(words: Form.language.words, form: first, isSafe: true) }
    return Problem(
      words: text.count == 2 ? "there is no such language" : Form.language.words, form: nil)
  }

  private static func locale(_ text: String) -> Problem? {
    let parts = text.split(omittingEmptySubsequences: false) { $0 == "_" || $0 == "-" }
    guard let first = parts.first, (2...3).contains(first.count), first.allSatisfy({ $0.isLetter }),
      parts.allSatisfy({ !$0.isEmpty })
    else { return Problem(words: Form.locale.words) }
    var form = [first.lowercased()]
    for part in parts.dropFirst() {
      form.append(
        part.count == 2 ? part.uppercased() : part.count == 4 ? part.capitalized : String(part))
    }
    let written = form.joined(separator: "_")
    if written == text { return nil }
    return Problem(words: "it is written as \"\(written)\"", form: written)
  }

  private static let signs = ["$": "USD", "\u{20AC}": "EUR", "\u{A3}": "GBP", "\u{A5}": "JPY"]
  private static let otherRegions = [
    "UK": "GB", "EN": "GB", "ENG": "GB", "USA": "US", "UAE": "AE", "GBR": "GB", "DEU": "DE",
    "GER": "DE", "FRA": "FR", "JA": "JP", "JPN": "JP", "KO": "KR", "CAN": "CA", "AUS": "AU",
  ]
  private static let otherLanguages = [
    "jp": "ja", "cn": "zh", "gb": "en", "us": "en", "dk": "da", "cz": "cs", "gr": "el", "eng": "en",
    "ger": "de", "ua": "uk", "vn": "vi", "english": "en", "german": "de", "french": "fr",
    "spanish": "es", "japanese": "ja",
  ]

  /// ISO 3166, with Kosovo's code of CLDR.
  private static let regions = codes(
    """
    AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ \
    BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM \
    DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS \
    GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN \
    KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ \
    MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM \
    PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV \
    SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI \
    VN VU WF WS XK YE YT ZA ZM ZW
    """)

  /// The codes of ISO 639-1, and older codes that Java still uses.
  private static let languages = codes(
    """
    aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv \
    cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr \
    ht hu hy hz ia id ie ig ii ik in io is it iu iw ja ji jv ka kg ki kj kk kl km kn ko kr ks \
    ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mo mr ms mt my na nb nd ne ng nl \
    nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl \
    sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi \
    vo wa wo xh yi yo za zh zu
    """)

  private static func codes(_ text: String) -> Set<String> {
    Set(text.split(separator: " ").map(String.init))
  }
}

extension Substring {
  /// The string with its first letter in upper case and all others in lower case.
  fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst().lowercased() }
}
