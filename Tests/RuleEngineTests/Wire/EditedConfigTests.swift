import Expressions
import Foundation
import RuleEngine
import TestSupport
import Testing

/// A whole config of each format with one place spoilt: what is said, and what becomes of it. The texts
/// are in `corpus/decoding`, and `make update WHAT=messages` rewrites them.
@Suite struct EditedConfigTests {
  private static let isWriting =
    ProcessInfo.processInfo.environment["TOLLGATE_UPDATE"] == "messages"
  private static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "corpus/decoding")

  private enum Step {
    case key(String)
    case place(Int)
  }

  private static let values: [(name: String, value: Value?)] = [
    ("gone", nil), ("null", .null), ("-1", -1), ("\"x\"", "x"), ("[]", []),
  ]

  /// The places of a value: of lists the first element.
  private static func places(of value: Value, _ path: [Step] = []) -> [[Step]] {
    switch value {
    case .map(let entries):
      return entries.flatMap { entry in
        let path = path + [.key(entry.key.text ?? "")]
        return [path] + places(of: entry.value, path)
      }
    case .list(let elements):
      guard let first = elements.first else { return [] }
      let path = path + [.place(0)]
      return [path] + places(of: first, path)
    default: return []
    }
  }

  private static func changed(_ value: Value, _ path: ArraySlice<Step>, to new: Value?) -> Value? {
    switch (path.first, value) {
    case (.key(let key)?, .map(var entries)):
      guard let place = entries.firstIndex(where: { $0.key.text == key }) else {
        if let new { entries.append(.init(key: .string(key), value: new)) }
        return .map(entries)
      }
      if let inner = changed(entries[place].value, path.dropFirst(), to: new) {
        entries[place].value = inner
      } else {
        entries.remove(at: place)
      }
      return .map(entries)
    case (.place(let place)?, .list(var elements)):
      if let inner = changed(elements[place], path.dropFirst(), to: new) {
        elements[place] = inner
      } else {
        elements.remove(at: place)
      }
      return .list(elements)
    default: return new
    }
  }

  private static func text(_ path: [Step]) -> String {
    path.reduce("") { text, step in
      switch step {
      case .key(let key): text.isEmpty ? key : "\(text).\(key)"
      case .place(let place): "\(text)[\(place)]"
      }
    }
  }

  /// Everything that a value holds, a line for each part that holds no others.
  private static func parts(_ value: Any, _ path: String, _ lines: inout [String]) {
    if let value = value as? Value {
      lines.append("\(path) = \(value.json)")
      return
    }
    let mirror = Mirror(reflecting: value)
    if mirror.children.isEmpty || mirror.displayStyle == .enum || mirror.displayStyle == .set {
      let text =
        mirror.displayStyle == .set
        ? "\(mirror.children.map { "\($0.value)" }.sorted())" : "\(value)"
      lines.append("\(path) = \(text)")
      return
    }
    for (place, child) in mirror.children.enumerated() {
      let name = mirror.displayStyle == .optional ? "" : "." + (child.label ?? "\(place)")
      parts(child.value, path + name, &lines)
    }
  }

  /// What decoding says, and what it gives.
  private typealias Decoding = (_ json: String) -> (diagnostics: [Diagnostic], output: Any?)

  private static func said(_ diagnostics: [Diagnostic]) -> [String] {
    diagnostics.map {
      "\($0.severity) \($0.code.rawValue) \($0.path): \($0.message)"
        + ($0.suggestion.map { " (\($0))" } ?? "")
    }
  }

  private static func outcome(_ document: Value, _ decode: Decoding, _ whole: Set<String>) -> String
  {
    let decoded = decode(document.json)
    var text = said(decoded.diagnostics).filter { !whole.contains($0) }.map { "\n    " + $0 }
      .joined()
    guard let output = decoded.output else { return text + "\n    no output" }
    var lines: [String] = []
    parts(output, "", &lines)
    let new = lines.filter { !whole.contains($0) && !$0.contains(".path = ") }
    text += new.prefix(3).map { "\n    " + $0.dropFirst() }.joined()
    if new.count > 3 { text += "\n    and \(new.count - 3) more" }
    return text.isEmpty ? "\n    nothing" : text
  }

  private static func told(_ config: Value, _ decode: Decoding) throws -> String {
    var lines: [String] = []
    let decoded = decode(config.json)
    parts(try #require(decoded.output), "", &lines)
    let whole = Set(lines + said(decoded.diagnostics))
    var text = ""
    for path in places(of: config) {
      text += "\(Self.text(path))\n"
      var edits = values.map { ($0.name, changed(config, path[...], to: $0.value) ?? .null) }
      if case .map? = value(config, path[...]) {
        edits.append(("+zzz", changed(config, (path + [.key("zzz")])[...], to: 1) ?? .null))
      }
      var told: [(names: String, outcome: String)] = []
      for (name, edited) in edits {
        let outcome = outcome(edited, decode, whole)
        if let place = told.firstIndex(where: { $0.outcome == outcome }) {
          told[place].names += ", \(name)"
        } else {
          told.append((name, outcome))
        }
      }
      for (names, outcome) in told { text += "  \(names):\(outcome)\n" }
    }
    return text
  }

  private static func value(_ value: Value, _ path: ArraySlice<Step>) -> Value? {
    switch (path.first, value) {
    case (.key(let key)?, .map): value[key].flatMap { Self.value($0, path.dropFirst()) }
    case (.place(let place)?, .list(let elements)): Self.value(elements[place], path.dropFirst())
    default: value
    }
  }

  /// Products as files of our own have them.
  private static let products: Value = [
    "products": [
      [
        "slot": "primary", "label": "Yearly", "identifier": "com.x.year", "store": "APP_STORE",
        "price": "59.99", "currency": "EUR", "locale": "de_DE", "displayPrice": "59,99",
        "period": ["unit": "year", "count": 1],
        "intro": [
          "mode": "payAsYouGo", "unit": "month", "count": 1, "cycles": 3, "price": .double(0.99),
          "displayPrice": "0,99",
        ],
        "entitlements": ["pro", ["identifier": "plus"]], "trialDays": 7, "storefront": "DEU",
        "subscriptionGroupId": "g", "isFamilyShareable": true, "displayPeriod": "year",
        "billingPlan": ["type": "MONTHLY", "price": "4.99", "period": "P1M"],
      ],
      [
        "slot": "secondary", "identifier": "play", "store": "PLAY_STORE",
        "fullIdentifier": "play:m:sw-auto", "price": 4, "currency": "USD", "period": "P1M",
        "offers": [
          [
            "basePlanId": "m", "offerId": "o", "tags": ["t"],
            "phases": [
              ["price": 0, "iso8601": "P1W", "cycles": 1],
              ["price": 4, "iso8601": "P1M", "cycles": 0],
            ],
          ]
        ], "purchaseOptions": [["price": 5, "purchaseOptionId": "b", "offerId": "c"]],
      ],
    ]
  ]

  /// Products as the backend has them.
  private static let reply: Value = [
    "object": "list",
    "data": [
      [
        "object": "product", "identifier": "a", "platform": "ios",
        "price": ["amount": 999, "currency": "EUR"],
        "subscription": [
          "period": "month", "period_count": 3, "trial_period_days": 14,
          "trial_period_price": ["amount": 199, "currency": "EUR"],
        ],
        "entitlements": [["identifier": "pro", "type": "SERVICE_LEVEL"]], "storefront": "DEU",
      ],
      [
        "object": "product", "identifier": "b", "platform": "stripe",
        "price": ["amount": .double(9.5), "currency": "USD"],
        "subscription": ["period": "year", "period_count": 1, "trial_period_days": 0],
      ],
    ],
  ]

  @Test(arguments: ["superwall", "agentwallie", "products", "reply"])
  func spoiltPlaces(name: String) throws {
    let whole =
      switch name {
      case "superwall": ConfigEdits.whole
      case "agentwallie": AgentWallieImportTests.whole
      case "products": Self.products
      default: Self.reply
      }
    let text = try Self.told(whole) { json in
      if name == "products" || name == "reply" {
        let decoded = ProductList.decode(json: json.utf8)
        return (decoded.diagnostics, decoded.output)
      }
      let decoded = Config.decode(
        json.utf8, format: name == "superwall" ? .superwall : .agentWallie)
      return (decoded.diagnostics, decoded.output)
    }
    let file = Self.folder.appending(path: "\(name).txt")
    if Self.isWriting { return try Data(text.utf8).write(to: file) }
    let wanted = try String(contentsOf: file, encoding: .utf8)
    if text == wanted { return }
    let changes = text.split(separator: "\n").difference(from: wanted.split(separator: "\n"))
    let lines = changes.prefix(10).map { change in
      switch change {
      case .remove(_, let line, _): "- \(line)"
      case .insert(_, let line, _): "+ \(line)"
      }
    }
    Issue.record("\(name).txt:\n\(lines.joined(separator: "\n"))")
  }
}
