internal import CivilTime
internal import Expressions
internal import RuleEngine

/// The record of a fetched config: a small file next to the config, `config.json.fetched`.
struct FetchRecord: Equatable {
  /// The server, without the key.
  var url: String
  var format: String
  /// The time when this content was fetched first.
  var fetchedAt: String
  /// The SDK version of the request.
  var sdkVersion: String?
  var buildID: String?
  var entityTag: String?
  var bytes: Int
  /// The hash of the config, as in manifests of `precompute`.
  var hash: String

  static func path(of config: String) -> String { config + ".fetched" }

  init(_ source: ConfigSource, _ download: Download, _ config: Config, at time: Instant) {
    url = source.base
    format = source.format.rawValue
    fetchedAt = time.text ?? ""
    sdkVersion = source.sdkVersion.map { "\($0)" }
    buildID = config.buildID.isEmpty ? nil : config.buildID
    entityTag = download.entityTag
    bytes = download.body.count
    hash = XXH64.text(of: download.body)
  }

  /// Reads the record of a config. Fails if the record is missing or has another form.
  init?(of config: String) {
    let path = Self.path(of: config)
    guard FileIdentity.exists(path), let json = try? FileText.read(path),
      let value = try? Value.parse(json: json), let url = value["url"]?.text,
      let format = value["format"]?.text, let fetchedAt = value["fetchedAt"]?.text,
      case .int(let bytes)? = value["bytes"], let hash = value["hash"]?.text
    else { return nil }
    self.url = url
    self.format = format
    self.fetchedAt = fetchedAt
    self.bytes = Int(bytes)
    self.hash = hash
    sdkVersion = value["sdkVersion"]?.text
    buildID = value["buildId"]?.text
    entityTag = value["etag"]?.text
  }

  private var json: String {
    let members: [(String, Value?)] = [
      ("url", .string(url)), ("format", .string(format)), ("fetchedAt", .string(fetchedAt)),
      ("sdkVersion", sdkVersion.map { .string($0) }), ("buildId", buildID.map { .string($0) }),
      ("etag", entityTag.map { .string($0) }),
      ("bytes", .int(Int64(bytes))), ("hash", .string(hash)),
    ]
    // One member per line, so that a diff shows the changes.
    let lines = members.compactMap { name, value in
      value.map { "  \(Value.string(name).json): \($0.json)" }
    }
    return "{\n" + lines.joined(separator: ",\n") + "\n}\n"
  }

  func write(beside config: String) throws {
    try SavedFile.write(Array(json.utf8), to: Self.path(of: config))
  }
}
