package import Expressions

/// An assertion of a text about a product, compared with what the store charges.
package struct Claim: Hashable, Sendable {
  /// The kind of assertion.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The first period is free.
    case free
    /// There is a trial, free or not.
    case trial
    /// Nothing is charged today.
    case noPayment = "no-payment"
    /// The length of the offer.
    case length
    /// The price of the offer.
    case offerPrice = "offer-price"
    /// The price after the offer ends.
    case then
    /// The end of the offer.
    case end
    /// The billing period of the price.
    case period
    /// A price as a literal number in the text.
    case price
    /// A discount relative to something else.
    case savings
    /// Another price for comparison, struck through or named.
    case comparison
    /// The currency.
    case currency
    /// The product can be cancelled at any time.
    case cancel
    /// The product renews.
    case renewal
    /// The product is paid once and does not end.
    case lifetime
    /// An attribute in the text has a value.
    case value
    /// Dates and words are in the text's language.
    case language
    /// All prices in a text have the same style.
    case style
  }

  package enum Verdict: Hashable, Sendable {
    case holds
    /// The claim is false; the string describes the problem and what the store does.
    case fails(String)
    /// The claim could not be checked; the string is the reason.
    case unknown(String)
  }

  package var kind: Kind
  /// The identifier of the product, and its slot; both are empty if the claim is not about a product.
  package var product: String
  package var slot: String
  package var verdict: Verdict
  /// The position of the sentence in the template.
  package var range: SourceRange
  /// The sentence as the user reads it.
  package var sentence: String
  /// The words of the text that make the claim.
  package var words: String
  /// Whether the claim only fails for users that are not eligible for the offer.
  package var isForIneligibleOnly = false
  /// The product that must be selected for the claim to fail; nil if any selection fails.
  package var selected: String?
  /// The locale in which the claim was found.
  package var locale: String
  /// The range of the claim's words in the rendered text, by character.
  var part: Range<Int>?

  /// The claim as a JSON object.
  ///
  /// - Parameters:
  ///   - file: the file with the text; nil omits it.
  ///   - path: the path of the text in the file.
  package func json(file: String? = nil, path: String = "") -> Value {
    var entries: [(String, Value)] = []
    if let file { entries.append(("file", .string(file))) }
    if !path.isEmpty { entries.append(("path", .string(path))) }
    entries.append(("claim", .string(kind.rawValue)))
    if !product.isEmpty { entries += [("product", .string(product)), ("slot", .string(slot))] }
    let (verdict, reason): (String, String?) =
      switch self.verdict {
      case .holds: ("true", nil)
      case .fails(let reason): (isForIneligibleOnly ? "false-if-ineligible" : "false", reason)
      case .unknown(let reason): ("unknown", reason)
      }
    entries.append(("verdict", .string(verdict)))
    if let reason { entries.append(("reason", .string(reason))) }
    entries += [
      ("words", .string(words)), ("sentence", .string(sentence)), ("locale", .string(locale)),
      ("from", .int(Int64(range.from))), ("to", .int(Int64(range.to))),
    ]
    if let selected { entries.append(("selected", .string(selected))) }
    return .map(entries.map { Value.Entry(key: .string($0.0), value: $0.1) })
  }

  package var fails: Bool { if case .fails = verdict { true } else { false } }
}
