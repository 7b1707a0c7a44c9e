internal import Expressions
internal import RuleEngine

/// What attributes there are and what they hold, as far as it is known. What is not declared may be
/// anything.
package struct ContextSchema: Hashable, Sendable {
  /// What a value is.
  package indirect enum Kind: Hashable, Sendable {
    case any, null, bool, number, time, span, map
    /// One of these texts; any text where there are none.
    case text(oneOf: [String])
    case list(Kind)

    package static let anyText = Kind.text(oneOf: [])
  }

  package struct Attribute: Hashable, Sendable {
    package var kind: Kind
    /// Whether every user has it.
    package var isAlwaysThere: Bool
    /// Whether a schema says that some users lack it. What it leaves open is neither this nor
    /// ``isAlwaysThere``.
    var isOptional = false
    /// The number of users that have it, where a schema was learned from users.
    var present: Int?
    /// The values of each type, by its word, where there are several types.
    var types: [String: Int] = [:]

    package init(_ kind: Kind, isAlwaysThere: Bool = false) {
      self.kind = kind
      self.isAlwaysThere = isAlwaysThere
    }
  }

  /// By root, the attributes by name.
  package private(set) var roots: [String: [String: Attribute]]
  /// Roots of which all attributes are known, so that another name is worth a word.
  package var completeRoots: Set<String>
  /// The number of users that it was learned from; nil for other schemas.
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

  /// What is known of the attribute at a path of two names.
  func attribute(_ path: [String]) -> Attribute? {
    path.count == 2 ? roots[path[0]]?[path[1]] : nil
  }

  func names(in root: String) -> [String] { (roots[root] ?? [:]).keys.sorted() }

  /// What both know; where they say different things, the other one is right. What users lack that the
  /// other one was learned from may be missing, whatever SDKs send.
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
      result.roots[root, default: [:]].merge(attributes) { own, other in
        var other = other
        // A type alone leaves open who has the attribute.
        if !other.isOptional { other.isAlwaysThere = other.isAlwaysThere || own.isAlwaysThere }
        return other
      }
    }
    result.completeRoots.formUnion(other.completeRoots)
    return result
  }

  /// Whether commands work an attribute out when records lack it: the clock's, those of a placement, and
  /// those that follow from another attribute.
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

  /// Attributes that follow from others.
  private static let sources = [
    "appVersionPadded": "appVersion", "sdkVersionPadded": "sdkVersion",
    "daysSinceInstall": "appInstallDate", "minutesSinceInstall": "appInstallDate",
  ]
}

extension ContextSchema.Kind {
  /// What it is called in messages.
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

  /// Whether values are of one kind, whichever they are.
  func isLike(_ other: Self) -> Bool {
    switch (self, other) {
    case (.any, _), (_, .any), (.null, _), (_, .null), (.text, .text), (.list, .list): true
    default: self == other
    }
  }

  /// What is one or the other.
  func joined(_ other: Self) -> Self {
    switch (self, other) {
    case (.text(let a), .text(let b)):
      a.isEmpty || b.isEmpty ? .anyText : .text(oneOf: a + b.filter { !a.contains($0) })
    case (.list(let a), .list(let b)): .list(a.joined(b))
    default: self == other ? self : .any
    }
  }
}
