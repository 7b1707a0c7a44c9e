package import Expressions

/// Something that a text asserts about a product, held against what the store charges.
package struct Claim: Hashable, Sendable {
  /// What is asserted.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Nothing is paid at first.
    case free
    /// There is a trial, free or not.
    case trial
    /// Nothing is paid now.
    case noPayment = "no-payment"
    /// How long the offer is.
    case length
    /// What the offer costs.
    case offerPrice = "offer-price"
    /// What is charged after the offer.
    case then
    /// When the offer ends.
    case end
    /// How often the price is charged.
    case period
    /// A price as a number in the text itself.
    case price
    /// How much less it is than something else.
    case savings
    /// Another price, struck through or named to compare.
    case comparison
    /// The currency.
    case currency
    /// It can be ended at any time.
    case cancel
    /// It renews.
    case renewal
    /// It is paid once and has no end.
    case lifetime
    /// A value is there at all.
    case value
    /// Dates and words are in the language of the text.
    case language
    /// Prices of one text are written in one way.
    case style
  }

  package enum Verdict: Hashable, Sendable {
    case holds
    /// What is wrong, and what the store does.
    case fails(String)
    /// Why it cannot be told.
    case unknown(String)
  }

  package var kind: Kind
  /// The identifier of the product, and its slot; empty where it is about none.
  package var product: String
  package var slot: String
  package var verdict: Verdict
  /// Where the sentence stands in the template.
  package var range: SourceRange
  /// The sentence as the user reads it.
  package var sentence: String
  /// The words that assert it.
  package var words: String
  /// Whether it fails only for users who may not have the offer any more.
  package var isForIneligibleOnly = false
  /// The product that has to be selected for it to fail; nil where that does not matter.
  package var selected: String?
  /// The locale in which it was seen.
  package var locale: String

  /// The claim as one JSON object.
  ///
  /// - Parameters:
  ///   - file: the file that the text is in; nil leaves the file out.
  ///   - path: where in the file the text is.
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
