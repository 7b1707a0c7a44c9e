package import Expressions
package import RuleEngine
internal import RuleInsight

/// An attribute and its new value, such as `user.plan` and `"pro"`.
package struct AttributeSetting: Sendable {
  package let path: [String]
  package let value: Value

  var name: String { path.joined(separator: ".") }

  package init(_ name: String, _ value: Value) throws(RequestError) {
    path = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    self.value = value
    guard !path.contains(""), path.count <= Self.longestPath else {
      throw .about("set", "'\(name)' is not the path of an attribute, such as user.plan")
    }
  }

  private static let longestPath = 32
}

/// A user with other values of some attributes.
package struct WhatIf {
  /// The user record with these values.
  package private(set) var record: Value
  /// Attributes that are set but that no rule reads.
  package private(set) var unread: [String] = []
  private var changes: [SmallestChange.Change] = []

  package init(_ settings: [AttributeSetting], _ record: Value, _ ruleSet: RuleSet)
    throws(RequestError)
  {
    self.record = record
    var seen: Set<[String]> = []
    for setting in settings {
      guard seen.insert(setting.path).inserted else {
        throw .about("set", "'\(setting.name)' is set twice; set it once")
      }
      if try Self.isUnread(setting, self.record, ruleSet) { unread.append(setting.name) }
      changes.append(
        SmallestChange.Change(
          path: setting.name, from: self.record.value(at: setting.path), to: setting.value))
      self.record = self.record.setting(setting.path[...], to: setting.value)
    }
    follow(settings.map { $0.path }, record, ruleSet)
  }

  /// Derives other attributes from the new values.
  private mutating func follow(_ paths: [[String]], _ before: Value, _ ruleSet: RuleSet) {
    let pairs = DerivedAttributes(before, on: ruleSet.language.platform)
    for path in pairs.follow(&record, paths.map { AttributePath($0) }) ?? [] {
      changes.append(
        SmallestChange.Change(
          path: path.description, from: before.value(at: path.names),
          to: record.value(at: path.names)))
    }
    for path in paths {
      let followed = changes.map { $0.path }
      record = DeviceDerivation.withoutFollowers(of: path, in: record) {
        followed.contains($0.joined(separator: "."))
      }
    }
  }

  // MARK: Valid settings

  /// Rejects settings that are certainly mistakes.
  ///
  /// - Returns: whether no rule reads the attribute.
  private static func isUnread(
    _ setting: AttributeSetting, _ record: Value, _ ruleSet: RuleSet
  ) throws(RequestError) -> Bool {
    let name = setting.name
    if name.contains("(") || setting.path[0] == "computed"
      || ruleSet.attributesOfEvents.contains(AttributePath(setting.path))
    {
      throw refusal(
        "'\(name)' cannot be set: it is computed from the user's events; set these: "
          + "events.NAME to a list of times such as [\"2026-03-01T12:00:00Z\"]")
    }
    if setting.path == ["now"] {
      throw refusal("'now' is not an attribute of the user; the option 'now' gives the time")
    }
    try checkRoot(setting, ruleSet)
    for count in setting.path.indices.dropFirst() {
      let parent = Array(setting.path[..<count])
      guard let value = record.value(at: parent), value != .null, !value.isObject else { continue }
      let path = parent.joined(separator: ".")
      throw refusal(
        "'\(name)' cannot be set: \(path) is \(value.json), which has no members; set \(path)")
    }
    return try checkName(setting, record, ruleSet)
  }

  private static func checkRoot(_ setting: AttributeSetting, _ ruleSet: RuleSet)
    throws(RequestError)
  {
    let root = setting.path[0]
    let members = UserMember.allCases.map { $0.key }
    let read = ruleSet.requirements
    guard !members.contains(root), !read.contains(where: { $0.names[0] == root }) else { return }
    let attribute =
      setting.path.count == 1
      ? read.first { $0.names.dropFirst().elementsEqual([root]) }?.description : nil
    let close = attribute ?? Suggestion.closest(to: root, among: members)
    throw refusal(
      "a user record has no member '\(root)'; "
        + (close.map { "did you mean '\($0)'?" }
          ?? "attributes are in user, device and params, as in user.\(root)"))
  }

  /// Rejects an attribute that no rule reads and whose name is close to the name of another
  /// attribute, because it is probably a mistake. Returns whether no rule reads the attribute.
  private static func checkName(
    _ setting: AttributeSetting, _ record: Value, _ ruleSet: RuleSet
  ) throws(RequestError) -> Bool {
    let path = setting.path
    let attributes: [UserMember] = [.user, .device, .params]
    guard path.count > 1, attributes.contains(where: { $0.key == path[0] }) else { return false }
    let read = ruleSet.requirements
    // Attributes from which other attributes are derived count as read.
    let isRead = ruleSet.program.requirements.contains {
      $0.names.starts(with: path) || path.starts(with: $0.names)
    }
    guard !isRead, record.value(at: path) == nil else { return false }
    let isOfDevice = path[0] == UserMember.device.key
    if isOfDevice, path.count == 2, DeviceAttribute(named: path[1]) != nil { return true }
    var names = read.map { $0.description }
    if isOfDevice {
      names += DeviceAttribute.allCases.map { "\(UserMember.device.key).\($0.rawValue)" }
    }
    let elsewhere = read.first { $0.names.dropFirst().elementsEqual(path.dropFirst()) }
    if let close = Suggestion.closest(to: setting.name, among: names) ?? elsewhere?.description {
      throw refusal("no rule reads '\(setting.name)'; did you mean '\(close)'?")
    }
    return true
  }

  private static func refusal(_ message: String) -> RequestError { .about("set", message) }

  // MARK: Output

  /// The same change with redacted values.
  func redacted(_ redaction: Redaction) -> WhatIf {
    var shown = self
    redaction.apply(to: &shown.changes)
    return shown
  }

  /// The change as JSON: `{"set": [{"path", "from"?, "to"}], "without": {"result", "audience",
  /// "variant", "paywall"}}`
  ///
  /// - Parameter before: the outcome for the user without changes.
  func value(before: Decision) -> Value {
    .object([
      "set": .list(changes.map { $0.value }), "without": AttributeSweep.Outcome(before).value,
    ])
  }

  /// The attributes that were set, in words.
  package var text: String {
    let set = changes.map { change in
      let from = change.from.map { "was \($0.json)" } ?? "was missing"
      return "\(change.path) = \(change.to?.json ?? "") (\(from))"
    }
    return "with " + set.joined(separator: ", ")
  }

  /// The outcomes without and with the change, or nil if they are equal.
  package static func difference(_ before: Decision, _ after: Decision) -> (
    before: String, after: String
  )? {
    let (old, new) = (AttributeSweep.Outcome(before), AttributeSweep.Outcome(after))
    return old == new ? nil : (old.text, new.text)
  }

  /// The attributes that were set, and the outcomes without and with the change, in words.
  package func text(before: Decision, after: Decision) -> String {
    guard let difference = Self.difference(before, after) else {
      return "\(text): no difference, \(AttributeSweep.Outcome(after).text)"
    }
    return "\(text): \(difference.after); without, \(difference.before)"
  }
}
