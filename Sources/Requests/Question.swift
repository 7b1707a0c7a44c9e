package import Expressions

extension PreparedConfig {
  /// A kind of request that has one answer, and takes no config but by what the request says.
  package enum Question: String, CaseIterable, Sendable {
    case explain, check, diff, render, match, cover, products
  }

  package func answer(_ question: Question, _ body: JSONRequest) throws(RequestError) -> Value {
    switch question {
    case .explain: try explain(body)
    case .check: try check(body)
    case .diff: try difference(body)
    case .render: try render(body)
    case .match: try match(body)
    case .cover: try cover(body)
    case .products: try products(body)
    }
  }
}
