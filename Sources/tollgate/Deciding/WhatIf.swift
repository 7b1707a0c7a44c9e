internal import ArgumentParser
internal import Expressions
internal import RuleEngine
internal import RuleInsight

/// An attribute and the value that it gets, as `--set user.plan=pro` says them.
struct AttributeSetting {
  let path: [String]
  let value: Value

  var name: String { path.joined(separator: ".") }

  init(_ text: String) throws {
    guard let equals = text.firstIndex(of: "=") else {
      throw ValidationError(
        "--set takes an attribute and a value, such as user.plan=pro; '\(text)' has no '='")
    }
    let name = String(text[..<equals])
    path = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard !path.contains(where: \.isEmpty) else {
      throw ValidationError(
        "'\(name)' is not the path of an attribute; --set takes one such as user.plan=pro")
    }
    let written = String(text[text.index(after: equals)...])
    value = (try? Value.parse(json: written.utf8)) ?? .string(written)
  }
}

/// A user with other values of some attributes.
struct WhatIf {
  /// The user record with them.
  private(set) var record: Value
  private var changes: [SmallestChange.Change] = []

  init(_ settings: [String], _ record: Value, _ ruleSet: RuleSet) throws {
    self.record = record
    var seen: Set<[String]> = []
    for text in settings {
      let setting = try AttributeSetting(text)
      guard seen.insert(setting.path).inserted else {
        throw ValidationError("--set gives '\(setting.name)' twice; give it once")
      }
      try Self.check(setting, self.record, ruleSet)
      changes.append(
        SmallestChange.Change(
          path: setting.name, from: self.record.value(at: setting.path), to: setting.value))
      self.record = self.record.setting(setting.path[...], to: setting.value)
    }
  }

  // MARK: What can be set

  private static func check(_ setting: AttributeSetting, _ record: Value, _ ruleSet: RuleSet) throws
  {
    let name = setting.name
    if name.contains("(") || setting.path[0] == "computed" {
      throw refusal(
        "'\(name)' cannot be set: it is worked out from the user's events; set these, as in "
          + "--set 'events.NAME=[\"2026-03-01T12:00:00Z\"]'")
    }
    if setting.path == ["now"] {
      throw refusal("'now' is not an attribute of the user; --now says the time")
    }
    if ruleSet.attributesOfEvents.contains(AttributePath(setting.path)) {
      throw refusal(
        "'\(name)' cannot be set: it is worked out from the user's events; set these, as in "
          + "--set 'events.NAME=[\"2026-03-01T12:00:00Z\"]'")
    }
    try checkRoot(setting, record, ruleSet)
    for count in setting.path.indices.dropFirst() {
      let parent = Array(setting.path[..<count])
      guard let value = record.value(at: parent), value != .null, !value.isObject else { continue }
      let path = parent.joined(separator: ".")
      throw refusal(
        "'\(name)' cannot be set: \(path) is \(value.json), which has no members; set \(path)")
    }
    try checkName(setting, record, ruleSet)
  }

  private static func checkRoot(
    _ setting: AttributeSetting, _ record: Value, _ ruleSet: RuleSet
  ) throws {
    let root = setting.path[0]
    let members = UserMember.allCases.map(\.key)
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

  /// An attribute that no rule reads, and that nearly has the name of another, is a mistake.
  private static func checkName(
    _ setting: AttributeSetting, _ record: Value, _ ruleSet: RuleSet
  ) throws {
    let path = setting.path
    let attributes: [UserMember] = [.user, .device, .params]
    guard path.count > 1, attributes.contains(where: { $0.key == path[0] }) else { return }
    let read = ruleSet.requirements
    let isRead = read.contains { $0.names.starts(with: path) || path.starts(with: $0.names) }
    guard !isRead, record.value(at: path) == nil else { return }
    let isOfDevice = path[0] == UserMember.device.key
    if isOfDevice, path.count == 2, DeviceAttribute(named: path[1]) != nil {
      return tellUnread(path)
    }
    var names = read.map(\.description)
    if isOfDevice {
      names += DeviceAttribute.allCases.map { "\(UserMember.device.key).\($0.rawValue)" }
    }
    if let close = Suggestion.closest(to: setting.name, among: names) {
      throw refusal("no rule reads '\(setting.name)'; did you mean '\(close)'?")
    }
    let elsewhere = read.first { $0.names.dropFirst().elementsEqual(path.dropFirst()) }
    if let elsewhere {
      throw refusal("no rule reads '\(setting.name)'; did you mean '\(elsewhere)'?")
    }
    tellUnread(path)
  }

  private static func tellUnread(_ path: [String]) {
    FileText.printError("note: no rule reads \(path.joined(separator: ".")); it changes nothing")
  }

  private static func refusal(_ message: String) -> CommandError {
    CommandError(DiagnosticText.visible(message))
  }

  // MARK: Telling

  /// The same, as it may be told.
  func redacted(_ redaction: Redaction) -> WhatIf {
    var told = self
    redaction.apply(to: &told.changes)
    return told
  }

  /// `{"set": [{"path", "from"?, "to"}], "without": {"result", "audience", "variant", "paywall"}}`
  ///
  /// - Parameter before: what the user gets as they are.
  func value(before: Decision) -> Value {
    .object([
      "set": .list(changes.map(\.value)), "without": AttributeSweep.Outcome(before).value,
    ])
  }

  /// What was set.
  var text: String {
    let set = changes.map { change in
      let from = change.from.map { "was \($0.json)" } ?? "was not there"
      return "\(change.path) = \(change.to?.json ?? "") (\(from))"
    }
    return "with " + set.joined(separator: ", ")
  }

  /// What the user gets without and with it; nil where that is the same.
  static func difference(_ before: Decision, _ after: Decision) -> (before: String, after: String)?
  {
    let (old, new) = (AttributeSweep.Outcome(before), AttributeSweep.Outcome(after))
    return old == new ? nil : (old.text, new.text)
  }

  /// What was set, and what the user gets without and with it.
  func text(before: Decision, after: Decision) -> String {
    guard let difference = Self.difference(before, after) else {
      return "\(text): no difference, \(AttributeSweep.Outcome(after).text)"
    }
    return "\(text): \(difference.after); without, \(difference.before)"
  }
}

extension RuleSet {
  /// The sweep of an attribute that somebody names.
  func sweep(
    _ name: String, of placement: String, for record: Value, at clock: HistoryClock,
    assigner: Assigner
  ) throws -> AttributeSweep {
    let path = AttributePath(name.split(separator: ".").map(String.init))
    if path.description == name,
      let found = sweep(path, of: placement, for: record, at: clock, assigner: assigner)
    {
      return found
    }
    if attributesOfEvents.contains(path) || name.contains("(") {
      throw CommandError(
        DiagnosticText.visible(
          "'\(name)' is worked out from the user's events; --sweep takes an attribute of the user"))
    }
    let read = attributes(of: placement).map(\.description)
    let close =
      Suggestion.closest(to: name, among: read)
      ?? read.first { $0.split(separator: ".").last.map(String.init) == name }
    let shown = read.prefix(12).joined(separator: ", ") + (read.count > 12 ? ", ..." : "")
    let hint =
      close.map { "did you mean '\($0)'?" }
      ?? (read.isEmpty ? "it reads none" : "it reads \(shown)")
    throw CommandError(
      DiagnosticText.visible("no audience of '\(placement)' reads '\(name)'; \(hint)"))
  }
}

extension Value {
  /// A map with the members of another one behind its own.
  func adding(_ other: Value?) -> Value {
    guard case .map(let own) = self, case .map(let more)? = other else { return self }
    return .map(own + more)
  }
}
