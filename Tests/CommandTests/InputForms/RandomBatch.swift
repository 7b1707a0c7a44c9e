import Expressions
import Foundation
import RuleEngine

/// A random config, and random users for it in every form that can be read.
struct RandomBatch {
  /// One user: a line of JSON, and the same as a row of CSV where CSV can say it.
  struct User {
    var json: String
    var csv: String
  }

  var random: SeededNumbers
  let attributes: [RandomAttribute]
  let language: RuleLanguage
  let config: [UInt8]
  let rules: RuleSet
  private let orders: [[Int]]

  init(seed: UInt64) throws {
    var random = SeededNumbers(seed: seed)
    let attributes = (0..<random.pick([2, 6, 14])).map { RandomAttribute($0, &random) }
    let language = random.pick([
      RuleLanguage.superscript(.ios), .superscript(.ios), .superscript(.android), .cel,
    ])
    var conditions = RandomConditions(attributes: attributes, language: language, random: random)
    let count = conditions.random.pick([1, 4, 30])
    let placements = (0..<count).map { conditions.placement($0) }
    random = conditions.random
    let config: Value = ["build_id": "b", "trigger_options": .list(placements)]
    self.config = Array(config.json.utf8)
    let decoded = Config.decode(self.config).output ?? Config()
    rules = RuleSet.compile(decoded, language: language).output ?? RuleSet.compile(Config()).output!
    orders = (0..<3).map { _ in attributes.indices.shuffled(using: &random) }
    self.attributes = attributes
    self.language = language
    self.random = random
  }

  /// The arguments that say in which language rules are read.
  var languageArguments: [String] {
    switch language {
    case .cel: ["--dialect", "cel"]
    case .superscript(.android): ["--dialect", "superscript", "--platform", "android"]
    default: []
    }
  }

  // MARK: Users

  static let roots = ["user", "device", "params"]

  /// The first line of CSV.
  var header: String {
    (["userId"] + Self.roots.map { "\($0).base" } + attributes.map(\.path)
      + ["assignments", "occurrences"]).joined(separator: ",")
  }

  mutating func user(_ number: Int) -> User {
    let id = identity(number)
    let values = attributes.map { $0.value(&random) }
    let assignments = random.chance(1, in: 20) ? assignments() : nil
    let occurrences = random.chance(1, in: 20) ? occurrences() : nil
    var members = Self.roots.map { root -> String in
      let inside = random.pick(orders).compactMap { at -> String? in
        guard let value = values[at], attributes[at].path.hasPrefix(root + ".") else { return nil }
        return quoted(String(attributes[at].path.dropFirst(root.count + 1))) + ":" + value.json
      }
      let all = ["\"base\":1"] + inside + (random.chance(1, in: 9) ? [nobodyReads()] : [])
      return "\"\(root)\":{\(all.joined(separator: ","))}"
    }
    if let assignments { members.append("\"assignments\":" + assignments.json) }
    if let occurrences { members.append("\"occurrences\":" + occurrences.json) }
    members.insert("\"userId\":" + quoted(id), at: random.pick([0, 0, 0, 1]))
    let space = random.chance(1, in: 30) ? " " : ""
    let cells =
      [Self.cell(.string(id)), "1", "1", "1"] + values.map { $0.map(Self.cell) ?? "" }
      + [assignments.map(Self.cell) ?? "", occurrences.map(Self.cell) ?? ""]
    return User(
      json: "{" + space + members.joined(separator: "," + space) + "}",
      csv: cells.joined(separator: ","))
  }

  /// A line that no user comes from.
  mutating func brokenLine() -> String {
    random.pick([
      "", "   ", "{\"userId\":\"x\"", "{\"user\":{}}", "[1]", "{\"userId\":\"\"}", "not JSON",
      "{\"userId\":\"x\",\"user\":{\"a0\":\"open}}",
    ])
  }

  private mutating func identity(_ number: Int) -> String {
    switch random.below(200) {
    case 0: return "Größe \"\(number)\""
    case 1: return "u-\(number)-" + String(repeating: "long", count: 20)
    case 2: return "u-\(number)-" + String(repeating: "very long", count: 500)
    case 3..<40: return "\(number)"
    default: return "user-" + String(1_000_000 + number)
    }
  }

  private mutating func assignments() -> Value {
    .list([
      [
        "experimentId": .string("e\(random.below(6))"),
        "variantId": .string(random.pick(["v0", "v1", "gone"])),
      ]
    ])
  }

  private mutating func occurrences() -> Value {
    let times = ["2026-03-01T11:00:00Z", "2026-02-28T12:00:00Z", "2025-01-01T00:00:00Z"]
    let shown = (0..<random.below(4)).map { _ in Value.string(random.pick(times)) }
    return .map([Value.Entry(key: .string("k\(random.below(3))"), value: .list(shown))])
  }

  private mutating func nobodyReads() -> String {
    random.pick([
      "\"other\":\"\(String(repeating: "z", count: random.pick([3, 40, 3_000])))\"",
      "\"other\":{\"deep\":[1,2,{\"x\":\"y\"}]}", "\"other\":1e3", "\"l\\u006fng\":null",
    ])
  }

  private func quoted(_ text: String) -> String { Value.string(text).json }

  /// Texts in quotes, so that they stay texts; what is not a text as it is.
  static func cell(_ value: Value) -> String {
    func doubled(_ text: String) -> String {
      "\"" + text.replacingOccurrences(of: "\"", with: "\"\"") + "\""
    }
    switch value {
    case .string(let text): return doubled(text)
    case .list, .map: return doubled(value.json)
    default: return value.json
    }
  }
}

/// Random conditions over attributes, most of them about values that users have.
struct RandomConditions {
  let attributes: [RandomAttribute]
  let language: RuleLanguage
  var random: SeededNumbers

  /// A trigger of a static config.
  mutating func placement(_ number: Int) -> Value {
    [
      "event_name": .string("p\(number)"),
      "rules": .list((0..<random.pick([1, 2, 5])).map { rule($0) }),
    ]
  }

  private mutating func rule(_ number: Int) -> Value {
    var members: [Value.Entry] = [
      .init(key: "experiment_id", value: .string("e\(random.below(6))")),
      .init(key: "experiment_group_id", value: "g"),
      .init(key: "expression_cel", value: .string(compilable())),
      .init(
        key: "variants",
        value: .list(
          (0..<random.pick([1, 2, 3])).map { variant in
            [
              "variant_id": .string("v\(variant)"),
              "variant_type": random.chance(1, in: 5) ? "HOLDOUT" : "TREATMENT",
              "percentage": .int(random.pick([0, 20, 50])), "paywall_identifier": "w",
            ]
          })),
    ]
    if random.chance(1, in: 6) {
      members.append(
        .init(
          key: "occurrence",
          value: [
            "key": .string("k\(random.below(3))"), "max_count": .int(random.pick([1, 2])),
            "interval": random.pick([
              ["type": "MINUTES", "minutes": 120], ["type": "INFINITY"],
            ]),
          ]))
    }
    return .map(members)
  }

  /// A condition that the language knows.
  private mutating func compilable() -> String {
    for _ in 0..<20 {
      let text = condition(depth: random.pick([0, 1, 2, 3]))
      let config: Value = [
        "trigger_options": [
          ["event_name": "p", "rules": [["experiment_id": "e", "expression_cel": .string(text)]]]
        ]
      ]
      let decoded = Config.decode(Array(config.json.utf8)).output ?? Config()
      let compiled = RuleSet.compile(decoded, language: language)
      if compiled.diagnostics.allSatisfy({ $0.code != .syntaxError && $0.severity != .error }) {
        return text
      }
    }
    return "true"
  }

  private mutating func condition(depth: Int) -> String {
    if depth == 0 { return test() }
    let (a, b) = (condition(depth: depth - 1), condition(depth: depth - 1))
    switch random.below(9) {
    case 0...3: return "(\(a)) && (\(b))"
    case 4...6: return "(\(a)) || (\(b))"
    case 7: return "!(\(a))"
    default: return "(\(test())) ? (\(a)) : (\(b))"
    }
  }

  private mutating func test() -> String {
    let attribute = random.pick(attributes)
    let path = attribute.path
    let value = random.pick(attribute.values).json
    let texts = [
      "\(path) == \(value)", "\(path) != \(value)", "has(\(path))", "!has(\(path))",
      "has(\(path)) ? \(path) == \(value) : false", "\(path) == \(random.pick(attributes).path)",
      "\(path) in [\(value), \(random.pick(attribute.values).json)]",
    ]
    let order = random.pick(["<", "<=", ">", ">="])
    switch attribute.kind {
    case .int:
      return random.pick(
        texts + [
          "\(path) \(order) 7", "\(path) + 1 \(order) 3", "\(path) % 2 == 0", "\(path) in [1, 7]",
        ])
    case .double:
      return random.pick(texts + ["\(path) \(order) 3.0", "\(path) * 2.0 \(order) 1.0"])
    case .bool: return random.pick(texts + [path, "!\(path)"])
    case .shortText, .longText, .anyText:
      return random.pick(
        texts + [
          "\(path) \(order) \(value)", "\(path).startsWith(\"a\")", "\(path).contains(\"te\")",
          "\(path).endsWith(\(value))", "\(path).matches(\"^[a-z ]+$\")", "size(\(path)) > 15",
        ])
    case .list:
      return random.pick(
        ["\"free\" in \(path)", "\(path).exists(t, t == \"free\")", "size(\(path)) > 1"] + texts)
    case .map:
      return random.pick(texts + ["\(path).n > 5", "\(path).k == \"free\"", "has(\(path).k)"])
    }
  }
}
