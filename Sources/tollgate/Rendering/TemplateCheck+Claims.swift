internal import Expressions
internal import Pricing
internal import RuleEngine
internal import RuleInsight

/// Checks the assertions of texts about their products.
extension TemplateCheck {
  /// The products of a paywall, or the products of each paywall that may have the text.
  func paywalls(_ identifier: String?) throws -> [[PricedProduct]] {
    if claims == nil { return [] }
    guard let config else { return prices.map { [$0.products] } ?? [] }
    if let identifier { return [config.products(of: try find(identifier), prices: prices)] }
    return config.paywalls.map { config.products(of: $0, prices: prices) }
  }

  mutating func checkClaims(
    _ texts: [(path: String, source: String)], _ products: [PricedProduct],
    _ environment: TemplateEnvironment, theme: Value? = nil, selected: Int? = nil
  ) {
    guard let claims, !products.isEmpty else { return }
    let results = claims.check(products, environment, theme: theme).check(
      texts.map(\.source), keepsRenderings: claims.keepsRenderings, selected: selected)
    for (text, result) in zip(texts, results) {
      if let known = claimed.firstIndex(where: { $0.path == text.path && selected != nil }) {
        let more = result.claims.filter { !claimed[known].result.claims.contains($0) }
        claimed[known].result.claims += more
        claimed[known].result.renderings += result.renderings
      } else {
        claimed.append((text.path, result))
      }
      let found = ClaimFindings.diagnostics(
        result, in: text.source, isNative: environment.dialect == .agentwallie)
      for var diagnostic in found {
        diagnostic.path = text.path
        // Problems that are visible in the template alone are already reported.
        let isKnown = findings.contains {
          $0.diagnostic.path == text.path
            && ($0.diagnostic == diagnostic
              || diagnostic.code == .noValue && $0.diagnostic.code == .unknownAttribute
                && $0.diagnostic.range.map { range in
                  diagnostic.range.map { $0.from <= range.from && range.to <= $0.to } ?? false
                } ?? false)
        }
        if !isKnown {
          findings.append(
            Finding(diagnostic: diagnostic, source: text.path.isEmpty ? nil : text.source))
        }
      }
    }
  }
}
