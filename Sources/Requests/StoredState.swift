internal import Expressions
package import RuleEngine

/// The state of a user that a caller has stored, in addition to the state in the user's record.
package struct StoredState: Hashable, Sendable {
  package var assignments: [Assignment] = []
  package var occurrences: [DecisionState.Occurrences] = []

  package init() {}

  package var isEmpty: Bool { assignments.isEmpty && occurrences.isEmpty }

  /// The record with the stored state. A user record may have `assignments` and `occurrences` several times, and all
  /// their elements count. If an experiment has several assignments, the last one counts, which is the stored one.
  ///
  /// - Parameter record: a JSON object with a `userId`. Anything else is unchanged, and its reader rejects it.
  package func appended(to record: [UInt8]) -> [UInt8] {
    guard !isEmpty, let end = record.lastIndex(of: UInt8(ascii: "}")) else { return record }
    let members = Value.members([
      UserMember.assignments.key: assignments.isEmpty
        ? nil
        : .list(
          assignments.map {
            .object([
              "experimentId": .string($0.experimentID), "variantId": .string($0.variantID),
              "isSentToServer": .bool($0.isSentToServer),
            ])
          }),
      UserMember.occurrences.key: occurrences.isEmpty
        ? nil
        : .map(
          occurrences.map { series in
            .init(
              key: .string(series.key),
              value: .list(series.times.compactMap { $0.text }.map { .string($0) }))
          }),
    ])
    var result = Array(record[..<end])
    var added: [UInt8] = []
    JSONWriter.append(members, to: &added)
    added[0] = UInt8(ascii: ",")
    result += added
    result += record[(end + 1)...]
    return result
  }
}
