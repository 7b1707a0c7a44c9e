/// The names of the attributes of a namespace, in the order in which they are written.
package final class AttributeSchema: Sendable {
  /// The names of the system, then Tollgate's ``additions``.
  package let names: [String]
  /// The number of names that are the system's own.
  package let ownCount: Int

  private init(_ own: [String], additions: [String] = []) {
    names = own + additions
    ownCount = own.count
  }

  /// Tollgate's names, which the system lacks. Additions never change the system's own names.
  package var additions: ArraySlice<String> { names[ownCount...] }

  /// The index of a name, or nil.
  func place(of name: String) -> Int? {
    names.firstIndex { $0.utf8.elementsEqual(name.utf8) }
  }

  private static let superwallNames = [
    "rawPrice", "price", "period", "periodly", "localizedPeriod", "periodAlt", "periodDays",
    "periodWeeks", "periodMonths", "periodYears", "dailyPrice", "weeklyPrice", "monthlyPrice",
    "yearlyPrice", "rawTrialPeriodPrice", "trialPeriodPrice", "trialPeriodDays",
    "trialPeriodWeeks", "trialPeriodMonths", "trialPeriodYears", "trialPeriodText",
    "trialPeriodEndDate", "trialPeriodDailyPrice", "trialPeriodWeeklyPrice",
    "trialPeriodMonthlyPrice", "trialPeriodYearlyPrice", "locale", "languageCode", "currencyCode",
    "currencySymbol", "identifier",
  ]

  private static let superwallAdditions = [
    "periodAdverb", "trialTotalDays", "dailyPriceExact", "weeklyPriceExact", "monthlyPriceExact",
    "yearlyPriceExact", "hasFreeTrial", "isTrialFree", "isFreeTrialAvailable",
    "trialPhases", "phases", "chargedToday", "firstChargeDate", "renewsAt", "endDateOfOffer",
    "totalInFirstYear",
  ]

  /// The members of each phase in `phases`.
  package static let phaseNames = [
    "mode", "price", "rawPrice", "period", "cycles", "duration", "total", "startDate", "endDate",
  ]

  /// The 33 strings of Superwall's iOS SDK (PricedProduct.attributes).
  package static let ios = AttributeSchema(
    superwallNames + ["billingPlanType", "isBillingPlanAvailable"], additions: superwallAdditions)

  /// The 32 strings of Superwall's Android SDK (StoreProductType.kt).
  package static let android = AttributeSchema(
    superwallNames + ["productIdentifier"], additions: superwallAdditions)

  /// AgentWallie's variables, and further names that AgentWallie's resolver has.
  package static let agentWallie = AttributeSchema(
    [
      "price", "price_per_month", "period", "period_label", "trial_period", "trial_price",
      "has_trial", "savings_percentage", "label", "slot", "product_id",
    ],
    additions: [
      "raw_price", "store_product_id", "price_per_month_exact", "savings_percentage_floor",
      "is_trial_free", "is_trial_available", "trial_phases", "phases", "charged_today",
      "first_charge_date", "renews_at", "end_date_of_offer", "total_in_first_year",
    ])

  /// The product object of the checkout context in the SDK build specification.
  package static let checkout = AttributeSchema([
    "identifier", "currencyCode", "currencySymbol", "dailyPrice", "weeklyPrice", "monthlyPrice",
    "yearlyPrice", "languageCode", "locale", "localizedPeriod", "period", "periodAlt",
    "periodDays", "periodMonths", "periodWeeks", "periodYears", "periodly", "price", "rawPrice",
    "rawTrialPeriodPrice", "trialPeriodDailyPrice", "trialPeriodDays", "trialPeriodWeeks",
    "trialPeriodMonths", "trialPeriodEndDate", "trialPeriodMonthlyPrice", "trialPeriodPrice",
    "trialPeriodText", "trialPeriodWeeklyPrice", "trialPeriodYearlyPrice", "trialPeriodYears",
  ])
}
