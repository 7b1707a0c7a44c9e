package import Expressions
package import RuleEngine

/// The outcome that a test expects. Only the given fields are compared.
package struct RuleExpectation: Hashable, Sendable {
  /// The audience that decides.
  package enum Audience: Hashable, Sendable {
    case index(Int)
    /// The audience with this ID, or with an experiment of this ID.
    case id(String)
    /// No audience decides.
    case none
  }

  package var audience: Audience?
  /// The other fields of the outcome. An empty string means that the field must be missing.
  package private(set) var strings: [OutcomeField: String] = [:]
  /// The expected texts of the paywall.
  package var texts: [Text] = []

  /// A text of a paywall as the user reads it, with its name.
  package struct Text: Hashable, Sendable {
    package var name: String
    package var text: String
  }

  package init() {}

  /// All result names.
  package static let results = [
    "paywall", "holdout", "noAudienceMatch", "placementNotFound", "error", "undecidable",
  ]

  /// A difference between the expected and the actual outcome.
  package struct Difference: Hashable, Sendable {
    /// The name of the field: `result`, `audience`, `experiment`, `variant`, `paywall`, or `texts.NAME`.
    package var field: String
    package var expected: String
    package var got: String
  }

  /// The differences of a decision from the expectation, in the order of the fields.
  package func differences(from decision: Decision) -> [Difference] {
    var differences: [Difference] = []
    func compare(_ field: String, _ expected: String?, _ got: String) {
      guard let expected, !expected.utf8.elementsEqual(got.utf8) else { return }
      differences.append(
        Difference(field: field, expected: Self.shown(expected), got: Self.shown(got)))
    }
    let values = OutcomeValues(decision.outcome, audience: decision.audience)
    for field in OutcomeField.ofChoices {
      guard field == .audience else {
        compare(field.rawValue, strings[field], values.cell(field))
        continue
      }
      guard let audience, !Self.is(decision.decidingAudience, audience) else { continue }
      differences.append(
        Difference(
          field: field.rawValue, expected: audience.shown,
          got: decision.decidingAudience?.label ?? "none"))
    }
    return differences
  }

  /// The differences of a paywall's texts from the expectation.
  ///
  /// - Parameter texts: the texts that the user reads, by name.
  package func differences(from texts: [Value.Entry]) -> [Difference] {
    self.texts.compactMap { expected in
      let got = texts.first {
        $0.key.text.map { $0.utf8.elementsEqual(expected.name.utf8) } ?? false
      }
      let text = got?.value.text
      if let text, text.utf8.elementsEqual(expected.text.utf8) { return nil }
      return Difference(
        field: "texts.\(expected.name)", expected: Value.string(expected.text).json,
        got: text.map { Value.string($0).json } ?? "none")
    }
  }

  private static func shown(_ text: String) -> String { text.isEmpty ? "none" : text }

  /// Reports names that the placement does not have, each with a suggestion.
  ///
  /// - Parameter audiences: the audiences of the placement.
  func unknownNames(_ audiences: [RuleEngine.Audience]) -> [String] {
    var lines: [String] = []
    func check(_ what: String, _ name: String, _ known: [String]) {
      guard !name.isEmpty, !known.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else {
        return
      }
      let hint =
        Suggestion.closest(to: name, among: known).map { "did you mean '\($0)'?" }
        ?? (known.isEmpty ? "it has none" : "it has \(known.prefix(10).joined(separator: ", "))")
      lines.append("the placement has no \(what) '\(name)'; \(hint)")
    }
    if case .id(let id)? = audience {
      check("audience", id, Self.distinct(audiences.flatMap { [$0.id, $0.experimentID] }))
    }
    let variants = audiences.flatMap { $0.variants }
    check(
      "experiment", strings[.experiment] ?? "", Self.distinct(audiences.map { $0.experimentID }))
    check("variant", strings[.variant] ?? "", Self.distinct(variants.map { $0.id }))
    check(
      "paywall", strings[.paywall] ?? "", Self.distinct(variants.map { $0.paywallID }))
    return lines
  }

  private static func distinct(_ names: [String?]) -> [String] {
    var seen: Set<String> = []
    return names.compactMap { $0 }.filter { !$0.isEmpty && seen.insert($0).inserted }
  }

  private static func `is`(_ audience: RuleEngine.Audience?, _ expected: Audience) -> Bool {
    switch expected {
    case .none: audience == nil
    case .index(let index): audience?.index == index
    case .id(let id):
      audience.map { $0.id == id || $0.experimentID.utf8.elementsEqual(id.utf8) } ?? false
    }
  }
}

extension RuleExpectation.Audience {
  fileprivate var shown: String {
    switch self {
    case .index(let index): String(index)
    case .id(let id): id
    case .none: "none"
    }
  }
}

extension RuleExpectation {
  /// The reason why a test's expectation is invalid, in words.
  package struct Fault: Error, Hashable, Sendable {
    package var message: String

    package init(_ message: String) { self.message = message }
  }

  private static let keys = OutcomeField.ofChoices.map { $0.rawValue } + ["texts"]

  /// - Parameter value: the `expect` member of a test.
  package init(_ value: Value) throws(Fault) {
    guard case .map(let members) = value else {
      throw Fault("'expect' must be an object, such as {\"result\":\"paywall\"}")
    }
    for member in members {
      let key = member.key.text ?? ""
      switch (key, OutcomeField.ofChoices.first { $0.rawValue == key }) {
      case (_, .result?): try set(.result, to: member.value.text)
      case (_, .audience?): audience = try Self.audience(member.value)
      case (_, let field?): try set(field, to: Self.text(member.value, key))
      case ("texts", _): texts = try Self.texts(member.value)
      default:
        let close = Suggestion.closest(to: key, among: Self.keys)
        throw Fault(
          "'expect' has the unknown key '\(key)'; "
            + (close.map { "did you mean '\($0)'?" }
              ?? "it takes \(Self.keys.joined(separator: ", "))"))
      }
    }
    if members.isEmpty { throw Fault("'expect' is empty: write at least the result") }
  }

  /// Expects a field to have a value.
  ///
  /// - Parameters:
  ///   - field: any field except the audience.
  ///   - text: for the result, one of ``results``.
  package mutating func set(_ field: OutcomeField, to text: String?) throws(Fault) {
    guard field == .result else {
      strings[field] = text
      return
    }
    if let text, Self.results.contains(text) {
      strings[.result] = text
      return
    }
    let close = text.flatMap { Suggestion.closest(to: $0, among: Self.results) }
    throw Fault(
      "the result must be one of \(Self.results.joined(separator: ", "))"
        + (text.map { ", not '\($0)'" } ?? "") + (close.map { "; did you mean '\($0)'?" } ?? ""))
  }

  private static func audience(_ value: Value) throws(Fault) -> Audience {
    switch value {
    case .null: return .none
    case .int(let index) where index >= 0 && index < 1 << 31: return .index(Int(index))
    case .string(let id) where !id.isEmpty: return .id(id)
    default: throw Fault("'audience' must be a number from 0, an ID, or null for no audience")
    }
  }

  private static func texts(_ value: Value) throws(Fault) -> [Text] {
    guard case .map(let members) = value else {
      throw Fault("'texts' must be an object, such as {\"headline\":\"Go Pro\"}")
    }
    var texts: [Text] = []
    for member in members {
      guard let name = member.key.text, let text = member.value.text else {
        throw Fault("'texts' must map each name to a string")
      }
      texts.append(Text(name: name, text: text))
    }
    return texts
  }

  private static func text(_ value: Value, _ key: String) throws(Fault) -> String {
    if value == .null { return "" }
    guard let text = value.text else {
      throw Fault("'\(key)' must be an ID in quotes, or null")
    }
    return text
  }
}
