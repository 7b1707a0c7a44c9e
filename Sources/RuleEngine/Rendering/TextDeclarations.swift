package import Expressions
package import Pricing

/// The values that texts may read: the products of a paywall, and the declared attributes of users.
package struct TextDeclarations: Sendable {
  /// The declared attributes by root (`user`, `device`, `params`). A root without a declaration is
  /// open.
  private var roots: [(name: String, shape: TemplateSchema.Shape)] = []
  /// Problems in the declarations.
  package private(set) var diagnostics: [Diagnostic] = []

  /// Roots that always exist.
  private static let openRoots = ["user", "device", "params", "state", "theme"]

  /// Whether `user.id` exists without a declaration, as for AgentWallie.
  package var hasUserID = false

  /// Creates declarations without attributes of users.
  package init() {}

  /// Reads `{"user": {"age": "int", "roles": {"list": "string"}, "plan": {"enum": ["free"]}}}`.
  /// Types are those of ``AttributeDescription``. A trailing `?` makes the value optional. An
  /// object without `type`, `list` and `enum` describes an object.
  package init(json: some Sequence<UInt8>) {
    let bytes = Array(json)
    do throws(JSONFault) {
      let root = try Value.parse(json: bytes)
      guard case .map(let entries) = root else {
        diagnostics.append(Diagnostic(.decodeFailure, "declarations must be an object of roots"))
        return
      }
      // The member `learned` contains the data that `tollgate schema` learned from users.
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

  /// Reads a type with learned data, such as the number of users that have a value. Nil for an object with members of
  /// its own.
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
    let close = Suggestion.closest(to: name, among: AttributeDescription.types.map { $0.word })
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

  /// The known attributes of a product.
  package struct Product: Sendable {
    package var slot: String
    /// Whether every paywall has the slot.
    package var isCertain: Bool
    let shape: TemplateSchema.Shape

    /// Creates a product whose attributes are known.
    package init(_ product: TextContext.SlottedProduct) {
      slot = product.slot
      isCertain = true
      shape = TemplateSchema(of: product.value).root
    }

    /// Creates a product with known attribute names but unknown values.
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

  /// The values that texts may read on a paywall with these products; nil if no products are known, because texts may
  /// then read any value.
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

  /// Adds the attributes that every record can set, at the top level or in the root, to a declared root.
  private func withUsual(_ shape: TemplateSchema.Shape, _ root: String) -> TemplateSchema.Shape {
    guard case .object(var members, let isOpen) = shape else { return shape }
    for known in UserMember.attributes(hasUserID: hasUserID)
    where known.root.key == root && !members.contains(where: { $0.name == known.name }) {
      let isList = known.member.kind == .texts
      members.append((known.name, isList ? .list(.scalar(.string)) : .scalar(.string)))
    }
    return .object(members, isOpen: isOpen)
  }

  /// The attributes that the selected product may have. Any of the products may be selected.
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
    // A value is unknown if some of the products lack it.
    for place in merged.indices where counts[place] < products.count {
      merged[place].shape = merged[place].shape.withoutValue
    }
    return .object(merged, isOpen: false)
  }

  // MARK: Checking

  /// Checks a text against the values that it may read.
  package func check(_ analysis: TemplateAnalysis, products: [Product]?) -> [Diagnostic] {
    analysis.check(against: schema(products: products))
  }

  /// Warnings about missing product values that a text reads.
  package static func missing(
    in analysis: TemplateAnalysis, products: [TextContext.SlottedProduct]
  ) -> [Diagnostic] {
    // Other roots contain attributes of users, which are not declared here.
    let roots = ["products"] + TextContext.rootSlots
    let places = analysis.reads.filter { read in roots.contains { $0 == read.names.first } }
      .map { $0.range }
    let found = TextDeclarations().check(analysis, products: products.map { Product($0) })
    return found.compactMap { diagnostic in
      guard [.unknownAttribute, .unknownProduct].contains(diagnostic.code),
        let range = diagnostic.range, places.contains(range)
      else { return nil }
      var warning = diagnostic
      warning.severity = .warning
      if products.isEmpty {
        warning.code = .unknownProduct
        warning.message = "the text reads a product, but no products are given"
        warning.suggestion = "pass the products of the paywall"
      }
      return warning
    }
  }

  /// The products that the texts of a paywall do not mention.
  package static func unused(_ products: [Product], by texts: [TemplateAnalysis]) -> [Diagnostic] {
    let reads = texts.flatMap { $0.reads }
    return products.filter { product in !reads.contains { reach($0, product.slot) } }.map {
      product in
      Diagnostic(
        .unusedProduct, "no paywall text mentions the product in slot '\(product.slot)'",
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
  /// The shape of a value that may have either of two shapes.
  fileprivate func common(with other: TemplateSchema.Shape) -> TemplateSchema.Shape {
    if case .value(let one) = self, case .value(let two) = other, one == two { return self }
    return type == other.type ? withoutValue : .any
  }
}
