internal import Expressions
internal import RuleEngine

/// Everything that the outcomes of a run depend on. A checkpoint and a manifest carry it.
struct RunSettings {
  var config: String
  /// Hash of the config's bytes.
  var configHash: String
  var format: String?
  var dialect: String
  var platform: String
  var users: [String]
  /// Sizes of the users files; nil for what is not a regular file.
  var sizes: [Int?]
  /// The form of the users files, where it does not follow from their names.
  var input: String?
  /// Nil for all of the config.
  var placements: [String]?
  var now: Instant
  var timeZone: String
  var seed: String
  var assigner: String
  var layout: String
  /// The form of the outcomes, as ``FileForm/text`` has it, or `none`.
  var output: String
  /// How refused lines are kept; nil when they are not.
  var rejects: String?
  /// What rendered texts depend on beside that; nil when none are rendered.
  var texts: TextSettings?

  /// The version of how subjects are hashed: with the same one, the same seed gives the same
  /// variants.
  static let assignerVersion: Int64 = 1

  var value: Value {
    .object([
      "tollgate": .string(TollgateCommand.version), "config": .string(config),
      "configHash": .string(configHash), "format": format.map { .string($0) } ?? .null,
      "dialect": .string(dialect), "platform": .string(platform),
      "users": .list(
        zip(users, sizes).map { path, size in
          .object(["path": .string(path), "bytes": size.map { .int(Int64($0)) } ?? .null])
        }),
      "input": input.map { .string($0) } ?? .null,
      "placements": placements.map { .list($0.map { .string($0) }) } ?? .null,
      "now": .string(now.text ?? "\(now.milliseconds)"),
      "timeZone": .string(timeZone), "seed": .string(seed), "assigner": .string(assigner),
      "assignerVersion": .int(RunSettings.assignerVersion), "layout": .string(layout),
      "output": .string(output), "rejects": rejects.map { .string($0) } ?? .null,
      "texts": texts?.value ?? .null,
    ])
  }

  init?(_ value: Value) {
    func text(_ key: String) -> String? {
      value[key]?.text
    }
    guard let config = text("config"), let configHash = text("configHash"),
      let dialect = text("dialect"), let platform = text("platform"), let now = text("now"),
      let time = try? WireTime.instant(now), let timeZone = text("timeZone"),
      let seed = text("seed"), let assigner = text("assigner"), let layout = text("layout"),
      let output = text("output"), let files = value["users"]?.elements
    else { return nil }
    self.config = config
    self.configHash = configHash
    self.dialect = dialect
    self.platform = platform
    self.now = time
    self.timeZone = timeZone
    self.seed = seed
    self.assigner = assigner
    self.layout = layout
    self.output = output
    format = text("format")
    input = text("input")
    rejects = text("rejects")
    texts = value["texts"].flatMap { TextSettings($0) }
    if texts == nil, let other = value["texts"], other != .null { return nil }
    users = []
    sizes = []
    for file in files {
      guard let path = file["path"]?.text else { return nil }
      users.append(path)
      if case .int(let size)? = file["bytes"] { sizes.append(Int(size)) } else { sizes.append(nil) }
    }
    if let names = value["placements"]?.elements {
      placements = names.compactMap(\.text)
    }
  }

  init(
    config: ConfigFile, format: String?, language: LanguageOptions, users: [String],
    input: String?, placements: [String]?, now: Instant, options: DecisionOptions, layout: String,
    output: String, rejects: String?
  ) {
    self.config = config.path
    configHash = RunSettings.hash(config.bytes)
    self.format = format
    dialect = language.dialect.rawValue
    platform = language.platform.rawValue
    self.users = users
    sizes = users.map { FileIdentity.regularSize(of: $0) }
    self.input = input
    self.placements = placements
    self.now = now
    timeZone = options.timeZone
    seed = options.seed
    assigner = options.assigner(for: config.config?.format ?? .superwall).name
    self.layout = layout
    self.output = output
    self.rejects = rejects
  }

  static func hash(_ bytes: [UInt8]) -> String {
    var stream = XXH64.Stream()
    bytes.withUnsafeBytes { stream.add($0) }
    return text(of: stream)
  }

  /// A hash as it is written: `xxh64:` and 16 hexadecimal digits.
  static func text(of hash: XXH64.Stream) -> String {
    let digits = String(hash.finish(), radix: 16)
    return "xxh64:" + String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// What is not the same in other settings, for people.
  func differences(from other: RunSettings) -> [String] {
    guard case .map(let mine) = value, case .map(let others) = other.value else { return [] }
    return zip(mine, others).compactMap { mine, other in
      guard mine.value != other.value, let key = mine.key.text else { return nil }
      return "\(key) was \(other.value.json) and is \(mine.value.json)"
    }
  }
}
