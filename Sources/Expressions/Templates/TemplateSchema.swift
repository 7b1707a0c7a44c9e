/// The values that a template may read, by name.
///
/// ```swift
/// let schema = TemplateSchema(.object([("user", .object([("name", .scalar(.string))], isOpen: false))], isOpen: false))
/// TemplateEnvironment().analyze("Hello {{ user.name }}").check(against: schema).count  // 0
/// ```
package struct TemplateSchema: Sendable {
  /// The known facts about a value.
  package indirect enum Shape: Sendable {
    /// Any value.
    case any
    case scalar(TemplateType)
    case list(Shape)
    /// A map with these members. An open map may have other members.
    case object([(name: String, shape: Shape)], isOpen: Bool)
    /// A value that may be absent.
    case optional(Shape)
    /// Exactly this value, which is neither a map nor missing.
    case value(Value)
  }

  /// A special message for names that are missing in an object.
  package struct Absence: Sendable {
    /// The path of the object.
    package var path: [String]
    package var code: Diagnostic.Code
    /// The words before the missing name: `the list has no column`.
    package var message: String
    /// Members that are not suggested as replacements for the name.
    package var unlisted: [String]

    package init(
      path: [String], code: Diagnostic.Code, message: String, unlisted: [String] = []
    ) {
      self.path = path
      self.code = code
      self.message = message
      self.unlisted = unlisted
    }
  }

  /// The roots by name, as one object.
  package var root: Shape
  package var absences: [Absence] = []

  package init(_ root: Shape) { self.root = root }

  /// The schema of one context, in which exactly the context's members exist.
  package init(of context: Value) { root = TemplateSchema.shape(of: context) }

  private static func shape(of value: Value) -> Shape {
    guard case .map(let entries) = value else { return .value(value) }
    return .object(
      entries.compactMap { entry in
        if case .string(let name) = entry.key { (name, shape(of: entry.value)) } else { nil }
      }, isOpen: false)
  }

  /// The result of following a path.
  enum Finding {
    case found(Shape)
    /// The name at this place is missing. The known names exist.
    case unknown(place: Int, known: [String])
    /// The name at this place follows a value that has no members.
    case behindValue(place: Int, TemplateType)
    /// The value may be absent.
    case absent
  }

  /// Follows names, including indexes and computed names (nil).
  ///
  /// - Parameter isThere: whether the value after this number of names exists, although it may be absent.
  func find(_ names: [String?], isThere: (Int) -> Bool = { _ in false }) -> Finding {
    var shape = root.withoutValue
    for (place, name) in names.enumerated() {
      if case .optional(let certain) = shape {
        guard isThere(place) else { return .absent }
        shape = certain.withoutValue
      }
      defer { shape = shape.withoutValue }
      switch shape {
      case .any: return .found(.any)
      case .list(let element):
        guard let name else {
          shape = element
          continue
        }
        switch name {
        case "size", "length": shape = .scalar(.number)
        case "first", "last": shape = element
        default:
          guard Int(name) != nil else { return .behindValue(place: place, .list) }
          shape = element
        }
      case .object(let members, let isOpen):
        guard let name else { return .found(.any) }
        if let member = members.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
          shape = member.shape
        } else if name == "size" || name == "first" {
          shape = .any
        } else if isOpen {
          return .found(.any)
        } else {
          return .unknown(place: place, known: members.map { $0.name })
        }
      case .scalar(let type):
        if type == .string, name == "size" || name == "length" || name == "first" || name == "last"
        {
          shape = .scalar(name == "size" || name == "length" ? .number : .string)
        } else if name == nil {
          return .found(.any)
        } else {
          return .behindValue(place: place, type)
        }
      case .optional, .value: return .absent
      }
    }
    if case .optional(let certain) = shape {
      return isThere(names.count) ? .found(certain.withoutValue) : .absent
    }
    return .found(shape)
  }

  /// The known facts about the value at a path.
  enum Known {
    /// The value after this number of names. The remaining names refer to members of the value.
    case value(Value, names: Int)
    /// The value is missing.
    case absent
    case unknown
  }

  /// The value at a path, or the value whose members the remaining names refer to.
  func known(_ names: [String?]) -> Known {
    var shape = root
    for (place, name) in names.enumerated() {
      switch shape {
      case .value(let value): return .value(value, names: place)
      case .object(let members, isOpen: false):
        // An object also has a size and a first member.
        guard let name, name != "size", name != "first" else { return .unknown }
        guard let member = members.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
          return .absent
        }
        shape = member.shape
      default: return .unknown
      }
    }
    if case .value(let value) = shape { return .value(value, names: names.count) }
    return .unknown
  }
}

extension TemplateSchema.Shape {
  /// The kind of value.
  package var type: TemplateType {
    switch self {
    case .any: .any
    case .scalar(let type): type
    case .list: .list
    case .object: .object
    case .optional(let shape): shape.type
    case .value: withoutValue.type
    }
  }

  /// The type of the value, which other values have too.
  package var withoutValue: TemplateSchema.Shape {
    guard case .value(let value) = self else { return self }
    switch value {
    case .null: return .optional(.any)
    case .bool: return .scalar(.bool)
    case .int, .uint, .double: return .scalar(.number)
    case .string: return .scalar(.string)
    case .list(let values):
      guard let first = values.first else { return .list(.any) }
      return .list(TemplateSchema(of: first).root)
    default: return .any
    }
  }
}
