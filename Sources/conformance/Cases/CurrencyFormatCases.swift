internal import Expressions
internal import Pricing
internal import RuleEngine
internal import Scenarios

/// Suite `currency-format`: an amount in a currency and a locale. The expected string is the output of Foundation's
/// format style. Other strings of a case are not compared.
enum CurrencyFormatCases {
  static func run(_ testCase: Case) throws(CaseFileError) -> Verdict {
    guard let locale = testCase.content["locale"]?.text,
      let code = testCase.content["currency"]?.text, let currency = Currency(code),
      let amount = testCase.content["amount"]?.text,
      let expected = testCase.content["foundation_formatstyle"]?.text
    else {
      throw CaseFileError(
        message: "case \(testCase.id) needs 'locale', 'currency', 'amount' and "
          + "'foundation_formatstyle'")
    }
    let got: Value
    do throws(PricingError) {
      let micros = try PriceText.micros(amount)
      got = .string(PriceLocale(locale).format(for: currency).text(micros: micros))
    } catch {
      got = ["error": .string(error.message)]
    }
    return CaseComparison.matches(got, .string(expected), partial: false)
      ? .passed(got: got) : .failed(expected: .string(expected), got: got)
  }
}
