internal import Expressions
internal import Foundation

/// The parts of the corpus that are inputs.
struct SeedCorpus {
  var evaluations: [(expression: String, context: String)] = []
  var patterns: [[UInt8]] = []
  var records: [[UInt8]] = []
  var configs: [[UInt8]] = []
  var agentWallie: [[UInt8]] = []
  /// Configs with a user, separated by a zero byte.
  var decisions: [[UInt8]] = []
  var files: [[UInt8]] = []
  var templates: [[UInt8]] = []
  var products: [[UInt8]] = []
  var prices: [[UInt8]] = []
  var scripts: [[UInt8]] = []

  init(folder: URL) {
    let files = ["cases", "own", "regressions", "sdk"].flatMap { name in
      let folder = folder.appendingPathComponent(name)
      let found = try? FileManager.default.contentsOfDirectory(
        at: folder, includingPropertiesForKeys: nil)
      return (found ?? []).sorted { $0.path < $1.path }
    }
    for file in files where file.pathExtension == "jsonl" { read(lines: file) }
    for path in [
      "cases/superwall-sample-config.json", "sdk/fixtures/config.std.json",
      "demo/config.json",
    ] {
      configs += (try? [Array(Data(contentsOf: folder.appendingPathComponent(path)))]) ?? []
    }
    let users = try? Data(contentsOf: folder.appendingPathComponent("demo/users.ndjson"))
    let lines = (users ?? Data()).split(separator: 0x0A).prefix(100).map { Array($0) }
    records += lines
    records += zip(lines, lines.dropFirst()).map { $0 + [0x0A] + $1 }
    addPatterns()
    addFiles(folder)
  }

  private mutating func read(lines file: URL) {
    guard let text = try? Data(contentsOf: file) else { return }
    for (i, line) in text.split(separator: 0x0A).enumerated() {
      guard let value = try? Value.parse(json: line) else { continue }
      read(value)
      // Any JSON is a record. One line in ten is enough.
      if i % 10 == 0 { records.append(Array(line)) }
    }
  }

  private mutating func read(_ testCase: Value) {
    let input = testCase["input"]
    let texts = [
      testCase["expression"], testCase["expr"], input?["expression"], input?["expression_cel"],
    ]
    for case .string(let text)?? in texts {
      let context = testCase["context"] ?? input?["variables"] ?? .map([])
      guard case .map = context else {
        evaluations.append((text, "{}"))
        continue
      }
      evaluations.append((text, context.json))
    }
    readTemplate(testCase)
    readConfig(input)
    readProduct(testCase)
    readScript(testCase)
  }

  private mutating func readTemplate(_ testCase: Value) {
    for key in ["template", "template_angle", "template_wallie"] {
      guard let template = testCase[key]?.text else { continue }
      let partial = testCase["templates"]?.members?.first?.value.text ?? ""
      let data = (testCase["data"] ?? .map([])).json
      templates.append(Array("\(template)\0\(data)\0\(partial)".utf8))
    }
  }

  private mutating func readConfig(_ input: Value?) {
    guard let config = input?["config"], config.isObject else { return }
    if config["campaigns"] != nil {
      agentWallie.append(Array(config.json.utf8))
    } else {
      configs.append(Array(config.json.utf8))
    }
    let users = input?["users"]?.elements ?? [input?["user"] ?? .map([])]
    let lines = users.prefix(3).map { $0.text ?? $0.json }
    decisions.append(Array((config.json + "\0" + lines.joined(separator: "\n")).utf8))
  }

  private mutating func readProduct(_ testCase: Value) {
    if let product = testCase["product"], product.isObject {
      products.append(Array(Value.object(["products": .list([product])]).json.utf8))
      let texts = ["price", "currency", "locale", "iso8601"].map { product[$0]?.text ?? "" }
      prices.append(Array(texts.joined(separator: "\0").utf8))
    }
    guard let amount = testCase["amount"]?.text else { return }
    let texts = [amount, testCase["currency"]?.text ?? "", testCase["locale"]?.text ?? "", "P1M"]
    prices.append(Array(texts.joined(separator: "\0").utf8))
  }

  /// The steps of a scenario, one per line.
  private mutating func readScript(_ testCase: Value) {
    guard let steps = testCase["steps"]?.elements else { return }
    let lines = steps.compactMap { step -> String? in
      switch step["do"]?.text {
      case "call": "\(step["method"]?.text ?? "") \((step["args"] ?? .map([])).json)"
      case "advance": "advance \((step["ms"] ?? 0).json)"
      case let kind? where ["presenter", "app", "store"].contains(kind):
        "\(kind).\(step["action"]?.text ?? "") \((step["with"] ?? .map([])).json)"
      default: nil
      }
    }
    let platform = testCase["platform"]?.text == "android" ? ["android"] : []
    scripts.append(Array((platform + lines).joined(separator: "\n").utf8))
  }

  /// Files of users after the byte for their format, and files of products.
  private mutating func addFiles(_ folder: URL) {
    let lines = records.prefix(40).map { $0 + [0x0A] }
    let table = Array(
      """
      userId,user.plan,user.age,device.sessions,params.list
      u1,free,34,5,"[1,2]"
      u2,"a ""quoted"" text, with a comma",,7,"two
      lines"
      u3,pro,1.5,t,NULL\r

      """.utf8)
    for how: UInt8 in 0..<8 {
      files.append([how] + lines[0..<2].joined())
      files.append([how] + table)
    }
    for line in lines { files.append([0] + line) }
    files.append([0, 0xEF, 0xBB, 0xBF] + lines[0])
    files.append([6, 0x28, 0xB5, 0x2F, 0xFD])
    files.append([6, 0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
    for path in [
      "demo/products.json", "sdk/fixtures/products.json", "sdk/fixtures/Products.storekit",
    ] {
      products += (try? [Array(Data(contentsOf: folder.appendingPathComponent(path)))]) ?? []
    }
  }

  /// Expressions to match, and patterns with every construct of RE2.
  private mutating func addPatterns() {
    for (expression, _) in evaluations where expression.contains("matches(") {
      for part in expression.components(separatedBy: "matches(").dropFirst() {
        let pattern = part.drop { "r'\"".contains($0) }.prefix { !"'\"".contains($0) }
        patterns.append(Array(pattern.utf8) + Array("\0a user@example.com 1.10.2".utf8))
      }
    }
    patterns += [
      "^(a+)+$\0aaaa!", "(?i)[[:alpha:]é]+\0CAFÉ", #"\p{Greek}|\PL\d{2,3}?"# + "\0αβ 123",
      #"(?P<x>a|b(?:c*)?)\b$"# + "\0xbcc", #"(?ms)^.*?\z|\A\Qx.y\E"# + "\0x.y\nz",
      #"[^\s\w-]{1,4}\x{1F600}"# + "\0!!😀", "(?U)a*b??\0aab", "(|a)*\0aa", #"[a-z&&[^b]]"# + "\0c",
    ].map { Array($0.utf8) }
  }
}
