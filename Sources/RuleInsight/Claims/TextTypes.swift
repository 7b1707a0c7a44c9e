package import Expressions
package import Pricing
internal import RuleEngine

/// Finds comparisons and filters that cannot work as intended, because product attributes are
/// strings.
package enum TextTypes {
  /// Numeric attributes that are strings.
  private static let numbers: Set<String> = [
    "rawPrice", "raw_price", "rawTrialPeriodPrice", "periodDays", "periodWeeks", "periodMonths",
    "periodYears", "trialPeriodDays", "trialPeriodWeeks", "trialPeriodMonths", "trialPeriodYears",
    "trialTotalDays",
  ]

  /// - Parameter profile: the SDK whose attributes the texts use; nil for Superwall's.
  package static func diagnostics(_ analysis: TemplateAnalysis, profile: PricingProfile?)
    -> [Diagnostic]
  {
    if profile == .checkout { return [] }
    return analysis.parts.comparisons.compactMap(comparison)
      + analysis.parts.calculations.compactMap(calculation) + analysis.reads.compactMap(misspelling)
  }

  /// Reports a misspelled product attribute in a condition, which is always false. Other uses are
  /// checked against the products.
  private static func misspelling(_ read: TemplateAnalysis.Read) -> Diagnostic? {
    let names = read.names.compactMap { $0 }
    guard read.isGuarded, names.count == read.names.count, let name = names.last else { return nil }
    let owner = names.dropLast().joined(separator: ".")
    let advice: String
    switch names.count {
    case 1 where known.contains(name) && !rootSlots.contains(name):
      // `{% if has_trial %}`
      advice = "write products.selected.\(name)"
    case 2 where names[0] == "products":
      let hasPrefix = ["has", "is", "selected"].contains { name.hasPrefix($0) }
      let members = ["hasIntroductoryOffer", "selectedIndex", "selected"]
      guard hasPrefix, !members.contains(name) else { return nil }
      advice = "did you mean '\(Suggestion.closest(to: name, among: members) ?? members[0])'?"
    case 2, 3:
      let isProduct =
        names.count == 3
        ? names[0] == "products" && (rootSlots.contains(names[1]) || names[1] == "selected")
        : rootSlots.contains(names[0])
      guard isProduct, !known.contains(name),
        let close = Suggestion.closest(to: name, among: known.sorted())
      else { return nil }
      advice = "did you mean '\(close)'?"
    default: return nil
    }
    return Diagnostic(
      .unknownAttribute,
      owner.isEmpty ? "'\(name)' is not declared" : "\(owner) has no '\(name)'",
      severity: .warning, range: read.range, suggestion: advice)
  }

  private static let rootSlots = ["primary", "secondary", "tertiary"]

  /// The attributes of all SDKs.
  private static let known: Set<String> = {
    var names: Set<String> = ["slot", "label", "product_id"]
    for profile in PricingProfile.allCases { names.formUnion(profile.schema.names) }
    return names.union(ClaimAttribute.named.keys)
  }()

  /// The name of the attribute at a path, if it is a string.
  private static func string(_ operand: TemplateParts.Operand) -> (name: String, path: String)? {
    guard case .read(let read) = operand else { return nil }
    return string(read)
  }

  private static func string(_ read: TemplateAnalysis.Read) -> (name: String, path: String)? {
    let isProduct =
      read.names.count == 3 && read.names[0] == "products"
      || read.names.count == 2
        && ["primary", "secondary", "tertiary"].contains(read.names[0] ?? "")
    guard isProduct, let name = read.names.last.flatMap({ $0 }) else { return nil }
    let isText = strings.contains(name) || numbers.contains(name)
    return isText ? (name, read.path) : nil
  }

  private static let strings: Set<String> = Set(
    ClaimAttribute.named.keys.filter {
      !["savings_percentage", "savings_percentage_floor"].contains($0)
    })

  private static func warning(_ message: String, _ range: SourceRange, _ suggestion: String?)
    -> Diagnostic
  {
    Diagnostic(.typeError, message, severity: .warning, range: range, suggestion: suggestion)
  }

  private static func comparison(_ comparison: TemplateParts.Comparison) -> Diagnostic? {
    let (left, right) = (string(comparison.left), string(comparison.right))
    if let left, let right {
      guard comparison.isOrder else { return nil }
      return warning(
        "\(left.path) and \(right.path) are strings, which are ordered by letters: '10' comes before '9'",
        comparison.range,
        "convert them to numbers first: {% assign a = \(left.path) | plus: 0 %}")
    }
    guard let attribute = left ?? right else { return nil }
    let other = left == nil ? comparison.left : comparison.right
    guard case .number(let number) = other else { return nil }
    if !comparison.isOrder {
      return warning(
        "\(attribute.path) is a string and never equal to the number \(number)", comparison.range,
        numbers.contains(attribute.name)
          ? "write \"\(number)\", a string" : numeric(attribute.name))
    }
    if numbers.contains(attribute.name) { return nil }
    return warning(
      "\(attribute.path) is a string such as '\(example(attribute.name))', not a number",
      comparison.range, numeric(attribute.name))
  }

  private static func calculation(_ calculation: TemplateParts.Calculation) -> Diagnostic? {
    guard let attribute = string(calculation.read), !numbers.contains(attribute.name) else {
      return nil
    }
    return warning(
      "\(attribute.path) is a string such as '\(example(attribute.name))'; the filter '\(calculation.filter)' reads it as 0",
      calculation.read.range, numeric(attribute.name))
  }

  private static func example(_ name: String) -> String {
    switch ClaimAttribute.named[name] {
    case .price?, .offerPrice?: "$9.99"
    case .offerLength?: "7-day"
    case .offerTotal?: "7 days"
    case .offerEnd?: "Mar 8, 2026"
    case .period?: "month"
    default: "text"
    }
  }

  /// The numeric counterpart of an attribute.
  private static func numeric(_ name: String) -> String? {
    switch ClaimAttribute.named[name] {
    case .price?: name.contains("_") || name == "price_per_month" ? "use raw_price" : "use rawPrice"
    case .offerPrice?: "use rawTrialPeriodPrice"
    case .offerLength?, .offerTotal?: "use trialPeriodDays"
    case .period?, .localizedPeriod?: "use periodMonths"
    default: nil
    }
  }
}
