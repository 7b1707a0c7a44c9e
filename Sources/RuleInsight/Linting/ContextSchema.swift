internal import Expressions
internal import RuleEngine

/// The known attributes and their types. Undeclared attributes may have any type.
package struct ContextSchema: Hashable, Sendable {
  /// The type of a value.
  package indirect enum Kind: Hashable, Sendable {
    case any, null, bool, number, time, span, map
    /// One of these strings, or any string if there are none.
    case text(oneOf: [String])
    case list(Kind)

    package static let anyText = Kind.text(oneOf: [])
  }

  package struct Attribute: Hashable, Sendable {
    package var kind: Kind
    /// Whether every user has the attribute.
    package var isAlwaysThere: Bool
    /// Whether a schema states that some users lack the attribute. Without such a statement,
    /// neither this property nor ``isAlwaysThere`` is true.
    var isOptional = false
    /// The number of users that have the attribute, if the schema was learned from users.
    var present: Int?
    /// The number of values of each type, if there are several types. The keys are the words of schemas.
    var types: [String: Int] = [:]

    /// Whether the attribute was learned from so few users that other users may have other strings.
    var isSample: Bool { present.map { $0 < 30 } ?? false }

    package init(_ kind: Kind, isAlwaysThere: Bool = false) {
      self.kind = kind
      self.isAlwaysThere = isAlwaysThere
    }
  }

  /// The attributes of each root, by name.
  package private(set) var roots: [String: [String: Attribute]]
  /// Roots whose attributes are all known, so that other names are reported.
  package var completeRoots: Set<String>
  /// The number of users that the schema was learned from; nil for other schemas.
  package var users: Int?

  package init(
    _ roots: [String: [String: Attribute]] = [:], completeRoots: Set<String> = []
  ) {
    self.roots = roots
    self.completeRoots = completeRoots
  }

  package subscript(root: String, name: String) -> Attribute? {
    get { roots[root]?[name] }
    set { roots[root, default: [:]][name] = newValue }
  }

  /// The known attribute at a path of two names.
  func attribute(_ path: [String]) -> Attribute? {
    path.count == 2 ? roots[path[0]]?[path[1]] : nil
  }

  func names(in root: String) -> [String] { (roots[root] ?? [:]).keys.sorted() }

  /// Merges two schemas. If they contradict each other, the other schema takes precedence. An
  /// attribute that some learned users lack may be missing, even if SDKs always send it.
  package func overridden(by other: ContextSchema) -> ContextSchema {
    var result = self
    if other.users != nil {
      for root in ContextSchema.rootNames {
        for name in names(in: root) where !other.isDerived(root, name) {
          result.roots[root]?[name]?.isAlwaysThere = false
        }
      }
    }
    result.users = other.users ?? users
    for (root, attributes) in other.roots {
      result.roots[root, default: [:]].combine(attributes) { own, other in
        var other = other
        // A type alone does not determine which users have the attribute.
        if !other.isOptional { other.isAlwaysThere = other.isAlwaysThere || own.isAlwaysThere }
        // Users may not have every string that SDKs send.
        if other.present != nil, case .text(let words) = own.kind, !words.isEmpty,
          case .text = other.kind
        {
          other.kind = own.kind.joined(other.kind)
        }
        return other
      }
    }
    result.completeRoots.formUnion(other.completeRoots)
    return result
  }

  /// Whether commands derive an attribute that records lack: from the clock, from a placement, or
  /// from another attribute.
  private func isDerived(_ root: String, _ name: String) -> Bool {
    switch root {
    case "params": true
    case "device":
      ContextSchema.clock.contains(name)
        || ContextSchema.sources[name].map { self["device", $0] != nil } ?? false
    default: false
    }
  }

  private static let clock: Set<String> = [
    "utcDate", "localDate", "utcTime", "localTime", "utcDateTime", "localDateTime",
  ]

  /// Attributes that other attributes are derived from.
  private static let sources = [
    "appVersionPadded": "appVersion", "sdkVersionPadded": "sdkVersion",
    "daysSinceInstall": "appInstallDate", "minutesSinceInstall": "appInstallDate",
  ]
}

extension ContextSchema.Kind {
  /// The name of the type in messages.
  var name: String {
    switch self {
    case .any: "anything"
    case .null: "null"
    case .bool: "a bool"
    case .number: "a number"
    case .time: "a time"
    case .span: "a duration"
    case .map: "a map"
    case .text: "a string"
    case .list: "a list"
    }
  }

  /// Whether values are of the same basic type.
  func isLike(_ other: Self) -> Bool {
    switch (self, other) {
    case (.any, _), (_, .any), (.null, _), (_, .null), (.text, .text), (.list, .list): true
    default: self == other
    }
  }

  /// The union of the types of a list's elements. There may be thousands of elements.
  static func union(_ kinds: [Self]) -> Self {
    guard let first = kinds.first else { return .any }
    var (words, known): ([String], Set<String>) = ([], [])
    for kind in kinds {
      guard case .text(let own) = kind, !own.isEmpty else {
        return kinds.dropFirst().reduce(first) { $0.joined($1) }
      }
      for word in own where known.insert(word).inserted { words.append(word) }
    }
    return .text(oneOf: words)
  }

  /// The union of two types.
  func joined(_ other: Self) -> Self {
    switch (self, other) {
    case (.text(let a), .text(let b)):
      a.isEmpty || b.isEmpty ? .anyText : .text(oneOf: a + b.filter { !a.contains($0) })
    case (.list(let a), .list(let b)): .list(a.joined(b))
    default: self == other ? self : .any
    }
  }
}
