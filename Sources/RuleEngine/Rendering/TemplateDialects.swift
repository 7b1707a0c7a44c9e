public import Expressions

/// The dialects of the platforms that show paywalls.
extension TemplateDialect {
  /// Liquid as documented for Superwall's editor, which uses liquidjs.
  public static let superwall = liquidjs

  /// AgentWallie's dialect: only paths of products, the user and the theme.
  public static let agentwallie = paths([
    Root("products", names: 3), Root("user", names: 2), Root("theme", names: 2),
  ])

  /// The dialect with a name, or nil: `superwall`, `shopify` or `agentwallie`.
  public init?(named name: String) {
    switch name {
    case "superwall": self = .superwall
    case "shopify": self = .shopify
    case "agentwallie": self = .agentwallie
    default: return nil
    }
  }
}
