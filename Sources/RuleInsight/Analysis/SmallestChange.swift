package import Expressions
package import RuleEngine

/// The smallest number of a user's attributes that must change for an audience to match.
package struct SmallestChange {
  package enum Verdict: String, Sendable {
    /// A change makes the audience match.
    case found
    /// The audience does not match this user, whatever the attributes are, which is proved.
    case none
    case unknown
  }

  /// An attribute with another value; nil is a missing attribute.
  package struct Change: Equatable {
    package var path: String
    package var from: Value?
    package var to: Value?

    package init(path: String, from: Value?, to: Value?) {
      self.path = path
      self.from = from
      self.to = to
    }
  }

  /// The maximum number of attributes that are changed together.
  package static let most = 4

  package var verdict: Verdict
  /// The required changes; empty when the audience already matches the user.
  package var changes: [Change] = []
  /// Attributes that no rule reads, but that change with ``changes``, such as a version with its
  /// padded form.
  package var follows: [Change] = []
  /// The largest number of attributes for which it is proved that no change is enough.
  package var excluded = 0
  /// The reason why there is no change, or why the result is unknown.
  package var why: String?
  /// The steps of the search.
  package var steps = 0

  /// The result as JSON: `{"verdict", "changes": [{"path", "from"?, "to"?}], "excluded", "follows"?,
  /// "why"?}`. A missing `from` or `to` means that the attribute is missing.
  package var value: Value {
    .members([
      "verdict": .string(verdict.rawValue), "changes": .list(changes.map { $0.value }),
      "excluded": .int(Int64(excluded)),
      "follows": follows.isEmpty ? nil : .list(follows.map { $0.value }),
      "why": why.map { .string($0) },
    ])
  }

  /// The result in words.
  ///
  /// - Parameter audience: the audience's label, such as `1 (export-free)`.
  package func lines(audience: String) -> [String] {
    switch verdict {
    case .none:
      let text =
        "No change of attributes makes audience \(audience) take this user"
        + (why.map { ": \($0)" } ?? "") + "."
      return [text]
    case .unknown:
      let known =
        excluded == 0
        ? "It is unknown whether a change of attributes makes audience \(audience) take this user"
        : "No change of \(Self.count(excluded, "attribute")) makes audience \(audience) take this "
          + "user; a larger change might"
      return [known + (why.map { ": \($0)" } ?? "") + "."]
    case .found where changes.isEmpty: return ["Audience \(audience) takes this user."]
    case .found:
      var text = "Audience \(audience) would take this user if "
      text +=
        changes.map { $0.text }.joined(separator: changes.count > 2 ? ", and " : " and ") + "."
      var lines = [text]
      if !follows.isEmpty {
        let also = follows.map { "\($0.path) would be \(Change.text($0.to))" }
        lines.append("With that, " + also.joined(separator: " and ") + ".")
      }
      if excluded < changes.count - 1 {
        lines.append("Fewer changes might be enough.")
      }
      return lines
    }
  }

  private static func count(_ number: Int, _ noun: String) -> String {
    number == 1 ? "one \(noun)" : "up to \(number) \(noun)s"
  }
}

extension SmallestChange.Change {
  package var value: Value {
    .members(["path": .string(path), "from": from, "to": to])
  }

  fileprivate var text: String {
    let now = "(now \(Self.text(from)))"
    return to == nil ? "\(path) were missing \(now)" : "\(path) were \(Self.text(to)) \(now)"
  }

  fileprivate static func text(_ value: Value?) -> String {
    guard let text = value?.json else { return "missing" }
    return text.count <= 60 ? text : text.prefix(57) + "..."
  }
}

extension RuleSet {
  /// The changes that would make an audience of a placement match a user.
  ///
  /// - Parameters:
  ///   - index: the audience's number.
  ///   - record: the user record. The user's occurrences and events stay unchanged.
  /// - Returns: nil if the audience does not exist, or if the record is rejected.
  package func smallestChange(
    audience index: Int, of placement: String, for record: Value, at clock: HistoryClock
  ) -> SmallestChange? {
    guard let number = self.placement(named: placement),
      let rule = placements[number].rules.first(where: { rules[$0].audience.index == index }),
      let finder = ChangeFinder(self, placements[number], rule, record, clock)
    else { return nil }
    var change = finder.find()
    change.steps = finder.steps
    return change
  }
}
