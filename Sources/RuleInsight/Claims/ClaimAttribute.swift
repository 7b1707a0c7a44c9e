internal import Pricing

/// The meaning of a product's attribute.
enum ClaimAttribute: Hashable, Sendable {
  /// The regular price, for its own period or for a unit.
  case price(per: Period.Unit?)
  /// The price of the offer, for one of its periods or for a unit.
  case offerPrice(per: Period.Unit?)
  /// The length of the offer's first period as a number of units; nil for a string that includes
  /// the unit.
  case offerLength(Period.Unit?)
  /// The length of the whole offer as a number of units; nil for a string that includes the unit.
  case offerTotal(Period.Unit?)
  /// The end of the offer's first period.
  case offerEnd
  /// An end date of the contract, which counts all periods.
  case date
  /// A word for the period: `month`, `monthly`, `/mo`.
  case period
  /// The period in the words of the device's locale.
  case localizedPeriod
  /// The period as a number of units.
  case periodLength(Period.Unit)
  case savings
  case currency
  /// Any other attribute, such as a label.
  case other

  /// The meaning of each attribute name, including AgentWallie's names.
  static let named: [String: ClaimAttribute] = [
    "price": .price(per: nil), "rawPrice": .price(per: nil), "raw_price": .price(per: nil),
    "dailyPrice": .price(per: .day), "weeklyPrice": .price(per: .week),
    "monthlyPrice": .price(per: .month), "yearlyPrice": .price(per: .year),
    "dailyPriceExact": .price(per: .day), "weeklyPriceExact": .price(per: .week),
    "monthlyPriceExact": .price(per: .month), "yearlyPriceExact": .price(per: .year),
    "price_per_month": .price(per: .month), "price_per_month_exact": .price(per: .month),
    "trialPeriodPrice": .offerPrice(per: nil), "rawTrialPeriodPrice": .offerPrice(per: nil),
    "trial_price": .offerPrice(per: nil), "trialPeriodDailyPrice": .offerPrice(per: .day),
    "trialPeriodWeeklyPrice": .offerPrice(per: .week),
    "trialPeriodMonthlyPrice": .offerPrice(per: .month),
    "trialPeriodYearlyPrice": .offerPrice(per: .year),
    "trialPeriodDays": .offerLength(.day), "trialPeriodWeeks": .offerLength(.week),
    "trialPeriodMonths": .offerLength(.month), "trialPeriodYears": .offerLength(.year),
    "trialPeriodText": .offerLength(nil), "trial_period": .offerTotal(nil),
    "trialTotalDays": .offerTotal(.day), "trialPeriodEndDate": .offerEnd,
    "endDateOfOffer": .date, "firstChargeDate": .date, "renewsAt": .date,
    "end_date_of_offer": .date, "first_charge_date": .date, "renews_at": .date,
    "period": .period, "periodly": .period, "period_label": .period, "periodAdverb": .period,
    "localizedPeriod": .localizedPeriod, "periodAlt": .localizedPeriod,
    "periodDays": .periodLength(.day), "periodWeeks": .periodLength(.week),
    "periodMonths": .periodLength(.month), "periodYears": .periodLength(.year),
    "savings_percentage": .savings, "savings_percentage_floor": .savings,
    "currencySymbol": .currency, "currencyCode": .currency,
  ]

  /// Attributes that are plain numbers without a currency.
  static let raw: Set<String> = ["rawPrice", "raw_price", "rawTrialPeriodPrice"]

  var isOffer: Bool {
    switch self {
    case .offerPrice, .offerLength, .offerTotal, .offerEnd: true
    default: false
    }
  }

  var isPrice: Bool {
    switch self {
    case .price, .offerPrice: true
    default: false
    }
  }

  /// The period in English words of attributes: `every 6 months`, `/mo`, `quarterly`; nil if there
  /// is none.
  static func period(inWords text: String) -> Period? {
    let letters = text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    let count = letters.lazy.compactMap { Int($0) }.first ?? 1
    for word in letters {
      let unit: (Period.Unit, Int)? =
        switch word {
        case "day", "days", "daily", "dayly": (.day, 1)
        case "week", "weeks", "weekly", "wk", "wks": (.week, 1)
        case "month", "months", "monthly", "mo", "mth", "mths": (.month, 1)
        case "quarter", "quarters", "quarterly": (.month, 3)
        case "year", "years", "yearly", "yr", "yrs", "annually": (.year, 1)
        default: nil
        }
      if let unit { return Period(unit.0, unit.1 * count) }
    }
    return nil
  }
}
