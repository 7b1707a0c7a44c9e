package import Expressions
package import Pricing
package import RuleEngine

/// The functions that rules can call, with the languages and SDKs that support them.
package enum FunctionReference {
  package struct Entry: Sendable {
    package let page: FunctionPage
    /// The SDKs that have the function; empty for a function that only CEL has.
    package let platforms: [Platform]

    package var name: String { page.names.first ?? "" }

    /// Whether rules in a language can call the function.
    package func isKnown(in language: RuleLanguage) -> Bool {
      switch language {
      case .cel: page.dialects.contains(.cel)
      case .superscript(let profile): platforms.contains(profile.platform)
      }
    }

    /// The function as JSON:
    /// `{"name","family","signatures":[..],"summary","example","dialects":[..],"platforms":[..]}`.
    package var json: Value {
      [
        "name": .string(name), "family": .string(page.family.rawValue),
        "signatures": .list(page.signatures.map { .string($0.text) }),
        "summary": .string(page.summary), "example": .string(page.example),
        "dialects": .list(page.dialects.map { .string($0.rawValue) }),
        "platforms": .list(platforms.map { .string($0.rawValue) }),
      ]
    }
  }

  /// All functions, by family and name.
  package static let entries: [Entry] = {
    let own = FunctionPage.all.map {
      Entry(page: $0, platforms: $0.dialects.contains(.superscript) ? [.ios, .android, .web] : [])
    }
    let host = HostFunction.allCases.map { Entry(page: $0.page, platforms: $0.platforms) }
    let families = FunctionFamily.allCases
    let sorted = (own + host).enumerated().sorted { a, b in
      let (family, other) = (a.element.page.family, b.element.page.family)
      if family != other {
        return families.firstIndex(of: family) ?? 0 < families.firstIndex(of: other) ?? 0
      }
      let (name, otherName) = (a.element.name.lowercased(), b.element.name.lowercased())
      return name == otherName ? a.offset < b.offset : name < otherName
    }
    return sorted.map { $0.element }
  }()

  /// The names of all functions, each once.
  package static let names: [String] = entries.flatMap { $0.page.names }.reduce(into: []) {
    if !$0.contains($1) { $0.append($1) }
  }

  /// The functions with a name; without any, the methods with that name after a dot.
  package static func entries(named name: String) -> [Entry] {
    let exact = entries.filter { $0.page.names.contains(name) }
    if !exact.isEmpty { return exact }
    return entries.filter { $0.page.names.contains { $0.hasSuffix(".\(name)") } }
  }
}
