internal import Expressions
internal import Pricing
internal import RuleEngine

/// Attributes of products as tables.
enum ProductsReport {
  /// The maximum number of products side by side, if they fit.
  private static let columns = 3

  static func text(_ sheets: [ProductSheet], _ style: TextStyle) -> String {
    (tables(sheets, style) + [timelines(sheets, style)]).filter { !$0.isEmpty }
      .joined(separator: "\n\n")
  }

  /// The store's charges for each product, with their dates.
  private static func timelines(_ sheets: [ProductSheet], _ style: TextStyle) -> String {
    sheets.flatMap { sheet in
      zip(sheet.products, sheet.timelines).compactMap { product, timelines in
        let lines = timelines.lines
        guard !lines.isEmpty else { return nil }
        let slot = product.slot.map { " (\($0))" } ?? ""
        let name = DiagnosticText.visible((product.fullIdentifier ?? product.identifier) + slot)
        return
          (style.wrapped(name).map(style.head)
          + lines.flatMap { style.wrapped("  " + DiagnosticText.visible($0)) })
          .joined(separator: "\n")
      }
    }
    .joined(separator: "\n")
  }

  private static func tables(_ sheets: [ProductSheet], _ style: TextStyle) -> [String] {
    sheets.flatMap { sheet -> [String] in
      let usable = zip(sheet.products, sheet.attributes).compactMap { product, result in
        (try? result.get()).map { (product: product, attributes: $0) }
      }
      return parts(of: usable, sheet.profile, style).map { part in
        let table = table(sheet.profile, part)
        return table.lines(style).joined(separator: "\n")
      }
    }
  }

  private typealias Shown = (product: PricedProduct, attributes: ProductAttributes)

  /// The products of each table: as many as fit side by side.
  private static func parts(
    of products: [Shown], _ profile: PricingProfile, _ style: TextStyle
  ) -> [[Shown]] {
    var parts: [[Shown]] = []
    for product in products {
      if let last = parts.last, last.count < columns,
        style.width.map({ table(profile, last + [product]).width <= $0 }) ?? true
      {
        parts[parts.count - 1].append(product)
      } else {
        parts.append([product])
      }
    }
    return parts
  }

  private static func table(_ profile: PricingProfile, _ products: [Shown]) -> TextTable {
    let schema = profile.schema
    var rows = [
      [profile.rawValue]
        + products.map {
          DiagnosticText.visible($0.product.slot ?? $0.product.identifier)
        }
    ]
    for name in schema.names where name != "phases" {
      let cells = products.map { product in
        DiagnosticText.visible(product.attributes[name].map(ProductSheet.shown) ?? "")
          + (product.attributes.caveats(of: name).isEmpty ? "" : " *")
      }
      rows.append([name] + cells)
    }
    return TextTable(
      rows: rows, left: Set(0...products.count), hasNamesAsHeads: true,
      ruled: schema.ownCount < schema.names.count ? [1 + schema.ownCount] : [])
  }
}
