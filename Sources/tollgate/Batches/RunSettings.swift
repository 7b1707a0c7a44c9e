internal import Expressions
internal import RuleBatch
internal import RuleEngine
internal import SDK

/// Everything that the outcomes of a run depend on. Checkpoints and manifests contain these settings.
struct RunSettings {
  var config: String
  /// Hash of the config's bytes.
  var configHash: String
  var format: String?
  var dialect: String
  var platform: String
  /// The SDK that decides, in the form of ``SDKSelection/text``.
  var sdkVersion: String
  var users: [String]
  /// Sizes of the users files; nil for a file that is not regular.
  var sizes: [Int?]
  /// The form of the users files, unless their names determine it.
  var input: String?
  /// The separator in flat names of columns.
  var separator: String?
  /// The requested placements; nil for all placements of the config.
  var placements: [String]?
  var now: Instant
  var timeZone: String
  var seed: String
  var assigner: String
  var layout: String
  /// The form of the outcomes, as in ``FileForm/text``, or `none`.
  var output: String
  /// The form of rejected lines; nil if they are not stored.
  var rejects: String?
  /// Whether outcomes include the columns about their run.
  var runColumns = false
  /// Whether outcomes include the SDK that decided.
  var sdkColumn = false
  /// Whether outcomes include reasons.
  var reasons = false
  /// How the IDs of users are read.
  var userIDs = UserID.Reading.bytes
  /// The other inputs of rendered texts; nil without texts.
  var texts: TextSettings?

  /// The version of hashing subjects. With the same version, the same seed gives the same variants.
  static let assignerVersion: Int64 = 1

  var value: Value {
    .object([
      "tollgate": .string(SDKVersion.current), "config": .string(config),
      "configHash": .string(configHash), "format": format.map { .string($0) } ?? .null,
      "dialect": .string(dialect), "platform": .string(platform),
      "sdkVersion": .string(sdkVersion),
      "users": .list(
        zip(users, sizes).map { path, size in
          .object(["path": .string(path), "bytes": size.map { .int(Int64($0)) } ?? .null])
        }),
      "input": input.map { .string($0) } ?? .null,
      "placements": placements.map { .list($0.map { .string($0) }) } ?? .null,
      "now": .string(timeText),
      "timeZone": .string(timeZone), "seed": .string(seed), "assigner": .string(assigner),
      "assignerVersion": .int(RunSettings.assignerVersion), "layout": .string(layout),
      "output": .string(output), "rejects": rejects.map { .string($0) } ?? .null,
      "runColumns": .bool(runColumns), "sdkColumn": .bool(sdkColumn),
      "reasons": .bool(reasons),
      "texts": texts?.value ?? .null, "userIds": .string(userIDs.rawValue),
      "separator": separator.map { .string($0) } ?? .null,
    ])
  }

  /// - Throws: when a value is impossible for a run, with its path.
  init(_ recorded: RecordedValue) throws(RecordedValue.Fault) {
    config = try recorded.text("config")
    configHash = try recorded.text("configHash")
    format = try recorded.member("format")?.word(
      "format of configs", ConfigFormOptions.FormatName.allCases.map(\.rawValue))
    dialect = try recorded.required("dialect").word(
      "dialect", LanguageOptions.DialectName.allCases.map(\.rawValue))
    platform = try recorded.required("platform").word(
      "platform", LanguageOptions.PlatformName.allCases.map(\.rawValue))
    sdkVersion =
      try recorded.member("sdkVersion").map {
        (version) throws(RecordedValue.Fault) in
        let text = try version.text()
        guard (try? SDKSelection(text)) != nil else {
          throw version.fault("'\(text)' is not an SDK version")
        }
        return text
      } ?? SDKSelection.newest.text
    input = try recorded.member("input")?.word(
      "format of users", UserForm.allCases.map(\.rawValue))
    (users, sizes) = try RunSettings.files(recorded.required("users"))
    placements = try recorded.member("placements").map {
      (names) throws(RecordedValue.Fault) in
      var texts: [String] = []
      for name in try names.elements() { texts.append(try name.text()) }
      return texts
    }
    now = try RunSettings.time(recorded.required("now"))
    let zone = try recorded.required("timeZone")
    timeZone = try zone.text()
    if let problem = WireTime.zoneProblem(timeZone) { throw zone.fault(problem) }
    seed = try recorded.text("seed")
    assigner = try recorded.required("assigner").word(
      "assigner", DecisionOptions.AssignerName.allCases.map(\.rawValue))
    layout = try recorded.required("layout").word(
      "layout", PrecomputeCommand.Layout.allCases.map(\.rawValue))
    output = try RunSettings.form(recorded.required("output"), besides: ["none"])
    rejects = try recorded.member("rejects").map {
      (form) throws(RecordedValue.Fault) in try RunSettings.form(form)
    }
    runColumns = try recorded.member("runColumns")?.truth() ?? false
    sdkColumn = try recorded.member("sdkColumn")?.truth() ?? false
    reasons = try recorded.member("reasons")?.truth() ?? false
    userIDs =
      try recorded.member("userIds")?.word(
        "reading of IDs", UserID.Reading.allCases.map(\.rawValue))
      == UserID.Reading.sdk.rawValue ? .sdk : .bytes
    separator = try recorded.member("separator")?.text()
    texts = try recorded.member("texts").map {
      (texts) throws(RecordedValue.Fault) in try TextSettings(texts)
    }
  }

  private static func files(_ recorded: RecordedValue) throws(RecordedValue.Fault)
    -> ([String], [Int?])
  {
    var (paths, sizes): ([String], [Int?]) = ([], [])
    for file in try recorded.elements() {
      paths.append(try file.text("path"))
      sizes.append(try file.member("bytes")?.number())
    }
    return (paths, sizes)
  }

  private static func time(_ recorded: RecordedValue) throws(RecordedValue.Fault) -> Instant {
    let text = try recorded.text()
    guard let time = try? WireTime.instant(text) else {
      throw recorded.fault("'\(text)' is not a time; write 2026-03-01T12:00:00Z")
    }
    return time
  }

  /// The form of a file, as in ``FileForm/text``, or one of these words.
  private static func form(_ recorded: RecordedValue, besides words: [String] = [])
    throws(RecordedValue.Fault) -> String
  {
    let text = try recorded.text()
    guard words.contains(text) || FileForm(text: text) != nil else {
      let forms = OutputForm.allCases.map(\.rawValue)
      throw recorded.fault(
        "'\(text)' is not a format; write \(listed(forms + words, "or"))")
    }
    return text
  }

  init(
    config: ConfigFile, format: String?, language: LanguageOptions, users: [String],
    input: String?, placements: [String]?, now: Instant, options: DecisionOptions, layout: String,
    output: String, rejects: String?
  ) {
    self.config = config.path
    configHash = XXH64.text(of: config.bytes)
    self.format = format
    dialect = language.dialect.rawValue
    platform = language.platform.rawValue
    sdkVersion = language.sdkVersion.text
    self.users = users
    sizes = users.map { FileIdentity.regularSize(of: $0) }
    self.input = input
    self.placements = placements
    self.now = now
    timeZone = options.timeZone
    userIDs = options.userIds
    seed = options.seed
    assigner = options.assigner(for: config.config?.format ?? .superwall).name
    self.layout = layout
    self.output = output
    self.rejects = rejects
  }

  private var timeText: String { now.text ?? "\(now.milliseconds)" }

  /// The columns of outcomes about the run.
  var columnsOfRun: [OutcomeColumns.OfRun] {
    runColumns
      ? [.init("now", timeText), .init("seed", seed), .init("config_hash", configHash)] : []
  }

  /// The differences from other settings, in words.
  func differences(from other: RunSettings) -> [String] {
    guard case .map(let mine) = value, case .map(let others) = other.value else { return [] }
    return zip(mine, others).compactMap { mine, other in
      guard mine.value != other.value, let key = mine.key.text else { return nil }
      return "\(key) was \(other.value.json) and is \(mine.value.json)"
    }
  }
}
