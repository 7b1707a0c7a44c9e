package import Expressions
package import RuleEngine

/// A survey of users before they are decided: whether their records can be read, which IDs and
/// attributes they have, and whether these fit rules and a schema.
package struct UserSurvey: Sendable {
  // SAFETY: Lines are slices of the caller's view, and all stored data is copied. Tests:
  // UsersCommandTests.

  /// A point to review.
  package struct Finding: Hashable, Sendable {
    /// Whether the point makes decisions wrong, or omits users.
    package var isProblem: Bool
    package var text: String
    package var users: Int
  }

  /// The reason why lines were rejected.
  package struct Refusal: Hashable, Sendable {
    package var reason: String
    package var lines: Int
    /// The place of the first rejected line.
    package var place: String
  }

  package private(set) var learner = SchemaLearner()
  package private(set) var ids = UserIDSurvey()
  package private(set) var refusals: [Refusal] = []
  package private(set) var refused = 0
  /// The number of users for each value of `device.timezone`.
  package private(set) var zones: [String: Int] = [:]
  /// The number of users without a time zone name, by offset in seconds.
  package private(set) var offsets: [Int: Int] = [:]
  package private(set) var withoutZone = 0
  private var otherZones = 0

  private let files: [String]
  private static let mostKinds = 20
  private static let mostZones = 1_000

  /// - Parameter files: the names of the files.
  package init(files: [String]) { self.files = files }

  package var users: Int { learner.users }

  /// Adds lines of records, one object per line.
  ///
  /// - Parameters:
  ///   - file: the number of the file.
  ///   - before: the number of lines before these in the file.
  /// - Returns: the number of lines.
  package mutating func add(lines: ByteView, file: Int, before: Int) -> Int {
    var (start, number) = (0, 0)
    while start < lines.count {
      let end = lines[start...].firstIndex(of: UInt8(ascii: "\n")) ?? lines.count
      let line = UnsafeBufferPointer(rebasing: lines[start..<end])
      start = end + 1
      number += 1
      if !line.allSatisfy({ $0 <= 0x20 }) { add(line, file, before + number) }
    }
    return number
  }

  private mutating func add(_ line: ByteView, _ file: Int, _ number: Int) {
    if let rejection = UserRecordReader.problem(in: line) {
      return refuse(rejection.reason, "\(files[file]):\(number)")
    }
    guard let value = try? Value.parse(json: line), let id = value["userId"]?.text else {
      return refuse("the record cannot be read", "\(files[file]):\(number)")
    }
    if id.isEmpty { return refuse(UserRecordReader.noID, "\(files[file]):\(number)") }
    learner.add(value)
    let files = files
    ids.add(id, file: file, line: number) { files[$0] }
    addZone(value["device"])
  }

  /// Counts lines that are rejected because of the table that contains them.
  package mutating func refuse(_ reason: String, _ place: String, lines: Int = 1) {
    refused += lines
    if let known = refusals.firstIndex(where: { $0.reason == reason }) {
      refusals[known].lines += lines
    } else if refusals.count < Self.mostKinds {
      refusals.append(Refusal(reason: reason, lines: lines, place: place))
    }
  }

  private mutating func addZone(_ device: Value?) {
    if let zone = device?["timezone"]?.text {
      if zones[zone] == nil, zones.count >= Self.mostZones {
        otherZones += 1
      } else {
        zones[zone, default: 0] += 1
      }
    } else if let offset = device?["timezoneOffset"]?.wholeNumber {
      if offsets[offset] != nil || offsets.count < Self.mostZones {
        offsets[offset, default: 0] += 1
      }
    } else {
      withoutZone += 1
    }
  }

  /// The time zones that are not in the tz database.
  package var unknownZones: [(name: String, users: Int)] {
    zones.filter { WireTime.zoneProblem($0.key) != nil }
      .sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
  }

  package var attributes: [AttributeSummary] { learner.summaries }

  // MARK: Findings

  /// The points to review, problems first.
  ///
  /// - Parameters:
  ///   - ruleSet: the rules that will decide the users; nil without rules.
  ///   - schema: the expected attributes; nil without a schema.
  package func findings(_ ruleSet: RuleSet?, _ schema: ContextSchema?) -> [Finding] {
    var found = findingsOfRecords
    for attribute in attributes where attribute.hasSeveralKinds {
      found.append(
        Finding(
          isProblem: true, text: "\(attribute.path) has several kinds: \(attribute.kindText)",
          users: attribute.present))
    }
    found += sameNames
    if let ruleSet { found += Self.findings(ruleSet, attributes, users) }
    if let schema { found += Self.findings(schema, attributes, users) }
    return found.filter { $0.isProblem } + found.filter { !$0.isProblem }
  }

  private var findingsOfRecords: [Finding] {
    var found: [Finding] = []
    func add(_ isProblem: Bool, _ users: Int, _ text: @autoclosure () -> String) {
      if users > 0 { found.append(Finding(isProblem: isProblem, text: text(), users: users)) }
    }
    for refusal in refusals {
      add(true, refusal.lines, "lines are rejected: \(refusal.reason), first at \(refusal.place)")
    }
    add(true, ids.repeated, "IDs appear again, first \(Self.words(ids.firstRepeat))")
    add(
      true, ids.merged,
      "IDs differ only in white space at the ends, first \(Self.words(ids.firstMerged))")
    add(
      true, ids.untrimmed,
      "IDs begin or end with white space, such as \(Self.quoted(ids.untrimmedExample)): the SDKs remove the white space"
    )
    add(
      false, ids.odd,
      "IDs have white space or control characters inside, e.g. \(Self.quoted(ids.oddExample))")
    for (zone, users) in unknownZones.prefix(5) {
      add(true, users, "device.timezone is \(Self.quoted(zone)), which is not a time zone")
    }
    add(
      true, offsets.filter { abs($0.key) > 86_400 }.values.reduce(0, +),
      "device.timezoneOffset is more than a day; it is in seconds")
    return found
  }

  /// Attributes whose names differ only in capitals and underscores: `user.plan` and `user.Plan`.
  private var sameNames: [Finding] {
    var first: [String: AttributePath] = [:]
    return attributes.compactMap { attribute in
      let name = attribute.path.description.filter { $0 != "_" }.lowercased()
      guard let other = first[name] else {
        first[name] = attribute.path
        return nil
      }
      return Finding(
        isProblem: true, text: "\(other) and \(attribute.path) are probably one attribute",
        users: attribute.present)
    }
  }

  private static func quoted(_ text: String?) -> String { Value.string(text ?? "").json }

  private static func words(_ repeated: UserIDSurvey.Repeat?) -> String {
    guard let repeated else { return "" }
    return "\(quoted(repeated.id)) at \(repeated.first) and \(repeated.second)"
  }

  /// Reports attributes that rules read and that no user has, or only some users have.
  private static func findings(_ ruleSet: RuleSet, _ attributes: [AttributeSummary], _ users: Int)
    -> [Finding]
  {
    let present = Dictionary(
      combining: attributes.map { ($0.path, $0.present) }
    ) { first, _ in first }
    return ruleSet.requirements.compactMap { path -> Finding? in
      guard path.names.count > 1, SchemaLearner.roots.contains(path.names[0]) else { return nil }
      let attribute = AttributePath(Array(path.names.prefix(2)))
      let count = present[attribute] ?? 0
      guard count < users, !isDerived(attribute, present) else { return nil }
      return count == 0
        ? Finding(isProblem: true, text: "rules read \(path), which no user has", users: users)
        : Finding(
          isProblem: false, text: "rules read \(path), which users lack", users: users - count)
    }
  }

  /// Whether an attribute can be derived from the clock, or from other attributes that users have.
  private static func isDerived(_ path: AttributePath, _ present: [AttributePath: Int]) -> Bool {
    guard path.names[0] == UserMember.device.key,
      let attribute = DeviceAttribute(named: path.names[1]),
      let sources = DeviceDerivation.sources(of: attribute)
    else { return false }
    return attribute.isOfTheMoment || sources.contains { present[$0, default: 0] > 0 }
  }

  private static func findings(
    _ schema: ContextSchema, _ attributes: [AttributeSummary], _ users: Int
  ) -> [Finding] {
    var found: [Finding] = []
    let byPath = Dictionary(
      combining: attributes.map { ($0.path, $0) }
    ) { first, _ in first }
    for root in schema.roots.keys.sorted() {
      for name in schema.names(in: root) {
        guard let expected = schema[root, name] else { continue }
        let path = AttributePath([root, name])
        let own = byPath[path]
        let lacking = users - (own?.present ?? 0)
        if expected.isAlwaysThere, lacking > 0 {
          found.append(
            Finding(
              isProblem: true, text: "the schema requires \(path), which users lack", users: lacking
            ))
        }
        let others = own?.count(notLike: expected.kind) ?? 0
        if others > 0 {
          found.append(
            Finding(
              isProblem: true, text: "\(path) is not \(expected.kind.name), as the schema says",
              users: others))
        }
      }
    }
    for attribute in attributes
    where schema[attribute.path.names[0], attribute.path.names[1]] == nil {
      found.append(
        Finding(
          isProblem: false, text: "\(attribute.path) is not in the schema", users: attribute.present
        ))
    }
    return found
  }

  /// Attributes of users that no rule reads.
  package func unread(by ruleSet: RuleSet) -> [AttributePath] {
    let read = ruleSet.program.requirements.map { $0.names }
    return attributes.map { $0.path }.filter { path in
      !read.contains { $0.starts(with: path.names) || path.names.starts(with: $0) }
    }
  }

  // MARK: JSON

  /// The survey as JSON: `{"users", "refused", "refusals", "ids", "attributes", "timeZones",
  /// "findings", "unread"?, "ready"}`.
  package func value(_ ruleSet: RuleSet?, _ schema: ContextSchema?) -> Value {
    func int(_ number: Int) -> Value { .int(Int64(number)) }
    let findings = findings(ruleSet, schema)
    return .members([
      "users": int(users), "refused": int(refused),
      "refusals": .list(
        refusals.map {
          .object([
            "reason": .string($0.reason), "lines": int($0.lines), "first": .string($0.place),
          ])
        }),
      "ids": .members([
        "repeated": int(ids.repeated), "sameButForWhiteSpace": int(ids.merged),
        "untrimmed": int(ids.untrimmed), "odd": int(ids.odd),
        "shortest": int(users == 0 ? 0 : ids.shortest), "longest": int(ids.longest),
        "shapes": .map(
          ids.commonShapes.map { .init(key: .string($0.shape), value: int($0.users)) }),
        "isSampled": .bool(ids.isSampled),
      ]),
      "attributes": .map(
        attributes.map { .init(key: .string($0.path.description), value: $0.value(users: users)) }),
      "timeZones": .members([
        "named": .map(
          zones.sorted { $0.key < $1.key }.map { .init(key: .string($0.key), value: int($0.value)) }
        ),
        "unknown": .list(unknownZones.map { .string($0.name) }),
        "offsets": .map(
          offsets.sorted { $0.key < $1.key }.map {
            .init(key: .string(String($0.key)), value: int($0.value))
          }), "none": int(withoutZone),
      ]),
      "findings": .list(
        findings.map {
          .object([
            "problem": .bool($0.isProblem), "text": .string($0.text), "users": int($0.users),
          ])
        }),
      "unread": ruleSet.map { .list(unread(by: $0).map { .string($0.description) }) },
      "ready": .bool(users > 0 && !findings.contains(where: { $0.isProblem })),
    ])
  }
}
