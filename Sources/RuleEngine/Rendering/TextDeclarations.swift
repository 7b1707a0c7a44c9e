package import Expressions
package import Pricing

/// What texts may read, known before there is a user: the products of a paywall, and what is declared
/// of users.
package struct TextDeclarations: Sendable {
  /// By root (`user`, `device`, `params`): what is declared; a root that is not is open.
  private var roots: [(name: String, shape: TemplateSchema.Shape)] = []
  /// What is wrong with the declarations.
  package private(set) var diagnostics: [Diagnostic] = []

  /// Roots that there always are.
  private static let openRoots = ["user", "device", "params", "state", "theme"]

  /// Whether there is `user.id`, as in everything of AgentWallie's, declared or not.
  package var hasUserID = false

  /// Nothing is known of users.
  package init() {}

  /// Reads `{"user": {"age": "int", "roles": {"list": "string"}, "plan": {"enum": ["free"]}}}`. Types
  /// are those of ``AttributeDescription``; with a `?` behind, the value may be absent; an object
  /// without `type`, `list` and `enum` is an object.
  package init(json: some Sequence<UInt8>) {
    let bytes = Array(json)
    do throws(JSONFault) {
      let root = try Value.parse(json: bytes)
      guard case .map(let entries) = root else {
        diagnostics.append(Diagnostic(.decodeFailure, "declarations must be an object of roots"))
        return
      }
      // What `tollgate schema` says of the users that it has read.
      for entry in entries where entry.key.text != "learned" {
        guard let name = entry.key.text else { continue }
        roots.append((name, shape(entry.value, name)))
      }
    } catch {
      diagnostics.append(Diagnostic(error, in: bytes))
    }
  }

  private mutating func shape(_ value: Value, _ path: String) -> TemplateSchema.Shape {
    switch value {
    case .string(let name):
      let isOptional = AttributeDescription.type(name).isOptional
      let shape = scalar(name, path)
      return isOptional ? .optional(shape) : shape
    case .map(let entries):
      if let described = described(value, path) { return described }
      var members: [(name: String, shape: TemplateSchema.Shape)] = []
      for entry in entries {
        guard let name = entry.key.text else { continue }
        members.append((name, shape(entry.value, path + "." + name)))
      }
      return .object(members, isOpen: false)
    default:
      diagnostics.append(
        Diagnostic(
          .decodeFailure, "this is not a type", path: path,
          suggestion: "write \"string\", \"int\", {\"list\": \"string\"} or {\"enum\": [..]}"))
      return .any
    }
  }

  /// A type with what was learned of its values beside it, such as how many users have one; nil for an
  /// object with members of its own.
  private mutating func described(_ value: Value, _ path: String) -> TemplateSchema.Shape? {
    let known = AttributeDescription.keys
    guard value.members?.allSatisfy({ known.contains($0.key) }) == true else { return nil }
    let type: TemplateSchema.Shape
    if let list = value["list"] {
      type = .list(shape(list, path))
    } else if let words = value["enum"], case .list = words {
      type = .scalar(.string)
    } else if let name = value["type"]?.text {
      type = scalar(name, path)
    } else {
      return nil
    }
    return value["required"] == .bool(false) ? .optional(type) : type
  }

  private mutating func scalar(_ type: String, _ path: String) -> TemplateSchema.Shape {
    let name = AttributeDescription.type(type).name
    if let known = AttributeDescription.types.first(where: { $0.word == name }) {
      return Self.shape(known.type)
    }
    let close = Suggestion.closest(to: name, among: AttributeDescription.types.map(\.word))
    diagnostics.append(
      Diagnostic(
        .decodeFailure, "'\(type)' is not a type", path: path,
        suggestion: close.map { "did you mean '\($0)'?" }
          ?? "write string, int, double, bool, timestamp or any"))
    return .any
  }

  private static func shape(_ type: AttributeDescription.ValueType) -> TemplateSchema.Shape {
    switch type {
    case .any: .any
    case .bool: .scalar(.bool)
    case .number: .scalar(.number)
    case .string, .time, .span: .scalar(.string)
    case .list: .list(.any)
    case .map: .object([], isOpen: true)
    case .null: .optional(.any)
    }
  }

  // MARK: Products

  /// What is known of a product.
  package struct Product: Sendable {
    package var slot: String
    /// Whether every paywall that is meant has the slot.
    package var isCertain: Bool
    let shape: TemplateSchema.Shape

    /// A product whose attributes are known.
    package init(_ product: TextContext.SlottedProduct) {
      slot = product.slot
      isCertain = true
      shape = TemplateSchema(of: product.value).root
    }

    /// A product of which only the names of attributes are known.
    package init(slot: String, profile: PricingProfile, isCertain: Bool = true) {
      self.slot = slot
      self.isCertain = isCertain
      let schema = profile.schema
      let isText = profile != .agentWallie && profile != .checkout
      var members = schema.names.enumerated().map { place, name in
        (
          name: name,
          shape: isText && place < schema.ownCount ? .scalar(.string) : TemplateSchema.Shape.any
        )
      }
      for name in ["slot", "label", "product_id"]
      where !members.contains(where: { $0.name == name }) {
        members.append((name, .scalar(.string)))
      }
      shape = .object(members, isOpen: false)
    }
  }

  /// What texts may read on a paywall with these products; nil where nothing is known of products,
  /// so that any may be read.
  package func schema(products: [Product]?) -> TemplateSchema {
    guard let products else {
      return schema(([("products", .any)] + TextContext.rootSlots.map { ($0, .any) }))
    }
    var slots: [(name: String, shape: TemplateSchema.Shape)] = []
    for product in products {
      slots.append((product.slot, product.isCertain ? product.shape : .optional(product.shape)))
    }
    if let first = products.first {
      slots.append(("selected", merged(products, first.shape)))
      slots.append(("selectedIndex", .scalar(.number)))
      slots.append(("hasIntroductoryOffer", .scalar(.bool)))
    }
    var members: [(name: String, shape: TemplateSchema.Shape)] = [
      ("products", .object(slots, isOpen: false))
    ]
    for name in TextContext.rootSlots {
      guard let product = products.last(where: { $0.slot == name }) else { continue }
      members.append((name, product.shape))
    }
    return schema(members)
  }

  private func schema(_ products: [(name: String, shape: TemplateSchema.Shape)]) -> TemplateSchema {
    var members = products + roots.map { ($0.name, withUsual($0.shape, $0.name)) }
    for name in TextDeclarations.openRoots where !members.contains(where: { $0.name == name }) {
      members.append((name, .object([], isOpen: true)))
    }
    var schema = TemplateSchema(.object(members, isOpen: false))
    schema.absences = [
      TemplateSchema.Absence(
        path: ["products"], code: .unknownProduct, message: "no product fills the slot",
        unlisted: TextDeclarations.besideSlots)
    ]
    return schema
  }

  /// Members of `products` that are not slots.
  private static let besideSlots = ["selected", "selectedIndex", "hasIntroductoryOffer"]

  /// A declared root with the attributes that a record has wherever they are said.
  private func withUsual(_ shape: TemplateSchema.Shape, _ root: String) -> TemplateSchema.Shape {
    guard case .object(var members, let isOpen) = shape else { return shape }
    for known in UserMember.attributes(hasUserID: hasUserID)
    where known.root.key == root && !members.contains(where: { $0.name == known.name }) {
      let isList = known.member.kind == .texts
      members.append((known.name, isList ? .list(.scalar(.string)) : .scalar(.string)))
    }
    return .object(members, isOpen: isOpen)
  }

  /// What any product may have, since any may be selected.
  private func merged(_ products: [Product], _ first: TemplateSchema.Shape) -> TemplateSchema.Shape
  {
    guard case .object(let members, _) = first, products.count > 1 else { return first }
    var merged = members
    var counts = members.map { _ in 1 }
    for product in products.dropFirst() {
      guard case .object(let others, _) = product.shape else { continue }
      for other in others {
        if let place = merged.firstIndex(where: { $0.name == other.name }) {
          merged[place].shape = merged[place].shape.common(with: other.shape)
          counts[place] += 1
        } else {
          merged.append(other)
          counts.append(1)
        }
      }
    }
    // What some of the products lack is not known.
    for place in merged.indices where counts[place] < products.count {
      merged[place].shape = merged[place].shape.withoutValue
    }
    return .object(merged, isOpen: false)
  }

  // MARK: Checking

  /// Holds a text against what it may read.
  package func check(_ analysis: TemplateAnalysis, products: [Product]?) -> [Diagnostic] {
    analysis.check(against: schema(products: products))
  }

  /// What a text reads of products and does not get, as warnings.
  package static func missing(
    in analysis: TemplateAnalysis, products: [TextContext.SlottedProduct]
  ) -> [Diagnostic] {
    // Other roots are the user's, of whom nothing is declared.
    let roots = ["products"] + TextContext.rootSlots
    let places = analysis.reads.filter { read in roots.contains { $0 == read.names.first } }
      .map(\.range)
    let found = TextDeclarations().check(analysis, products: products.map { Product($0) })
    return found.compactMap { diagnostic in
      guard [.unknownAttribute, .unknownProduct].contains(diagnostic.code),
        let range = diagnostic.range, places.contains(range)
      else { return nil }
      var warning = diagnostic
      warning.severity = .warning
      if products.isEmpty {
        warning.code = .unknownProduct
        warning.message = "there are no products, and the text reads one"
        warning.suggestion = "give the products of the paywall"
      }
      return warning
    }
  }

  /// The products that none of the texts of a paywall speaks of.
  package static func unused(_ products: [Product], by texts: [TemplateAnalysis]) -> [Diagnostic] {
    let reads = texts.flatMap(\.reads)
    return products.filter { product in !reads.contains { reach($0, product.slot) } }.map {
      product in
      Diagnostic(
        .unusedProduct, "no text mentions the product in slot '\(product.slot)'",
        severity: .warning)
    }
  }

  private static func reach(_ read: TemplateAnalysis.Read, _ slot: String) -> Bool {
    guard let root = read.names.first.flatMap({ $0 }) else { return true }
    if root == "products" {
      guard read.names.count > 1, let name = read.names[1] else { return true }
      return name == slot || name == "selected"
    }
    return root == slot && TextContext.rootSlots.contains(slot)
  }
}

extension TemplateSchema.Shape {
  /// What is known of a value that has one of two shapes.
  fileprivate func common(with other: TemplateSchema.Shape) -> TemplateSchema.Shape {
    if case .value(let one) = self, case .value(let two) = other, one == two { return self }
    return type == other.type ? withoutValue : .any
  }
}
