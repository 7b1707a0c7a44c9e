internal import Expressions
internal import RuleEngine
internal import Scenarios

/// AgentWallie's texts: kind `expression` of suite `agentwallie`, and suite `agentwallie-templates`, which uses longer
/// keys for the same cases.
enum AgentWallieTextCases {
  /// Runs a case of the kind `expression`.
  static func expression(_ testCase: Case) throws(CaseFileError) -> Verdict {
    guard let text = testCase.input("text")?.text else {
      throw CaseFileError(message: "case \(testCase.id) has no 'text'")
    }
    let got = render(text, testCase.content["input"] ?? .map([]))
    return .judge(["text": .string(got)], against: testCase.content["expect"] ?? .null)
  }

  /// Runs a case of the suite `agentwallie-templates`.
  static func template(_ testCase: Case) throws(CaseFileError) -> Verdict {
    let text = try TemplateCases.string(testCase, "template")
    let wanted = try TemplateCases.string(testCase, "expect")
    let got = render(text, testCase.content)
    return got.utf8.elementsEqual(wanted.utf8)
      ? .passed(got: .string(got)) : .failed(expected: .string(wanted), got: .string(got))
  }

  private static func render(_ text: String, _ input: Value) -> String {
    var selected = 0
    if case .int(let index)? = input["selected"] { selected = Int(index) }
    var roots: [(name: String, value: Value)] = [("user", unwrapped(input["user"] ?? .map([])))]
    if let theme = input["theme"], theme != .null { roots.append(("theme", withDefaults(theme))) }
    let context = TextContext(products: products(input), selected: selected, roots: roots).value
    return TemplateCases.render(
      text, context, TemplateEnvironment(dialect: .agentwallie)
    ).text
  }

  // MARK: Products

  /// The products of the slots, from the store or from the config.
  private static func products(_ input: Value) -> [TextContext.SlottedProduct] {
    let resolved = (input["resolved"]?.elements ?? [])
    let configured = (input["products"]?.elements ?? [])
    return (input["slots"]?.elements ?? []).compactMap { slot in
      guard let name = slot["slot"]?.text else { return nil }
      let productID = (slot["product"] ?? slot["product_id"])?.text
      var attributes: [Value.Entry] = []
      func add(_ name: String, _ value: Value?) {
        guard let value, value != .null else { return }
        attributes.append(Value.Entry(key: .string(name), value: value))
      }
      if let product = resolved.last(where: { $0["slot"]?.text == name }) {
        for key in [
          "price", "price_per_month", "period", "period_label", "trial_period", "trial_price",
        ] {
          add(key, product[key])
        }
        add("savings_percentage", product["savings"] ?? product["savings_percentage"])
        add("has_trial", .bool(product["trial_period"].map { $0 != .null } ?? false))
      } else if let productID,
        let product = configured.first(where: {
          ($0["store_product"] ?? $0["store_product_id"])?.text == productID
        })
          ?? configured.first(where: { $0["id"]?.text == productID })
      {
        add("price", product["display_price"])
        add("period", product["display_period"])
        add("period_label", product["display_period"])
        add("has_trial", false)
      }
      return TextContext.SlottedProduct(
        slot: name, label: slot["label"]?.text, productID: productID, attributes: .map(attributes))
    }
  }

  // MARK: Values

  /// Removes the wrappers of doubles.
  private static func unwrapped(_ value: Value) -> Value {
    switch value {
    case .list(let values): return .list(values.map(unwrapped))
    case .map(let entries):
      if entries.count == 1, case .string("$double") = entries[0].key {
        switch entries[0].value {
        case .int(let number): return .double(Double(number))
        default: return entries[0].value
        }
      }
      return .map(entries.map { Value.Entry(key: $0.key, value: unwrapped($0.value)) })
    default: return value
    }
  }

  /// Adds default values to a theme, because texts can read every key.
  private static func withDefaults(_ theme: Value) -> Value {
    guard case .map(let given) = theme, case .map(let defaults) = PaywallSchema.Theme().value else {
      return theme
    }
    return .map(
      defaults
        + given.map { entry in
          if case (.string("corner_radius"), .int(let radius)) = (entry.key, entry.value) {
            return Value.Entry(key: entry.key, value: .double(Double(radius)))
          }
          return entry
        })
  }
}
