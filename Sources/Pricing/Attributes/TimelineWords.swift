extension PaymentPhase {
  /// The phase in English: "free for 7 days", "$0.99 every month for 3 months", "$9.99 every year".
  ///
  /// - Parameter price: the formatted price of one charge.
  package func words(_ price: String) -> String {
    let lasting = length.map { " for \($0.words)" } ?? ""
    switch mode {
    case .free: return "free" + lasting
    case .payUpFront: return price + lasting
    case .once: return price + " once" + (length.map { ", access for \($0.words)" } ?? "")
    case .payAsYouGo, .regular:
      guard let period else { return price }
      return "\(price) every \(period.words(without: 1))" + lasting
    }
  }
}

extension PaymentTimeline {
  /// All phases in English: "free for 7 days, then $59.99 every year".
  ///
  /// - Parameter format: the format of prices for which the store has no string.
  package func words(_ format: CurrencyFormat) -> String {
    phases.map { $0.words($0.displayPrice ?? format.text(micros: $0.micros)) }
      .joined(separator: ", then ")
  }
}

extension Period {
  /// The period in words, such as "month" or "3 months". The given count is omitted from the words.
  fileprivate func words(without count: Int) -> String {
    self.count == count ? unit.name : words
  }
}
