package import Expressions
internal import RuleEngine

extension PreparedConfig {
  /// A kind of request with one answer. A request uses another config only if it contains one.
  package enum Question: String, CaseIterable, Sendable {
    case explain, check, diff, render, match, cover, products
  }

  /// - Parameter stored: the state that the caller has stored for the user to explain.
  package func answer(
    _ question: Question, _ body: JSONRequest, stored: StoredState = StoredState()
  ) throws(RequestError) -> Value {
    if settings.rejectsUnknownMembers { try check(question, body.value) }
    return switch question {
    case .explain: try explain(body, stored: stored)
    case .check: try check(body)
    case .diff: try difference(body)
    case .render: try render(body)
    case .match: try match(body)
    case .cover: try cover(body)
    case .products: try products(body)
    }
  }

  private func check(_ question: Question, _ body: Value) throws(RequestError) {
    var names = question.members
    if question == .explain, body["userId"] != nil {
      // The request is the record itself, which may have any root that rules read.
      names +=
        UserMember.allCases.map { $0.key } + ruleSet.requirements.compactMap { $0.names.first }
    }
    for (name, _) in body.members ?? [] where !names.contains(name) {
      throw .unknownMember(name, among: names)
    }
  }
}

extension PreparedConfig.Question {
  /// The members of a request.
  package var members: [String] {
    switch self {
    case .explain:
      [
        "user", "userId", "placement", "all", "audience", "set", "sweep", "text", "config", "now",
        "seed", "platform", "sdkVersion",
      ]
    case .check: ["config", "schema", "platform", "now"]
    case .diff: ["new", "old", "users", "placements", "now", "seed", "platform"]
    case .render:
      [
        "template", "paywall", "products", "user", "dialect", "mode", "html", "select", "locale",
        "profile", "timeZone", "eligible", "claims", "locales", "sdkVersion", "now",
      ]
    case .match:
      [
        "users", "config", "placements", "distribution", "now", "seed", "platform", "sdkVersion",
      ]
    case .cover: ["tests", "config", "render", "products", "now", "seed", "platform"]
    case .products:
      ["products", "locale", "profile", "timeZone", "eligible", "sdkVersion", "now"]
    }
  }
}
